// Smith-Waterman local alignment, linear gaps: H[i,j] = max(0, H[i-1,j-1] + score(i,j), H[i-1,j] - gap, H[i,j-1] - gap), zero outside.
// One launch computes one anti-diagonal of tiles of 64 x 64, `wave`; the tiles above and to the left come from the launches before. A
// workgroup of 64 threads, one a column, walks the anti-diagonals of its tile in shared memory.
#include <cuda_runtime.h>

constexpr int kTile = 64;
constexpr int kPitch = kTile + 1;  // row 0 and column 0 hold the neighbours' last ones
constexpr int kMatch = 5;
constexpr int kMismatch = -4;
constexpr int kGap = 3;

__global__ __launch_bounds__(64) void smith_waterman(const signed char* __restrict__ a, const signed char* __restrict__ b, int* h, int m, int n, int wave) {
  __shared__ int tile[kPitch * kPitch];
  // The first tile of the anti-diagonal is its lowest: tile row `wave`, or the last one where that lies below the matrix.
  const int tile_rows = (m + kTile - 1) / kTile;
  const int lowest = wave < tile_rows ? wave : tile_rows - 1;
  const int row = (lowest - (int)blockIdx.x) * kTile;
  const int column = (wave - lowest + (int)blockIdx.x) * kTile;
  const int t = threadIdx.x;
  const int rows = min(kTile, m - row);
  const bool inside = column + t < n;

  tile[t + 1] = row > 0 && inside ? h[(long long)(row - 1) * n + column + t] : 0;
  tile[(t + 1) * kPitch] = column > 0 && t < rows ? h[(long long)(row + t) * n + column - 1] : 0;
  if (t == 0) tile[0] = row > 0 && column > 0 ? h[(long long)(row - 1) * n + column - 1] : 0;
  const int letter = inside ? b[column + t] : 0;
  __shared__ signed char letters[kTile];
  letters[t] = t < rows ? a[row + t] : 0;
  __syncthreads();

  for (int step = 0; step < 2 * kTile - 1; ++step) {
    const int r = step - t;
    if (r >= 0 && r < kTile) {
      int* here = tile + (r + 1) * kPitch + t + 1;
      const int diagonal = here[-kPitch - 1] + (letters[r] == letter ? kMatch : kMismatch);
      const int gap = max(here[-kPitch], here[-1]) - kGap;
      *here = max(max(diagonal, gap), 0);
    }
    __syncthreads();
  }
  for (int r = 0; r < rows; ++r) {
    if (inside) h[(long long)(row + r) * n + column + t] = tile[(r + 1) * kPitch + t + 1];
  }
}
