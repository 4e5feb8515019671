// Wave operations of HIP and CUDA. Shared by the CPU and the device headers.
#pragma once

// The mask of a `_sync` operation as lanes of the wave.
SP_FN unsigned long long sp_lanes(unsigned m) { return m == ~0u ? ~0ull : m; }
SP_FN unsigned long long sp_lanes(int m) { return sp_lanes((unsigned)m); }
SP_FN unsigned long long sp_lanes(unsigned long long m) { return sp_wave_lanes == 32 ? sp_lanes((unsigned)m) : m; }
SP_FN unsigned long long sp_lanes(long long m) { return sp_lanes((unsigned long long)m); }
SP_FN unsigned long long sp_lanes(unsigned long m) { return sp_lanes((unsigned long long)m); }
SP_FN unsigned long long sp_lanes(long m) { return sp_lanes((unsigned long long)m); }

SP_FN void __syncwarp() { sp_wave_sync(~0ull); }
template <class M> SP_FN void __syncwarp(M mask) { sp_wave_sync(sp_lanes(mask)); }

template <class T> SP_FN T __shfl(T v, int lane, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL, v, lane, width, 0); }
template <class T> SP_FN T __shfl_up(T v, unsigned d, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_UP, v, (int)d, width, 0); }
template <class T> SP_FN T __shfl_down(T v, unsigned d, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_DOWN, v, (int)d, width, 0); }
template <class T> SP_FN T __shfl_xor(T v, int mask, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_XOR, v, mask, width, 0); }
template <class M, class T> SP_FN T __shfl_sync(M m, T v, int lane, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL, v, lane, width, sp_lanes(m)); }
template <class M, class T> SP_FN T __shfl_up_sync(M m, T v, unsigned d, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_UP, v, (int)d, width, sp_lanes(m)); }
template <class M, class T> SP_FN T __shfl_down_sync(M m, T v, unsigned d, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_DOWN, v, (int)d, width, sp_lanes(m)); }
template <class M, class T> SP_FN T __shfl_xor_sync(M m, T v, int x, int width = sp_wave_lanes) { return sp_shuffle(SP_SHFL_XOR, v, x, width, sp_lanes(m)); }

SP_FN unsigned long long __ballot(int p) { return sp_ballot(p != 0, 0); }
template <class M> SP_FN unsigned long long __ballot_sync(M m, int p) { return sp_ballot(p != 0, sp_lanes(m)); }
SP_FN unsigned long long __activemask() { return sp_ballot(true, 0); }
SP_FN int __any(int p) { return sp_ballot(p != 0, 0) != 0; }
SP_FN int __all(int p) { return sp_ballot(p == 0, 0) == 0; }
template <class M> SP_FN int __any_sync(M m, int p) { return sp_ballot(p != 0, sp_lanes(m)) != 0; }
template <class M> SP_FN int __all_sync(M m, int p) { return sp_ballot(p == 0, sp_lanes(m)) == 0; }
template <class M, class T> SP_FN unsigned long long __match_any_sync(M m, T v) { return sp_match(v, sp_lanes(m)); }
template <class M, class T> SP_FN unsigned long long __match_all_sync(M m, T v, int* all) {
  const unsigned long long lanes = sp_lanes(m);
  const unsigned long long equal = sp_match(v, lanes);
  *all = equal == sp_ballot(true, lanes);
  return *all ? equal : 0;
}
#define SP_REDUCE(name, expression) \
  template <class M, class T> SP_FN T __reduce_##name##_sync(M m, T v) { \
    return sp_reduce(v, sp_lanes(m), [](T a, T b) -> T { return expression; }); }
SP_REDUCE(add, a + b)
SP_REDUCE(min, b < a ? b : a)
SP_REDUCE(max, a < b ? b : a)
SP_REDUCE(and, a & b)
SP_REDUCE(or, a | b)
SP_REDUCE(xor, a ^ b)
#undef SP_REDUCE
