// The reference GEMM stream (tests/data/gemm_stream_golden.csv): line by line through slow, obvious caches, and as
// objects through the engine. Fully associative caches must agree to the hit.
//
// C[M,N] = A[M,K] B[K,N], fp16, row-major, tiles of 128 x 128 x 64, lines of 128 B, A at byte 0, B after it at the next
// multiple of 4 MiB. Block b runs on cache b mod 8. Remap 0: tile b. Remap 1: each cache a contiguous share. Remap 2:
// remap 1, then groups of 8 rows of tiles walked column by column. A K-step of a block asks for 128 lines of A, then
// for two lines of each of 64 rows of B. Waves of `resident` blocks of a cache in launch order; in a wave, for each
// K-step, each block. The checksum is FNV-1a of the addresses of all caches, as 8 bytes each, little endian.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>

#include "model/model.h"
#include "tests/model/workloads.h"

namespace swizzleperf {
namespace {

constexpr int64_t kCaches = 8, kLine = 128, kWays = 16, kSets = 2048;

struct Shape {
  int64_t m = 0, n = 0, k = 0, resident = 0, remap = 0;
  auto operator<=>(const Shape&) const = default;
  int64_t tiles() const { return m / 128 * (n / 128); }
};

// Row and column of the tile of block b.
std::pair<int64_t, int64_t> tile_of(const Shape& s, int64_t b) {
  const int64_t rows = s.m / 128, columns = s.n / 128;
  int64_t t = b;
  if (s.remap > 0) {
    const int64_t x = b % kCaches;
    t = x * (s.tiles() / kCaches) + std::min(x, s.tiles() % kCaches) + b / kCaches;
  }
  if (s.remap < 2) return {t / columns, t % columns};
  const int64_t group = t / (8 * columns), rest = t % (8 * columns), height = std::min<int64_t>(8, rows - 8 * group);
  return {8 * group + rest % height, rest / height};
}

int64_t base_of_b(const Shape& s) {
  constexpr int64_t kAlign = int64_t{4} << 20;
  return (s.m * s.k * 2 + kAlign - 1) / kAlign * kAlign;
}

// Calls visit(address) for the stream of one cache.
template <class Visit>
void stream(const Shape& s, int64_t cache, Visit visit) {
  const int64_t base = base_of_b(s);
  for (int64_t wave = cache; wave < s.tiles(); wave += s.resident * kCaches) {
    for (int64_t step = 0; step < s.k / 64; ++step) {
      for (int64_t i = 0; i < s.resident && wave + i * kCaches < s.tiles(); ++i) {
        const auto [row, column] = tile_of(s, wave + i * kCaches);
        for (int64_t r = 0; r < 128; ++r) visit((row * 128 + r) * s.k * 2 + step * 128);
        for (int64_t r = 0; r < 64; ++r) {
          const int64_t address = base + (step * 64 + r) * s.n * 2 + column * 256;
          visit(address);
          visit(address + kLine);
        }
      }
    }
  }
}

// 16 ways, least recently used, newest first.
class SetCache {
 public:
  explicit SetCache(bool fold) : fold_(fold), sets_(kSets) {}
  bool access(int64_t address) {
    const int64_t line = address / kLine;
    int64_t index = line;
    if (fold_) {
      index = line ^ (line >> 11);
      index ^= index >> 22;
    }
    auto& set = sets_[static_cast<size_t>(index % kSets)];
    const auto found = std::find(set.begin(), set.end(), line);
    const bool hit = found != set.end();
    if (hit) set.erase(found);
    if (set.size() == kWays) set.pop_back();
    set.insert(set.begin(), line);
    return hit;
  }

 private:
  bool fold_;
  std::vector<std::vector<int64_t>> sets_;
};

struct Row {
  std::map<std::string, std::string> cells;
  int64_t number(const std::string& name) const { return std::stoll(cells.at(name)); }
  Shape shape() const { return {number("M"), number("N"), number("K"), number("resident"), number("remap")}; }
};

std::vector<Row> golden() {
  std::ifstream file(SWIZZLEPERF_SOURCE_DIR "/tests/data/gemm_stream_golden.csv");
  std::vector<std::string> header;
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream cells(line);
    Row row;
    size_t column = 0;
    for (std::string cell; std::getline(cells, cell, ','); ++column) {
      if (rows.empty() && header.size() == column) {
        header.push_back(cell);
      } else {
        row.cells[header.at(column)] = cell;
      }
    }
    if (!row.cells.empty()) rows.push_back(row);
  }
  return rows;
}

// Hits of each cache under both set indices, and the checksum.
struct Simulated {
  std::vector<int64_t> modulo, folded;
  int64_t accesses = 0;
  uint64_t checksum = 14695981039346656037ULL;
};
Simulated simulate(const Shape& shape) {
  Simulated result;
  for (int64_t cache = 0; cache < kCaches; ++cache) {
    SetCache modulo(false), folded(true);
    int64_t modulo_hits = 0, folded_hits = 0;
    stream(shape, cache, [&](int64_t address) {
      ++result.accesses;
      for (int shift = 0; shift < 64; shift += 8)
        result.checksum = (result.checksum ^ (static_cast<uint64_t>(address) >> shift & 0xFFU)) * 1099511628211ULL;
      modulo_hits += modulo.access(address) ? 1 : 0;
      folded_hits += folded.access(address) ? 1 : 0;
    });
    result.modulo.push_back(modulo_hits);
    result.folded.push_back(folded_hits);
  }
  return result;
}

TEST(GoldenStream, EveryHitAndChecksumIsReproducedLineByLine) {
  const auto rows = golden();
  ASSERT_EQ(rows.size(), 54U);
  std::map<Shape, Simulated> results;
  for (const Row& row : rows) {
    if (results.count(row.shape()) == 0) results[row.shape()] = simulate(row.shape());
  }
  for (const Row& row : rows) {
    const Simulated& result = results.at(row.shape());
    const auto& hits = row.cells.at("index") == "modulo" ? result.modulo : result.folded;
    int64_t total = 0;
    for (size_t cache = 0; cache < hits.size(); ++cache) {
      EXPECT_EQ(hits[cache], row.number("hits_c" + std::to_string(cache)));
      total += hits[cache];
    }
    EXPECT_EQ(total, row.number("hits_total"));
    EXPECT_EQ(result.accesses, row.number("accesses"));
    std::ostringstream checksum;
    checksum << std::hex << std::setw(16) << std::setfill('0') << result.checksum;
    EXPECT_EQ(checksum.str(), row.cells.at("fnv1a64"));
  }
}

// The same GEMM for the engines.
Workload loads_of(const Shape& s) {
  return workloads::gemm_loads({.m = s.m, .n = s.n, .k = s.k, .tile_k = 64});
}

Order order_of(const Shape& s) {
  Order order;
  for (int64_t b = 0; b < s.tiles(); ++b) {
    const auto [row, column] = tile_of(s, b);
    order.push_back(static_cast<int32_t>(row * (s.n / 128) + column));
  }
  return order;
}

TEST(GoldenStream, TheEngineAgreesWithFullyAssociativeCaches) {
  for (const Row& row : golden()) {
    if (row.cells.at("index") != "modulo") continue;  // the index plays no part here
    const Shape shape = row.shape();
    GpuSpec gpu;
    gpu.domains = kCaches;
    gpu.cus_per_domain = shape.resident;
    gpu.l1.bytes = 0;
    gpu.l2 = {.bytes = kWays * kSets * kLine, .line_bytes = kLine, .channels = 1, .channel_interleave_bytes = 256};
    const Prediction prediction = Model::create(loads_of(shape), gpu).value().predict(order_of(shape));
    int64_t hits = 0, requests = 0;
    for (const auto& domain : prediction.domains) {
      hits += domain.hits;
      requests += domain.requests;
    }
    EXPECT_EQ(requests, row.number("accesses"));
    EXPECT_EQ(hits, row.number("fa_lru_hits")) << shape.m << " resident " << shape.resident << " remap " << shape.remap;
  }
}

TEST(GoldenStream, TheLineEngineReproducesEveryHitOfEveryCache) {
  for (const Row& row : golden()) {
    const Shape shape = row.shape();
    GpuSpec gpu;
    gpu.domains = kCaches;
    gpu.cus_per_domain = shape.resident;
    gpu.l1.bytes = 0;
    gpu.l2 = {.bytes = kWays * kSets * kLine,
              .line_bytes = kLine,
              .channels = 1,
              .channel_interleave_bytes = kLine,
              .ways = kWays,
              .set_index = row.cells.at("index") == "modulo" ? SetIndex::kModulo : SetIndex::kXorFold};
    const Workload workload = loads_of(shape);
    const LineModel lines = LineModel::create(workload, gpu).value();
    const Prediction prediction = Model::create(workload, gpu)->predict(order_of(shape), {.lines = &lines});
    for (size_t cache = 0; cache < static_cast<size_t>(kCaches); ++cache)
      EXPECT_EQ(prediction.domains[cache].hits, row.number("hits_c" + std::to_string(cache)))
          << shape.m << " resident " << shape.resident << " remap " << shape.remap << " " << row.cells.at("index");
  }
}

}  // namespace
}  // namespace swizzleperf
