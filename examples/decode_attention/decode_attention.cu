// Attention of one new token a sequence over its cache of keys and values, split along the cache so that few sequences fill the GPU. fp16 in,
// fp32 sums; heads of 128 elements; `heads_per_kv` query heads share one KV head. Layouts: q [sequence, head, element], k and v
// [sequence, KV head, position, element].
// decode_attention: a workgroup of 256 threads takes one query head and 512 positions. Sixteen lanes read one position as sixteen
// 16-byte vectors. It writes softmax(q * K^T) * V of its positions, the largest score and the sum of the weights. Grid: x counts heads,
// y sequences, z splits.
// combine_splits: weighs the splits of a head together. Grid: x counts heads, y sequences.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kWave = 32;
constexpr int kHead = 128;
constexpr int kVector = 8;
constexpr int kLanes = kHead / kVector;      // on one position
constexpr int kGroups = kThreads / kLanes;   // positions at a time
constexpr int kSplit = 512;
constexpr float kLowest = -3.0e38f;

__device__ void load_vector(const __half* from, float* to) {
  const float4 raw = *reinterpret_cast<const float4*>(from);
  for (int k = 0; k < kVector; ++k) to[k] = (float)reinterpret_cast<const __half*>(&raw)[k];
}

__device__ float maximum_of_workgroup(float value, float* scratch) {
  for (int distance = kWave / 2; distance > 0; distance /= 2) value = fmaxf(value, __shfl_xor_sync(0xffffffffu, value, distance));
  if (threadIdx.x % kWave == 0) scratch[threadIdx.x / kWave] = value;
  __syncthreads();
  for (int wave = 0; wave < kThreads / kWave; ++wave) value = fmaxf(value, scratch[wave]);
  return value;
}

__device__ float sum_of_workgroup(float value, float* scratch) {
  for (int distance = kWave / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  if (threadIdx.x % kWave == 0) scratch[threadIdx.x / kWave] = value;
  __syncthreads();
  float sum = 0.0f;
  for (int wave = 0; wave < kThreads / kWave; ++wave) sum += scratch[wave];
  return sum;
}

__global__ __launch_bounds__(256) void decode_attention(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
                                                        float* __restrict__ partial, float* __restrict__ maxima, float* __restrict__ sums, int heads_per_kv,
                                                        int length, float scale) {
  __shared__ float scores[kSplit];
  __shared__ float scratch[2][kThreads / kWave];
  __shared__ float results[kGroups][kHead];
  const int heads = gridDim.x;
  const long long head = (long long)blockIdx.y * heads + blockIdx.x;
  const long long kv_head = (long long)blockIdx.y * (heads / heads_per_kv) + blockIdx.x / heads_per_kv;
  const int first = blockIdx.z * kSplit;
  const int count = min(kSplit, length - first);
  const int group = threadIdx.x / kLanes, element = threadIdx.x % kLanes * kVector;
  k += (kv_head * length + first) * kHead + element;
  v += (kv_head * length + first) * kHead + element;

  float query[kVector];
  load_vector(q + head * kHead + element, query);
  for (int position = group; position < kSplit; position += kGroups) {
    float score = 0.0f;
    if (position < count) {
      float key[kVector];
      load_vector(k + (long long)position * kHead, key);
      for (int i = 0; i < kVector; ++i) score += query[i] * key[i];
    }
    for (int distance = kLanes / 2; distance > 0; distance /= 2) score += __shfl_xor_sync(0xffffffffu, score, distance);
    if (element == 0) scores[position] = position < count ? score * scale : kLowest;
  }
  __syncthreads();

  float maximum = kLowest;
  for (int i = threadIdx.x; i < count; i += kThreads) maximum = fmaxf(maximum, scores[i]);
  maximum = maximum_of_workgroup(maximum, scratch[0]);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < count; i += kThreads) {
    scores[i] = __expf(scores[i] - maximum);
    sum += scores[i];
  }
  sum = sum_of_workgroup(sum, scratch[1]);

  float result[kVector] = {};
  for (int position = group; position < count; position += kGroups) {
    float value[kVector];
    load_vector(v + (long long)position * kHead, value);
    for (int i = 0; i < kVector; ++i) result[i] += scores[position] * value[i];
  }
  for (int i = 0; i < kVector; ++i) results[group][element + i] = result[i];
  __syncthreads();
  const long long split = head * gridDim.z + blockIdx.z;
  if (threadIdx.x < kHead) {
    float total = 0.0f;
    for (int g = 0; g < kGroups; ++g) total += results[g][threadIdx.x];
    partial[split * kHead + threadIdx.x] = total / sum;
  }
  if (threadIdx.x == 0) {
    maxima[split] = maximum;
    sums[split] = sum;
  }
}

__global__ __launch_bounds__(128) void combine_splits(const float* __restrict__ partial, const float* __restrict__ maxima, const float* __restrict__ sums,
                                                      __half* __restrict__ out, int splits) {
  const long long head = (long long)blockIdx.y * gridDim.x + blockIdx.x;
  float maximum = kLowest;
  for (int s = 0; s < splits; ++s) maximum = fmaxf(maximum, maxima[head * splits + s]);
  float total = 0.0f, result = 0.0f;
  for (int s = 0; s < splits; ++s) {
    const float weight = sums[head * splits + s] * __expf(maxima[head * splits + s] - maximum);
    total += weight;
    result += weight * partial[(head * splits + s) * kHead + threadIdx.x];
  }
  out[head * kHead + threadIdx.x] = __half(result / total);
}
