// Synchronisation, and the operations of a wave that all others are made of.
#pragma once

enum { SP_SHFL, SP_SHFL_UP, SP_SHFL_DOWN, SP_SHFL_XOR };

SP_FN void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
SP_FN void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
SP_FN void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
SP_FN void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }
SP_FN void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(1); }
[[noreturn]] SP_FN void __trap() { __builtin_trap(); }
SP_FN long long clock64() { return (long long)__builtin_readcyclecounter(); }
SP_FN long long wall_clock64() { return (long long)__builtin_readcyclecounter(); }

SP_FN void sp_wave_sync(unsigned long long) { __builtin_amdgcn_wave_barrier(); }
SP_FN unsigned long long sp_ballot(bool p, unsigned long long) { return __builtin_amdgcn_ballot_w64(p); }
template <class T> SP_FN T sp_shuffle(int kind, T value, int argument, int width, unsigned long long) {
  const int lane = (int)__lane_id(), w = width > 0 ? width : sp_wave_lanes, base = lane & ~(w - 1), own = lane & (w - 1);
  int source = kind == SP_SHFL ? argument & (w - 1) : kind == SP_SHFL_UP ? own - argument : kind == SP_SHFL_DOWN ? own + argument : own ^ argument;
  if (source < 0 || source >= w) source = own;
  int words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (int& word : words) word = __builtin_amdgcn_ds_bpermute((base + source) << 2, word);
  T result;
  __builtin_memcpy((void*)&result, words, sizeof(T));
  return result;
}
template <class T> SP_FN unsigned long long sp_match(T v, unsigned long long) {
  unsigned long long lanes = 0;
  for (int i = 0; i < sp_wave_lanes; ++i)
    if (sp_bits(sp_shuffle(SP_SHFL, v, i, 0, 0)) == sp_bits(v)) lanes |= 1ull << i;
  return lanes;
}
template <class T, class F> SP_FN T sp_reduce(T v, unsigned long long, F f) {
  for (int x = 1; x < sp_wave_lanes; x *= 2) v = f(v, sp_shuffle(SP_SHFL_XOR, v, x, 0, 0));
  return v;
}

// Counts over the workgroup by way of shared memory.
SP_FN int __syncthreads_count(int p) {
  __shared__ int sp_count;
  if (sp_thread_rank() == 0) sp_count = 0;
  __syncthreads();
  if (p != 0) __hip_atomic_fetch_add(&sp_count, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __syncthreads();
  return sp_count;
}
SP_FN int __syncthreads_or(int p) { return __syncthreads_count(p) != 0; }
SP_FN int __syncthreads_and(int p) { return __syncthreads_count(p == 0) == 0; }
