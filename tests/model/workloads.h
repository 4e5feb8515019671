// Workloads built by formula: the accesses of well-known kernels without tracing them. Used by tests and benchmarks.
#pragma once

#include "workload/workload.h"

namespace swizzleperf::workloads {

struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
  int64_t tile_m = 128, tile_n = 128, tile_k = 32;
  int64_t element_bytes = 2;
};

// C = A * B, all row-major, on a grid of (n / tile_n, m / tile_m): x counts tile columns. One phase a k-step, then one
// that stores the tile. Sizes must be multiples of the tiles.
Workload gemm(const GemmShape& shape);
// The same on a linear grid: tile w is row w / columns, column w % columns.
Workload linear_gemm(const GemmShape& shape);

// Only the loads of linear_gemm(), A and B in one array: A at byte 0, B after it at the next multiple of 4 MiB. The
// reference stream of the golden file.
Workload gemm_loads(const GemmShape& shape);

// out = transpose(in), size x size elements of 2 bytes, tiles of `tile`; x is the row of tiles of the input.
Workload transpose(int64_t size, int64_t tile);

// Five-point stencil, size x size elements of 2 bytes, tiles of `tile`, five masked loads and one store; x is the row
// of tiles.
Workload stencil(int64_t size, int64_t tile);

// out[i] = f(x[i], y[i], z[i]) with 2-byte elements: no workgroup shares data with another.
Workload elementwise(int64_t workgroups, int64_t elements_a_workgroup);

// Attention: tile (batch and head: y, query block: x) loads its own block of q and the blocks of k of its group of
// heads, one phase a block; `causal`: query block i uses i + 1 blocks of k. Blocks of 4 KiB.
Workload attention(int64_t batches, int64_t heads, int64_t group, int64_t blocks, bool causal);

}  // namespace swizzleperf::workloads
