// Indices of the launch.
#pragma once

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

extern "C" {
extern const uint3 sp_thread_idx, sp_block_idx, sp_block_dim, sp_grid_dim;
}

#define threadIdx sp_thread_idx
#define blockDim sp_block_dim
#define warpSize sp_wave_lanes
// Objects, not macros: a kernel may declare a blockIdx of its own.
static const uint3& blockIdx = sp_block_idx;
static const uint3& gridDim = sp_grid_dim;
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

SP_FN unsigned __builtin_amdgcn_workitem_id_x() { return sp_thread_idx.x; }
SP_FN unsigned __builtin_amdgcn_workitem_id_y() { return sp_thread_idx.y; }
SP_FN unsigned __builtin_amdgcn_workitem_id_z() { return sp_thread_idx.z; }
SP_FN unsigned __builtin_amdgcn_workgroup_id_x() { return sp_block_idx.x; }
SP_FN unsigned __builtin_amdgcn_workgroup_id_y() { return sp_block_idx.y; }
SP_FN unsigned __builtin_amdgcn_workgroup_id_z() { return sp_block_idx.z; }
SP_FN unsigned __builtin_amdgcn_workgroup_size_x() { return sp_block_dim.x; }
SP_FN unsigned __builtin_amdgcn_workgroup_size_y() { return sp_block_dim.y; }
SP_FN unsigned __builtin_amdgcn_workgroup_size_z() { return sp_block_dim.z; }
SP_FN unsigned __builtin_amdgcn_grid_size_x() { return sp_grid_dim.x * sp_block_dim.x; }
SP_FN unsigned __builtin_amdgcn_grid_size_y() { return sp_grid_dim.y * sp_block_dim.y; }
SP_FN unsigned __builtin_amdgcn_grid_size_z() { return sp_grid_dim.z * sp_block_dim.z; }
SP_FN unsigned __builtin_amdgcn_wavefrontsize() { return (unsigned)sp_wave_lanes; }

SP_FN unsigned sp_thread_rank() {
  return sp_thread_idx.x + sp_block_dim.x * (sp_thread_idx.y + sp_block_dim.y * sp_thread_idx.z);
}
SP_FN unsigned __lane_id() { return sp_thread_rank() % (unsigned)sp_wave_lanes; }
