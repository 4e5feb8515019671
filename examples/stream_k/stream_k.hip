// C[M,N] = A[M,K] * B[K,N], row-major fp16, fp32 sums, by stream-K: all steps along K of all tiles form one row, which is cut into equal
// parts, one a workgroup, so that every compute unit has as much to do. A tile of 128 x 128 that lies in one part goes to C at once; of one
// that is cut, each part's sum goes to `partial` (two tiles a workgroup: its first, begun by another, and its last, ended by another).
// stream_k: 256 threads, the operands in shared memory as fp32, A transposed; a thread computes 8 x 8. Grid: the GPU's compute units.
// stream_k_fixup: adds the parts of the tiles that were cut. Grid: tiles in row-major order.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

constexpr int kTileM = 128;
constexpr int kTileN = 128;
constexpr int kTileK = 32;
constexpr int kThreads = 256;
constexpr int kPerThread = 8;
constexpr int kVector = 8;
constexpr int kPitchA = kTileM + 4;  // spreads the columns of the transposed tile over the banks

// Eight elements at (row, column) of a matrix, zero outside.
__device__ void load_vector(const __half* matrix, int rows, int columns, int row, int column, __half* to) {
  const long long at = (long long)row * columns + column;
  if (columns % kVector == 0 && row < rows && column < columns) {
    *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(matrix + at);
  } else {
    for (int k = 0; k < kVector; ++k) to[k] = row < rows && column + k < columns ? matrix[at + k] : __half(0.0f);
  }
}

__device__ void load_a(const __half* a, int m, int k, int row, int step, float* tile) {
  for (int i = threadIdx.x; i < kTileM * kTileK / kVector; i += kThreads) {
    __attribute__((aligned(16))) __half values[kVector];
    const int r = i / (kTileK / kVector), c = i % (kTileK / kVector) * kVector;
    load_vector(a, m, k, row + r, step + c, values);
    for (int v = 0; v < kVector; ++v) tile[(c + v) * kPitchA + r] = (float)values[v];
  }
}

__device__ void load_b(const __half* b, int k, int n, int step, int column, float* tile) {
  for (int i = threadIdx.x; i < kTileK * kTileN / kVector; i += kThreads) {
    __attribute__((aligned(16))) __half values[kVector];
    const int r = i / (kTileN / kVector), c = i % (kTileN / kVector) * kVector;
    load_vector(b, k, n, step + r, column + c, values);
    float4* to = reinterpret_cast<float4*>(tile + r * kTileN + c);
    to[0] = make_float4((float)values[0], (float)values[1], (float)values[2], (float)values[3]);
    to[1] = make_float4((float)values[4], (float)values[5], (float)values[6], (float)values[7]);
  }
}

__device__ void store(__half* c, int m, int n, int row, int column, const float (*sum)[kPerThread]) {
  const bool whole = n % kVector == 0 && column + kPerThread <= n;
  for (int r = 0; r < kPerThread; ++r) {
    __attribute__((aligned(16))) __half line[kPerThread];
    for (int q = 0; q < kPerThread; ++q) line[q] = __half(sum[r][q]);
    __half* to = c + (long long)(row + r) * n + column;
    if (row + r >= m) continue;
    if (whole) {
      *reinterpret_cast<float4*>(to) = *reinterpret_cast<const float4*>(line);
    } else {
      for (int q = 0; q < kPerThread; ++q) {
        if (column + q < n) to[q] = line[q];
      }
    }
  }
}

// The first step of workgroup w.
__device__ long long first_step(long long steps, int w, int workgroups) { return steps * w / workgroups; }

__global__ __launch_bounds__(256) void stream_k(const __half* __restrict__ a, const __half* __restrict__ b, __half* __restrict__ c, float* __restrict__ partial,
                                                int m, int n, int k) {
  __shared__ __attribute__((aligned(16))) float tile_a[kTileK * kPitchA];
  __shared__ __attribute__((aligned(16))) float tile_b[kTileK * kTileN];
  const int tile_columns = (n + kTileN - 1) / kTileN;
  const int tile_steps = (k + kTileK - 1) / kTileK;
  const long long steps = (long long)((m + kTileM - 1) / kTileM) * tile_columns * tile_steps;
  const long long end = first_step(steps, blockIdx.x + 1, gridDim.x);
  const int thread_row = threadIdx.x / 16 * kPerThread;
  const int thread_column = threadIdx.x % 16 * kPerThread;
  for (long long begin = first_step(steps, blockIdx.x, gridDim.x); begin < end;) {
    const int tile = (int)(begin / tile_steps);
    const int row = tile / tile_columns * kTileM;
    const int column = tile % tile_columns * kTileN;
    const int from = (int)(begin % tile_steps);
    const int to = (int)min((long long)tile_steps, from + end - begin);
    float sum[kPerThread][kPerThread] = {};
    for (int step = from; step < to; ++step) {
      load_a(a, m, k, row, step * kTileK, tile_a);
      load_b(b, k, n, step * kTileK, column, tile_b);
      __syncthreads();
      for (int i = 0; i < kTileK; ++i) {
        __attribute__((aligned(16))) float left[kPerThread], right[kPerThread];
        for (int v = 0; v < kPerThread; v += 4) {
          *reinterpret_cast<float4*>(left + v) = *reinterpret_cast<const float4*>(tile_a + i * kPitchA + thread_row + v);
          *reinterpret_cast<float4*>(right + v) = *reinterpret_cast<const float4*>(tile_b + i * kTileN + thread_column + v);
        }
        for (int r = 0; r < kPerThread; ++r) {
          for (int q = 0; q < kPerThread; ++q) sum[r][q] += left[r] * right[q];
        }
      }
      __syncthreads();
    }
    if (from == 0 && to == tile_steps) {
      store(c, m, n, row + thread_row, column + thread_column, sum);
    } else {
      float* part = partial + (2ll * blockIdx.x + (from == 0 ? 1 : 0)) * kTileM * kTileN;
      for (int r = 0; r < kPerThread; ++r) {
        float4* line = reinterpret_cast<float4*>(part + (thread_row + r) * kTileN + thread_column);
        line[0] = make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
        line[1] = make_float4(sum[r][4], sum[r][5], sum[r][6], sum[r][7]);
      }
    }
    begin += to - from;
  }
}

__global__ __launch_bounds__(256) void stream_k_fixup(const float* __restrict__ partial, __half* __restrict__ c, int m, int n, int k, int workgroups) {
  const int tile_columns = (n + kTileN - 1) / kTileN;
  const int tile_steps = (k + kTileK - 1) / kTileK;
  const long long steps = (long long)gridDim.x * tile_steps;
  const long long begin = (long long)blockIdx.x * tile_steps, end = begin + tile_steps;
  // The workgroup that has the tile's first step.
  int first = (int)(begin * workgroups / steps);
  while (first_step(steps, first + 1, workgroups) <= begin) ++first;
  if (first_step(steps, first + 1, workgroups) >= end) return;  // one part: stored already
  const int row = blockIdx.x / tile_columns * kTileM;
  const int column = blockIdx.x % tile_columns * kTileN;
  for (int i = threadIdx.x; i < kTileM * kTileN / 4; i += kThreads) {
    float4 sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    for (int w = first; w < workgroups && first_step(steps, w, workgroups) < end; ++w) {
      const bool starts = first_step(steps, w, workgroups) <= begin;
      const float4 part = *reinterpret_cast<const float4*>(partial + (2ll * w + (starts ? 1 : 0)) * kTileM * kTileN + i * 4);
      sum.x += part.x, sum.y += part.y, sum.z += part.z, sum.w += part.w;
    }
    const int r = row + i / (kTileN / 4), q = column + i % (kTileN / 4) * 4;
    if (r >= m) return;
    __attribute__((aligned(8))) const __half line[4] = {__half(sum.x), __half(sum.y), __half(sum.z), __half(sum.w)};
    __half* to = c + (long long)r * n + q;
    if (n % 4 == 0 && q < n) {
      *reinterpret_cast<float2*>(to) = *reinterpret_cast<const float2*>(line);
    } else {
      for (int j = 0; j < 4; ++j) {
        if (q + j < n) to[j] = line[j];
      }
    }
  }
}
