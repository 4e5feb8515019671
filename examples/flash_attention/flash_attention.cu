// out = softmax(scale * Q * K^T) * V for each head, fp16 in and out, fp32 sums and softmax, online over blocks of 64 keys. Heads of 128
// elements; `heads_per_kv` query heads share one head of keys and values. A workgroup of 256 threads takes 64 queries; thread (ty, tx) of
// 16 x 16 keeps four queries' scores of four keys, and then eight elements of the four results. Grid: x counts query blocks, y query heads
// of one KV head, z KV heads of all sequences. Layouts: [sequence, head, position, element].
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kQueries = 64;
constexpr int kKeys = 64;
constexpr int kHead = 128;
constexpr int kVector = 8;
constexpr int kPitch = kHead + kVector;
constexpr int kPitchP = kKeys + kVector;
constexpr int kQuad = 4;  // queries, and keys, of a thread
constexpr float kLowest = -3.0e38f;

// 64 positions of a head from `first` on; positions behind the end are zero.
__device__ void load_block(const __half* head, int first, int length, __half* block) {
  for (int i = threadIdx.x; i < kKeys * kHead / kVector; i += kThreads) {
    const int position = i / (kHead / kVector), element = i % (kHead / kVector) * kVector;
    float4 raw = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (first + position < length) raw = *reinterpret_cast<const float4*>(head + (long long)(first + position) * kHead + element);
    *reinterpret_cast<float4*>(block + position * kPitch + element) = raw;
  }
}

// Eight elements as fp32.
__device__ void load_vector(const __half* from, float* to) {
  const float4 raw = *reinterpret_cast<const float4*>(from);
  for (int k = 0; k < kVector; ++k) to[k] = (float)reinterpret_cast<const __half*>(&raw)[k];
}

// scores[r][q]: query ty * 4 + r against key tx + 16 * q.
__device__ void multiply_keys(const __half* queries, const __half* keys, int ty, int tx, float (*scores)[kQuad]) {
  for (int r = 0; r < kQuad; ++r) {
    for (int q = 0; q < kQuad; ++q) scores[r][q] = 0.0f;
  }
  for (int element = 0; element < kHead; element += kVector) {
    float left[kQuad][kVector], right[kQuad][kVector];
    for (int r = 0; r < kQuad; ++r) load_vector(queries + (ty * kQuad + r) * kPitch + element, left[r]);
    for (int q = 0; q < kQuad; ++q) load_vector(keys + (tx + 16 * q) * kPitch + element, right[q]);
    for (int r = 0; r < kQuad; ++r) {
      for (int q = 0; q < kQuad; ++q) {
        for (int k = 0; k < kVector; ++k) scores[r][q] += left[r][k] * right[q][k];
      }
    }
  }
}

// The 16 threads of a query are neighbours in one wave.
__device__ float maximum_of_query(float value) {
  for (int distance = 8; distance > 0; distance /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
  return value;
}

__device__ float sum_of_query(float value) {
  for (int distance = 8; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

template <bool Causal>
__global__ __launch_bounds__(256) void flash_attention(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                                                       __half* __restrict__ out, int heads_per_kv, int length, float scale) {
  __shared__ __attribute__((aligned(16))) __half queries[kQueries * kPitch];
  __shared__ __attribute__((aligned(16))) __half block[kKeys * kPitch];  // keys, then values
  __shared__ __attribute__((aligned(16))) __half weights[kQueries * kPitchP];
  const int first = blockIdx.x * kQueries;
  const long long head = (long long)blockIdx.z * heads_per_kv + blockIdx.y;
  q += head * length * kHead;
  out += head * length * kHead;
  k += (long long)blockIdx.z * length * kHead;
  v += (long long)blockIdx.z * length * kHead;
  const int ty = threadIdx.x / 16, tx = threadIdx.x % 16;

  load_block(q, first, length, queries);
  float result[kQuad][kVector] = {};
  float maximum[kQuad], sum[kQuad];
  for (int r = 0; r < kQuad; ++r) {
    maximum[r] = kLowest;
    sum[r] = 0.0f;
  }
  const int end = Causal ? min(length, first + kQueries) : length;
  for (int key = 0; key < end; key += kKeys) {
    load_block(k, key, length, block);
    __syncthreads();
    float scores[kQuad][kQuad];
    multiply_keys(queries, block, ty, tx, scores);
    for (int r = 0; r < kQuad; ++r) {
      float highest = maximum[r];
      for (int c = 0; c < kQuad; ++c) {
        const int column = key + tx + 16 * c;
        const bool masked = column >= length || (Causal && column > first + ty * kQuad + r);
        scores[r][c] = masked ? kLowest : scores[r][c] * scale;
        highest = fmaxf(highest, scores[r][c]);
      }
      highest = maximum_of_query(highest);
      const float shrink = __expf(maximum[r] - highest);
      float added = 0.0f;
      for (int c = 0; c < kQuad; ++c) {
        const float weight = scores[r][c] == kLowest ? 0.0f : __expf(scores[r][c] - highest);
        added += weight;
        weights[(ty * kQuad + r) * kPitchP + tx + 16 * c] = __half(weight);
      }
      sum[r] = sum[r] * shrink + sum_of_query(added);
      maximum[r] = highest;
      for (int e = 0; e < kVector; ++e) result[r][e] *= shrink;
    }
    __syncthreads();
    load_block(v, key, length, block);
    __syncthreads();
    for (int c = 0; c < kKeys; c += kVector) {
      float left[kQuad][kVector];
      for (int r = 0; r < kQuad; ++r) load_vector(weights + (ty * kQuad + r) * kPitchP + c, left[r]);
      for (int i = 0; i < kVector; ++i) {
        float right[kVector];
        load_vector(block + (c + i) * kPitch + tx * kVector, right);
        for (int r = 0; r < kQuad; ++r) {
          for (int e = 0; e < kVector; ++e) result[r][e] += left[r][i] * right[e];
        }
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < kQuad; ++r) {
    const int position = first + ty * kQuad + r;
    if (position >= length) return;
    __attribute__((aligned(16))) __half line[kVector];
    for (int e = 0; e < kVector; ++e) line[e] = __half(result[r][e] / sum[r]);
    *reinterpret_cast<float4*>(out + (long long)position * kHead + tx * kVector) = *reinterpret_cast<const float4*>(line);
  }
}

template __global__ void flash_attention<false>(const __half*, const __half*, const __half*, __half*, int, int, float);
template __global__ void flash_attention<true>(const __half*, const __half*, const __half*, __half*, int, int, float);
