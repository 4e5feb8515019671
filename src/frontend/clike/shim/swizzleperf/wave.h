// Synchronisation and wave operations.
#pragma once

enum { SP_SHFL, SP_SHFL_UP, SP_SHFL_DOWN, SP_SHFL_XOR, SP_BALLOT, SP_SYNC, SP_GATHER };

SP_FN void __syncthreads() { sp_barrier(0); }
SP_FN int __syncthreads_count(int p) { return (int)(unsigned)sp_barrier(p != 0); }
SP_FN int __syncthreads_or(int p) { return (unsigned)sp_barrier(p != 0) != 0; }
SP_FN int __syncthreads_and(int p) { return (unsigned)sp_barrier(p == 0) == 0; }
SP_FN void __builtin_amdgcn_s_barrier() { sp_barrier(0); }
SP_FN void __threadfence() {}
SP_FN void __threadfence_block() {}
SP_FN void __threadfence_system() {}
SP_FN void __nanosleep(unsigned) {}
SP_FN void __builtin_amdgcn_s_sleep(int) {}
SP_FN void __builtin_amdgcn_s_waitcnt(int) {}
SP_FN void __builtin_amdgcn_s_setprio(int) {}
SP_FN void __builtin_amdgcn_sched_barrier(int) {}
SP_FN void __builtin_amdgcn_sched_group_barrier(int, int, int) {}
SP_FN void __builtin_amdgcn_iglp_opt(int) {}
SP_FN void __builtin_amdgcn_fence(unsigned, const char*, ...) {}
[[noreturn]] SP_FN void __trap() { sp_trap(); }
SP_FN long long clock64() { return sp_clock(); }
SP_FN long long wall_clock64() { return sp_clock(); }
SP_FN long long __clock64() { return sp_clock(); }
#define clock() ((long)sp_clock())

// The mask of a `_sync` operation as lanes of the wave. Code for warps of 32 means its own half of a wave of 64.
SP_FN unsigned long long sp_lanes(unsigned m) {
  return m == ~0u ? ~0ull : sp_wave_lanes == 64 && __lane_id() >= 32 ? (unsigned long long)m << 32 : m;
}
SP_FN unsigned long long sp_lanes(int m) { return sp_lanes((unsigned)m); }
SP_FN unsigned long long sp_lanes(unsigned long long m) { return sp_wave_lanes == 32 ? sp_lanes((unsigned)m) : m; }
SP_FN unsigned long long sp_lanes(long long m) { return sp_lanes((unsigned long long)m); }
SP_FN unsigned long long sp_lanes(unsigned long m) { return sp_lanes((unsigned long long)m); }
SP_FN unsigned long long sp_lanes(long m) { return sp_lanes((unsigned long long)m); }

SP_FN void __syncwarp() { sp_wave_op(SP_SYNC, 0, 0, 0, ~0ull); }
template <class M> SP_FN void __syncwarp(M mask) { sp_wave_op(SP_SYNC, 0, 0, 0, sp_lanes(mask)); }
SP_FN void __builtin_amdgcn_wave_barrier() { sp_wave_op(SP_SYNC, 0, 0, 0, 0); }

template <class T> SP_FN unsigned long long sp_bits(T value) {
  static_assert(sizeof(T) <= 8, "a wave operation on a type larger than 8 bytes");
  unsigned long long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <class T> SP_FN T sp_from_bits(unsigned long long bits) {
  T result;
  __builtin_memcpy((void*)&result, &bits, sizeof(T));
  return result;
}
template <class T> SP_FN T sp_shuffle(int kind, T value, int argument, int width, unsigned long long mask) {
  return sp_from_bits<T>(sp_wave_op(kind, sp_bits(value), argument, width, mask));
}
template <class T> SP_FN T __shfl(T v, int lane, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL, v, lane, width, 0); }
template <class T> SP_FN T __shfl_up(T v, unsigned d, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_UP, v, (int)d, width, 0); }
template <class T> SP_FN T __shfl_down(T v, unsigned d, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_DOWN, v, (int)d, width, 0); }
template <class T> SP_FN T __shfl_xor(T v, int mask, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_XOR, v, mask, width, 0); }
template <class M, class T> SP_FN T __shfl_sync(M m, T v, int lane, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL, v, lane, width, sp_lanes(m)); }
template <class M, class T> SP_FN T __shfl_up_sync(M m, T v, unsigned d, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_UP, v, (int)d, width, sp_lanes(m)); }
template <class M, class T> SP_FN T __shfl_down_sync(M m, T v, unsigned d, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_DOWN, v, (int)d, width, sp_lanes(m)); }
template <class M, class T> SP_FN T __shfl_xor_sync(M m, T v, int x, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_XOR, v, x, width, sp_lanes(m)); }

SP_FN unsigned long long __ballot(int p) { return sp_wave_op(SP_BALLOT, p != 0, 0, 0, 0); }
template <class M> SP_FN unsigned long long __ballot_sync(M m, int p) { return sp_wave_op(SP_BALLOT, p != 0, 0, 0, sp_lanes(m)); }
SP_FN unsigned long long __activemask() { return __ballot(1); }
SP_FN int __any(int p) { return __ballot(p) != 0; }
SP_FN int __all(int p) { return __ballot(!p) == 0; }
template <class M> SP_FN int __any_sync(M m, int p) { return __ballot_sync(m, p) != 0; }
template <class M> SP_FN int __all_sync(M m, int p) { return __ballot_sync(m, !p) == 0; }
SP_FN unsigned long long __builtin_amdgcn_read_exec() { return __ballot(1); }

// Every lane gets the table of all lanes' values; its 65th entry tells which lanes take part. The functions that read it
// do so at once: the next operation of the wave overwrites it.
SP_FN const unsigned long long* sp_gather(unsigned long long bits, unsigned long long mask) {
  return (const unsigned long long*)sp_wave_op(SP_GATHER, bits, 0, 0, mask);
}
SP_QUIET inline unsigned long long sp_lanes_with(const unsigned long long* table, unsigned long long bits) {
  unsigned long long lanes = 0;
  for (int i = 0; i < 64; ++i)
    if ((table[64] >> i & 1) != 0 && table[i] == bits) lanes |= 1ull << i;
  return lanes;
}
SP_QUIET inline unsigned long long sp_first_value(const unsigned long long* table) { return table[__builtin_ctzll(table[64])]; }
template <class T, class F> SP_QUIET T sp_fold(const unsigned long long* table, F f) {
  int first = __builtin_ctzll(table[64]);
  T result;
  __builtin_memcpy(&result, &table[first], sizeof(T));
  for (int i = first + 1; i < 64; ++i) {
    if ((table[64] >> i & 1) == 0) continue;
    T other;
    __builtin_memcpy(&other, &table[i], sizeof(T));
    result = f(result, other);
  }
  return result;
}
template <class M, class T> SP_FN unsigned long long __match_any_sync(M m, T v) {
  const unsigned long long bits = sp_bits(v);
  return sp_lanes_with(sp_gather(bits, sp_lanes(m)), bits);
}
template <class M, class T> SP_FN unsigned long long __match_all_sync(M m, T v, int* all) {
  const unsigned long long bits = sp_bits(v), lanes = sp_lanes(m);
  const unsigned long long equal = sp_lanes_with(sp_gather(bits, lanes), bits);
  *all = (__ballot_sync(m, equal == 0) == 0) && equal == __ballot_sync(m, 1);
  return *all ? equal : 0;
}
#define SP_REDUCE(name, expression)                                                          \
  template <class M, class T> SP_FN T __reduce_##name##_sync(M m, T v) {                     \
    return sp_fold<T>(sp_gather(sp_bits(v), sp_lanes(m)), [](T a, T b) -> T { return expression; }); }
SP_REDUCE(add, a + b)
SP_REDUCE(min, b < a ? b : a)
SP_REDUCE(max, a < b ? b : a)
SP_REDUCE(and, a& b)
SP_REDUCE(or, a | b)
SP_REDUCE(xor, a ^ b)
#undef SP_REDUCE

SP_FN int __builtin_amdgcn_readfirstlane(int v) { return (int)sp_first_value(sp_gather(sp_bits(v), 0)); }
SP_FN int __builtin_amdgcn_readlane(int v, int lane) { return __shfl(v, lane); }
SP_FN int __builtin_amdgcn_ds_bpermute(int address, int v) { return __shfl(v, (address >> 2) & (sp_wave_lanes - 1)); }
SP_FN unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned base) {
  const unsigned lane = __lane_id();
  return base + (unsigned)__builtin_popcount(lane >= 32 ? mask : mask & ((1u << lane) - 1u));
}
SP_FN unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask, unsigned base) {
  const unsigned lane = __lane_id();
  return base + (lane <= 32 ? 0u : (unsigned)__builtin_popcount(mask & ((1u << (lane - 32)) - 1u)));
}
