// C = A * B in inline assembly: copies in the background into two stages, matrices loaded from shared memory, tensor cores. A warp
// computes a tile of 16 x 8.
#include <cuda_fp16.h>

#include <cstdint>

constexpr int kStages = 2;

__device__ __forceinline__ uint32_t shared_address(const void* p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ __forceinline__ void copy_16(uint32_t to, const void* from, bool inside) {
  asm volatile(
      "{\n"
      "  .reg .pred p;\n"
      "  setp.ne.b32 p, %0, 0;\n"
      "  @p cp.async.cg.shared.global [%1], [%2], 16;\n"
      "}\n" ::"r"((int)inside),
      "r"(to), "l"(from));
}

template <int N>
__device__ __forceinline__ void wait() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}

__global__ void gemm(const half* a, const half* b, float* c, int M, int N, int K) {
  __shared__ __align__(16) half left[kStages][16 * 16];
  __shared__ __align__(16) half right[kStages][16 * 8];
  const int row = blockIdx.y * 16, column = blockIdx.x * 8;
  const int lane = threadIdx.x;
  uint32_t id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  auto load = [&](int stage, int k) {
    copy_16(shared_address(&left[stage][lane * 8]), a + (row + lane / 2) * K + k + lane % 2 * 8, k < K);
    copy_16(shared_address(&right[stage][lane % 16 * 8]), b + (k + lane % 16) * N + column, k < K && id < 16);
    asm volatile("cp.async.commit_group;");
  };
  float sums[4] = {};
  load(0, 0);
  for (int k = 0; k < K; k += 16) {
    const int stage = k / 16 % kStages;
    load(stage ^ 1, k + 16);
    wait<1>();
    __syncwarp();
    uint32_t fa[4], fb[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"(shared_address(&left[stage][lane % 16 * 16 + lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2 + 0];"
                 : "=r"(fb[0]), "=r"(fb[1])
                 : "r"(shared_address(&right[stage][lane % 16 * 8])));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
        : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    __syncwarp();
  }
  for (int half_tile = 0; half_tile < 2; ++half_tile) {
    float* to = c + (row + lane / 4 + half_tile * 8) * N + column + lane % 4 * 2;
    asm volatile("st.global.v2.f32 [%0], {%1, %2};" ::"l"(to), "f"(sums[half_tile * 2]), "f"(sums[half_tile * 2 + 1]) : "memory");
  }
}
