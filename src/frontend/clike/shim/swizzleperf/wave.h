// Synchronisation, and the operations of a wave that all others are made of.
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

// What a wave does together; `lanes` must take part, or with 0 those that come.
SP_FN void sp_wave_sync(unsigned long long lanes) { sp_wave_op(SP_SYNC, 0, 0, 0, lanes); }
SP_FN unsigned long long sp_ballot(bool p, unsigned long long lanes) { return sp_wave_op(SP_BALLOT, p, 0, 0, lanes); }
template <class T> SP_FN T sp_shuffle(int kind, T value, int argument, int width, unsigned long long lanes) {
  return sp_from_bits<T>(sp_wave_op(kind, sp_bits(value), argument, width, lanes));
}
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
template <class T> SP_FN unsigned long long sp_match(T v, unsigned long long lanes) {
  const unsigned long long bits = sp_bits(v);
  return sp_lanes_with(sp_gather(bits, lanes), bits);
}
template <class T, class F> SP_FN T sp_reduce(T v, unsigned long long lanes, F f) {
  return sp_fold<T>(sp_gather(sp_bits(v), lanes), f);
}
SP_FN void __builtin_amdgcn_wave_barrier() { sp_wave_sync(0); }
SP_FN unsigned long long __builtin_amdgcn_read_exec() { return sp_ballot(true, 0); }
SP_FN int __builtin_amdgcn_readfirstlane(int v) { return (int)sp_first_value(sp_gather(sp_bits(v), 0)); }
SP_FN int __builtin_amdgcn_readlane(int v, int lane) { return sp_shuffle(SP_SHFL, v, lane, 0, 0); }
SP_FN int __builtin_amdgcn_ds_bpermute(int address, int v) { return sp_shuffle(SP_SHFL, v, (address >> 2) & (sp_wave_lanes - 1), 0, 0); }
// The lane that a data-parallel primitive reads from (AMD's ISA, "DPP controls"), or -1 where there is none.
SP_QUIET inline int sp_dpp_source(int control, int lane) {
  const int row = lane / 16 * 16, in_row = lane % 16, distance = control & 15;
  const auto inside = [&](int at) { return at >= 0 && at < 16 ? row + at : -1; };
  if (control <= 0xff) return lane / 4 * 4 + (control >> lane % 4 * 2 & 3);  // quad_perm
  if (control > 0x100 && control <= 0x10f) return inside(in_row + distance);  // row_shl
  if (control > 0x110 && control <= 0x11f) return inside(in_row - distance);  // row_shr
  if (control > 0x120 && control <= 0x12f) return row + (in_row + 16 - distance) % 16;  // row_ror
  if (control == 0x130) return lane + 1 < sp_wave_lanes ? lane + 1 : -1;
  if (control == 0x134) return (lane + 1) % sp_wave_lanes;
  if (control == 0x138) return lane - 1;
  if (control == 0x13c) return (lane + sp_wave_lanes - 1) % sp_wave_lanes;
  if (control == 0x140) return row + 15 - in_row;
  if (control == 0x141) return row + in_row / 8 * 8 + 7 - in_row % 8;
  if (control == 0x142) return row - 1;  // the last lane of the row before
  if (control == 0x143) return lane >= 32 ? 31 : -1;
  sp_unsupported("a DPP control of __builtin_amdgcn_update_dpp");
}
SP_QUIET inline int sp_dpp(const unsigned long long* table, int old, int control, int row_mask, int bank_mask, bool zero) {
  const int lane = (int)__lane_id(), source = sp_dpp_source(control, lane);
  if ((row_mask >> lane / 16 & 1) == 0 || (bank_mask >> lane / 4 % 4 & 1) == 0) return old;
  if (source < 0 || (table[64] >> source & 1) == 0) return zero ? 0 : old;
  return (int)table[source];
}
SP_FN int __builtin_amdgcn_update_dpp(int old, int v, int control, int row_mask, int bank_mask, bool zero) {
  return sp_dpp(sp_gather(sp_bits(v), 0), old, control, row_mask, bank_mask, zero);
}
SP_FN int __builtin_amdgcn_mov_dpp(int v, int control, int row_mask, int bank_mask, bool zero) {
  return __builtin_amdgcn_update_dpp(0, v, control, row_mask, bank_mask, zero);
}
// Four lanes permuted, or among 32 lanes: and, or, xor of the lane id.
SP_FN int __builtin_amdgcn_ds_swizzle(int v, int pattern) {
  const int lane = (int)__lane_id();
  const int source = (pattern & 0x8000) != 0 ? lane / 4 * 4 + (pattern >> lane % 4 * 2 & 3)
                                             : lane / 32 * 32 + ((((lane % 32) & pattern) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31));
  return sp_shuffle(SP_SHFL, v, source, 0, 0);
}
SP_FN unsigned __builtin_amdgcn_mbcnt_lo(unsigned mask, unsigned base) {
  const unsigned lane = __lane_id();
  return base + (unsigned)__builtin_popcount(lane >= 32 ? mask : mask & ((1u << lane) - 1u));
}
SP_FN unsigned __builtin_amdgcn_mbcnt_hi(unsigned mask, unsigned base) {
  const unsigned lane = __lane_id();
  return base + (lane <= 32 ? 0u : (unsigned)__builtin_popcount(mask & ((1u << (lane - 32)) - 1u)));
}
