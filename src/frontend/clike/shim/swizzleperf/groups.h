// Cooperative groups up to a workgroup. Shared by the CPU and the device headers.
#pragma once

namespace cooperative_groups {

SP_FN dim3 sp_dim3(const uint3& v) { return dim3(v.x, v.y, v.z); }

// The whole workgroup.
struct thread_block {
  SP_FN void sync() const { __syncthreads(); }
  SP_FN unsigned thread_rank() const { return sp_thread_rank(); }
  SP_FN unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  SP_FN unsigned num_threads() const { return size(); }
  SP_FN uint3 thread_index() const { return threadIdx; }
  SP_FN uint3 group_index() const { return blockIdx; }
  SP_FN dim3 group_dim() const { return sp_dim3(blockDim); }
  SP_FN dim3 dim_threads() const { return sp_dim3(blockDim); }
};
SP_FN thread_block this_thread_block() { return {}; }
typedef thread_block thread_group;

// Lanes of a wave: those of `mask`, which the calling thread is one of.
struct sp_lane_group {
  unsigned long long mask = 0;
  unsigned rank = 0;
  unsigned count = 0;

  SP_FN void sync() const { sp_wave_sync(mask); }
  SP_FN unsigned thread_rank() const { return rank; }
  SP_FN unsigned size() const { return count; }
  SP_FN unsigned num_threads() const { return count; }
  template <class T> SP_FN T shfl(T v, int from) const { return at(v, (unsigned)from % count); }
  template <class T> SP_FN T shfl_up(T v, unsigned d) const { return at(v, rank < d ? rank : rank - d); }
  template <class T> SP_FN T shfl_down(T v, unsigned d) const { return at(v, rank + d >= count ? rank : rank + d); }
  template <class T> SP_FN T shfl_xor(T v, unsigned x) const { return at(v, (rank ^ x) >= count ? rank : rank ^ x); }
  SP_FN unsigned long long ballot(int p) const { return packed(sp_ballot(p != 0, mask)); }
  SP_FN int any(int p) const { return sp_ballot(p != 0, mask) != 0; }
  SP_FN int all(int p) const { return sp_ballot(p == 0, mask) == 0; }
  template <class T> SP_FN unsigned long long match_any(T v) const { return packed(sp_match(v, mask)); }

 private:
  // Which lane of the wave has this rank.
  SP_FN int lane_of(unsigned wanted) const {
    unsigned long long left = mask;
    for (unsigned i = 0; i < wanted; ++i) left &= left - 1;
    return __builtin_ctzll(left);
  }
  template <class T> SP_FN T at(T v, unsigned from) const {
    return sp_shuffle(SP_SHFL, v, lane_of(from), 0, mask);
  }
  // Bits of lanes as bits of ranks.
  SP_FN unsigned long long packed(unsigned long long lanes) const {
    unsigned long long result = 0;
    unsigned i = 0;
    for (unsigned long long left = mask; left != 0; left &= left - 1, ++i)
      if ((lanes & left & -left) != 0) result |= 1ull << i;
    return result;
  }
};

template <unsigned Size, class Parent = void> struct thread_block_tile : sp_lane_group {
  static_assert(Size <= 64 && (Size & (Size - 1)) == 0, "a tile has a power of two of threads, at most a wave");
  SP_FN static constexpr unsigned size() { return Size; }
  SP_FN static constexpr unsigned num_threads() { return Size; }
  SP_FN unsigned meta_group_rank() const { return sp_thread_rank() / Size; }
  SP_FN unsigned meta_group_size() const { return (blockDim.x * blockDim.y * blockDim.z + Size - 1) / Size; }
};
template <unsigned Size> SP_FN thread_block_tile<Size> sp_tile() {
  if (Size > (unsigned)warpSize) sp_unsupported("a tile of threads larger than the wave");
  const unsigned lane = __lane_id();
  thread_block_tile<Size> tile;
  tile.mask = (Size >= 64 ? ~0ull : (1ull << (Size % 64)) - 1) << (lane / Size * Size);
  tile.rank = lane % Size;
  tile.count = Size;
  return tile;
}
template <unsigned Size> SP_FN thread_block_tile<Size> tiled_partition(const thread_block&) { return sp_tile<Size>(); }
template <unsigned Size, unsigned Outer, class P> SP_FN thread_block_tile<Size> tiled_partition(const thread_block_tile<Outer, P>&) { return sp_tile<Size>(); }

struct coalesced_group : sp_lane_group {};
SP_FN coalesced_group sp_group_of(unsigned long long lanes) {
  coalesced_group group;
  group.mask = lanes;
  group.count = (unsigned)__popcll(lanes);
  group.rank = (unsigned)__popcll(lanes & ((1ull << __lane_id()) - 1));
  return group;
}
SP_FN coalesced_group coalesced_threads() { return sp_group_of(__activemask()); }
template <class G> SP_FN coalesced_group binary_partition(const G& group, bool p) {
  const unsigned long long yes = sp_ballot(p, group.mask);
  return sp_group_of(p ? yes : group.mask & ~yes);
}

// The whole grid: its barrier makes every workgroup wait for all, which an order of workgroups cannot serve.
struct grid_group {
  SP_FN void sync() const { sp_unsupported("a barrier of the whole grid"); }
  SP_FN unsigned long long thread_rank() const {
    return (blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z)) *
               (blockDim.x * blockDim.y * blockDim.z) + sp_thread_rank();
  }
  SP_FN unsigned long long size() const {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * (blockDim.x * blockDim.y * blockDim.z);
  }
  SP_FN bool is_valid() const { return true; }
};
SP_FN grid_group this_grid() { return {}; }

template <class G> SP_FN void sync(const G& group) { group.sync(); }

template <class T> struct plus { SP_FN T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { SP_FN T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { SP_FN T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { SP_FN T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { SP_FN T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { SP_FN T operator()(T a, T b) const { return a ^ b; } };
template <class G, class T, class F> SP_FN T reduce(const G& group, T v, F f) {
  T result = group.shfl(v, 0);
  for (unsigned i = 1; i < group.num_threads(); ++i) result = f(result, group.shfl(v, (int)i));
  return result;
}
template <class G, class T, class F> SP_FN T inclusive_scan(const G& group, T v, F f) {
  T result = v;
  for (unsigned d = 1; d < group.num_threads(); d *= 2) {
    const T other = group.shfl_up(result, d);
    if (group.thread_rank() >= d) result = f(other, result);
  }
  return result;
}
template <class G, class T> SP_FN T inclusive_scan(const G& group, T v) { return inclusive_scan(group, v, plus<T>()); }
template <class G, class T> SP_FN T exclusive_scan(const G& group, T v) {
  const T sum = group.shfl_up(inclusive_scan(group, v), 1);
  return group.thread_rank() == 0 ? T(0) : sum;
}

// The group copies together, 16 bytes a thread at a time where the size allows.
template <class G> SP_FN void memcpy_async(const G& group, void* to, const void* from, size_t bytes) {
  const size_t piece = bytes % 16 == 0 && (size_t)to % 16 == 0 && (size_t)from % 16 == 0 ? 16 : bytes % 4 == 0 ? 4 : 1;
  for (size_t at = group.thread_rank() * piece; at < bytes; at += group.num_threads() * piece) {
    if (piece == 16) {
      __pipeline_memcpy_async((char*)to + at, (const char*)from + at, 16);
    } else if (piece == 4) {
      __pipeline_memcpy_async((char*)to + at, (const char*)from + at, 4);
    } else {
      ((char*)to)[at] = ((const char*)from)[at];
    }
  }
}
template <class G> SP_FN void wait(const G& group) { group.sync(); }
template <int Stages, class G> SP_FN void wait_prior(const G& group) { group.sync(); }

}  // namespace cooperative_groups
