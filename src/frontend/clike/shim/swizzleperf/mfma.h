// AMD's matrix instructions on M x M tiles: every lane of a wave of 64 holds part of A, B and C.
#pragma once

typedef _Float16 sp_f16x4 __attribute__((ext_vector_type(4)));
typedef _Float16 sp_f16x8 __attribute__((ext_vector_type(8)));
typedef short sp_i16x4 __attribute__((ext_vector_type(4)));
typedef short sp_i16x8 __attribute__((ext_vector_type(8)));
typedef float sp_f32x4 __attribute__((ext_vector_type(4)));
typedef float sp_f32x16 __attribute__((ext_vector_type(16)));

template <class V> struct sp_operands {
  V a, b;
};
SP_FN float sp_matrix_element(float v, int) { return v; }
SP_FN float sp_matrix_element(const sp_f16x4& v, int i) { return (float)v[i]; }
SP_FN float sp_matrix_element(const sp_f16x8& v, int i) { return (float)v[i]; }
SP_FN float sp_bf16_bits(short s) {
  const unsigned u = (unsigned)(unsigned short)s << 16;
  float f;
  __builtin_memcpy(&f, &u, 4);
  return f;
}
SP_FN float sp_matrix_element(const sp_i16x4& v, int i) { return sp_bf16_bits(v[i]); }
SP_FN float sp_matrix_element(const sp_i16x8& v, int i) { return sp_bf16_bits(v[i]); }

// Lane l holds row (of A) or column (of B) l % M at k = KL * (l / M) + 0 .. KL - 1. Its element r of C lies in column
// l % M and row (r / 4) * 4 * (64 / M) + 4 * (l / M) + r % 4.
template <int M, int KL, class V, class C>
SP_QUIET void sp_mfma_lane(const unsigned long long* table, int lane, C& c) {
  constexpr int groups = 64 / M;
  for (int r = 0; r < M * M / 64; ++r) {
    const int row = r / 4 * 4 * groups + 4 * (lane / M) + r % 4;
    float sum = c[r];
    for (int k = 0; k < KL * groups; ++k) {
      const auto* from_a = (const sp_operands<V>*)table[k / KL * M + row];
      const auto* from_b = (const sp_operands<V>*)table[k / KL * M + lane % M];
      sum += sp_matrix_element(from_a->a, k % KL) * sp_matrix_element(from_b->b, k % KL);
    }
    c[r] = sum;
  }
}
template <int M, int KL, class V, class C> SP_FN C sp_mfma(V a, V b, C c) {
  if (sp_wave_lanes != 64) sp_unsupported("a matrix instruction of AMD's needs waves of 64 lanes");
  const sp_operands<V> own = {a, b};
  const unsigned long long* table = sp_gather((unsigned long long)&own, ~0ull);
  sp_mfma_lane<M, KL, V>(table, (int)__lane_id(), c);
  sp_wave_sync(~0ull);  // nobody leaves while others read its operands
  return c;
}
#define SP_MFMA(name, M, KL, V, C) \
  SP_FN C __builtin_amdgcn_mfma_##name(V a, V b, C c, int, int, int) { return sp_mfma<M, KL, V, C>(a, b, c); }
SP_MFMA(f32_32x32x8f16, 32, 4, sp_f16x4, sp_f32x16)
SP_MFMA(f32_16x16x16f16, 16, 4, sp_f16x4, sp_f32x4)
SP_MFMA(f32_32x32x8bf16_1k, 32, 4, sp_i16x4, sp_f32x16)
SP_MFMA(f32_16x16x16bf16_1k, 16, 4, sp_i16x4, sp_f32x4)
SP_MFMA(f32_32x32x16_f16, 32, 8, sp_f16x8, sp_f32x16)
SP_MFMA(f32_16x16x32_f16, 16, 8, sp_f16x8, sp_f32x4)
SP_MFMA(f32_32x32x2f32, 32, 1, float, sp_f32x16)
SP_MFMA(f32_16x16x4f32, 16, 1, float, sp_f32x4)
#undef SP_MFMA
