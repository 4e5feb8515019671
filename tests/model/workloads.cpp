#include "tests/model/workloads.h"

#include <map>
#include <tuple>

namespace swizzleperf::workloads {
namespace {

class Builder {
 public:
  explicit Builder(const Grid& grid) {
    workload_.grid = grid;
    workload_.tile_begin = {0};
    workload_.phase_begin = {0};
  }
  int16_t array(const char* name, int64_t bytes, int64_t element_bytes) {
    workload_.arrays.push_back({name, bytes, element_bytes});
    return static_cast<int16_t>(workload_.arrays.size() - 1);
  }
  // A block of `rows` rows of `bytes` bytes that lie `pitch` apart, `shift` bytes from the access's origin.
  int32_t block(int64_t rows, int64_t bytes, int64_t pitch, int64_t shift = 0) {
    const auto [found, added] =
        known_.try_emplace({rows, bytes, pitch, shift}, static_cast<int32_t>(workload_.patterns.size()));
    if (added) {
      Pattern pattern;
      for (int64_t row = 0; row < rows; ++row)
        pattern.segments.push_back({shift + row * pitch, static_cast<int32_t>(bytes), 1});
      workload_.patterns.push_back(std::move(pattern));
    }
    return found->second;
  }
  void access(int16_t array, int32_t pattern, int64_t origin, AccessKind kind) {
    workload_.accesses.push_back({origin, pattern, array, kind});
  }
  void end_phase() { workload_.phase_begin.push_back(static_cast<int64_t>(workload_.accesses.size())); }
  void end_tile() { workload_.tile_begin.push_back(static_cast<int64_t>(workload_.phase_begin.size()) - 1); }
  Workload take(int64_t occupancy) {
    workload_.occupancy = occupancy;
    workload_.occupancy_source = "assumed";
    workload_.footprint_source = "declared";
    return std::move(workload_);
  }

 private:
  Workload workload_;
  std::map<std::tuple<int64_t, int64_t, int64_t, int64_t>, int32_t> known_;
};

}  // namespace

Workload gemm(const GemmShape& s) {
  Builder builder({s.n / s.tile_n, s.m / s.tile_m});
  const int64_t a_pitch = s.k * s.element_bytes, b_pitch = s.n * s.element_bytes;
  const int16_t a = builder.array("a", s.m * a_pitch, s.element_bytes);
  const int16_t b = builder.array("b", s.k * b_pitch, s.element_bytes);
  const int16_t c = builder.array("c", s.m * b_pitch, s.element_bytes);
  const int32_t a_block = builder.block(s.tile_m, s.tile_k * s.element_bytes, a_pitch);
  const int32_t b_block = builder.block(s.tile_k, s.tile_n * s.element_bytes, b_pitch);
  const int32_t c_block = builder.block(s.tile_m, s.tile_n * s.element_bytes, b_pitch);
  for (int64_t row = 0; row < s.m / s.tile_m; ++row) {
    for (int64_t column = 0; column < s.n / s.tile_n; ++column) {
      const int64_t a_row = row * s.tile_m * a_pitch, c_row = row * s.tile_m * b_pitch;
      const int64_t b_column = column * s.tile_n * s.element_bytes;
      for (int64_t k = 0; k < s.k; k += s.tile_k) {
        builder.access(a, a_block, a_row + k * s.element_bytes, AccessKind::kLoad);
        builder.access(b, b_block, b_column + k * b_pitch, AccessKind::kLoad);
        builder.end_phase();
      }
      builder.access(c, c_block, c_row + b_column, AccessKind::kStore);
      builder.end_phase();
      builder.end_tile();
    }
  }
  Workload workload = builder.take(1);
  workload.flops = 2.0 * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
  workload.flops_dtype = "fp16";
  workload.flops_matrix = true;
  return workload;
}

Workload linear_gemm(const GemmShape& shape) {
  Workload workload = gemm(shape);
  workload.grid = {workload.grid.size()};
  return workload;
}

Workload gemm_loads(const GemmShape& g) {
  constexpr int64_t kAlign = int64_t{4} << 20;
  const int64_t columns = g.n / g.tile_n, element = g.element_bytes;
  const int64_t base = (g.m * g.k * element + kAlign - 1) / kAlign * kAlign;
  Builder builder(Grid{g.m / g.tile_m * columns});
  const int16_t both = builder.array("A and B", base + g.k * g.n * element, element);
  const int32_t a = builder.block(g.tile_m, g.tile_k * element, g.k * element);
  const int32_t b = builder.block(g.tile_k, g.tile_n * element, g.n * element);
  for (int64_t tile = 0; tile < g.m / g.tile_m * columns; ++tile) {
    for (int64_t step = 0; step < g.k; step += g.tile_k) {
      builder.access(both, a, (tile / columns * g.tile_m * g.k + step) * element, AccessKind::kLoad);
      builder.access(both, b, base + (step * g.n + tile % columns * g.tile_n) * element, AccessKind::kLoad);
      builder.end_phase();
    }
    builder.end_tile();
  }
  return builder.take(1);
}

Workload transpose(int64_t size, int64_t tile) {
  const int64_t tiles = size / tile, pitch = size * 2;
  Builder builder({tiles, tiles});
  const int16_t in = builder.array("in", size * pitch, 2);
  const int16_t out = builder.array("out", size * pitch, 2);
  const int32_t block = builder.block(tile, tile * 2, pitch);
  for (int64_t y = 0; y < tiles; ++y) {
    for (int64_t x = 0; x < tiles; ++x) {
      builder.access(in, block, x * tile * pitch + y * tile * 2, AccessKind::kLoad);
      builder.end_phase();
      builder.access(out, block, y * tile * pitch + x * tile * 2, AccessKind::kStore);
      builder.end_phase();
      builder.end_tile();
    }
  }
  return builder.take(8);
}

Workload stencil(int64_t size, int64_t tile) {
  const int64_t tiles = size / tile, pitch = size * 2, row_bytes = tile * 2;
  Builder builder({tiles, tiles});
  const int16_t in = builder.array("in", size * pitch, 2);
  const int16_t out = builder.array("out", size * pitch, 2);
  const int32_t block = builder.block(tile, row_bytes, pitch);
  for (int64_t y = 0; y < tiles; ++y) {
    for (int64_t x = 0; x < tiles; ++x) {
      const int64_t corner = x * tile * pitch + y * row_bytes;
      const bool top = x == 0, bottom = x == tiles - 1, left = y == 0, right = y == tiles - 1;
      builder.access(in, block, corner, AccessKind::kLoad);
      builder.access(in, builder.block(tile - top, row_bytes, pitch, top ? 0 : -pitch), corner, AccessKind::kLoad);
      builder.access(in, builder.block(tile - bottom, row_bytes, pitch, pitch), corner, AccessKind::kLoad);
      builder.access(in, builder.block(tile, row_bytes - 2 * left, pitch, left ? 0 : -2), corner, AccessKind::kLoad);
      builder.access(in, builder.block(tile, row_bytes - 2 * right, pitch, 2), corner, AccessKind::kLoad);
      builder.end_phase();
      builder.access(out, block, corner, AccessKind::kStore);
      builder.end_phase();
      builder.end_tile();
    }
  }
  return builder.take(8);
}

Workload elementwise(int64_t workgroups, int64_t elements) {
  Builder builder({workgroups});
  const int32_t block = builder.block(1, elements * 2, 0);
  for (const char* name : {"x", "y", "z", "out"}) builder.array(name, workgroups * elements * 2, 2);
  for (int64_t wg = 0; wg < workgroups; ++wg) {
    for (int16_t array = 0; array < 3; ++array) builder.access(array, block, wg * elements * 2, AccessKind::kLoad);
    builder.end_phase();
    builder.access(3, block, wg * elements * 2, AccessKind::kStore);
    builder.end_phase();
    builder.end_tile();
  }
  return builder.take(8);
}

Workload attention(int64_t batches, int64_t heads, int64_t group, int64_t blocks, bool causal) {
  Workload workload;
  workload.grid = {blocks, heads * batches};
  workload.arrays = {{"q", batches * heads * blocks * 4096, 2}, {"k", batches * heads / group * blocks * 4096, 2}};
  workload.patterns = {{{{0, 4096, 1}}}};
  workload.tile_begin = {0};
  workload.phase_begin = {0};
  for (int64_t head = 0; head < batches * heads; ++head) {
    for (int64_t block = 0; block < blocks; ++block) {
      workload.accesses.push_back({.origin = (head * blocks + block) * 4096, .array = 0});
      for (int64_t k = 0; k < (causal ? block + 1 : blocks); ++k) {
        workload.accesses.push_back({.origin = (head / group * blocks + k) * 4096, .array = 1});
        workload.phase_begin.push_back(static_cast<int64_t>(workload.accesses.size()));
      }
      workload.tile_begin.push_back(static_cast<int64_t>(workload.phase_begin.size()) - 1);
    }
  }
  return workload;
}

}  // namespace swizzleperf::workloads
