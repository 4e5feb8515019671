// Indices of the launch. Reads of .x, .y and .z become the GPU's own instructions.
#pragma once

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
};

#define SP_INDEX(name, X, Y, Z)                                              \
  struct sp_##name {                                                         \
    __declspec(property(get = get_x)) unsigned x;                            \
    __declspec(property(get = get_y)) unsigned y;                            \
    __declspec(property(get = get_z)) unsigned z;                            \
    SP_FN unsigned get_x() const { return X; }                               \
    SP_FN unsigned get_y() const { return Y; }                               \
    SP_FN unsigned get_z() const { return Z; }                               \
    SP_FN operator uint3() const { return {get_x(), get_y(), get_z()}; }     \
    SP_FN operator dim3() const { return {get_x(), get_y(), get_z()}; }      \
  };
SP_INDEX(thread_idx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z())
SP_INDEX(block_idx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z())
SP_INDEX(block_dim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z())
SP_INDEX(grid_dim, __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_grid_size_y() / __builtin_amdgcn_workgroup_size_y(),
         __builtin_amdgcn_grid_size_z() / __builtin_amdgcn_workgroup_size_z())
extern const __device__ __attribute__((weak)) sp_thread_idx threadIdx;
extern const __device__ __attribute__((weak)) sp_block_idx blockIdx;
extern const __device__ __attribute__((weak)) sp_block_dim blockDim;
extern const __device__ __attribute__((weak)) sp_grid_dim gridDim;
static constexpr int warpSize = 64;
#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
static constexpr int sp_wave_lanes = 64;

SP_FN unsigned sp_thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
SP_FN unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
