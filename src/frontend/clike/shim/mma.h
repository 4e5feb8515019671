// Stands in for CUDA's header of the same name: fragments of warp-level matrix products. Lane l of 32 holds a run of elements that
// lie one after the other in memory (which lane holds which is not specified by CUDA either).
#pragma once
#include "swizzleperf_shim.h"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
namespace precision {
struct tf32 {};
}
enum layout_t { mem_row_major, mem_col_major };

template <class T> struct sp_storage { typedef T type; };
template <> struct sp_storage<precision::tf32> { typedef float type; };

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
  static constexpr int sp_rows = std::is_same_v<Use, matrix_b> ? K : M;
  static constexpr int sp_columns = std::is_same_v<Use, matrix_a> ? K : N;
  static constexpr bool sp_by_row = !std::is_same_v<Layout, col_major>;
  static constexpr int num_elements = sp_rows * sp_columns / 32;
  typedef typename sp_storage<T>::type element_type, storage_element_type;
  element_type x[num_elements];
};
template <class F> SP_FN constexpr int sp_row(int e) { return F::sp_by_row ? e / F::sp_columns : e % F::sp_rows; }
template <class F> SP_FN constexpr int sp_column(int e) { return F::sp_by_row ? e % F::sp_columns : e / F::sp_rows; }
SP_FN int sp_lane() { return (int)(__lane_id() % 32); }

template <class U, int M, int N, int K, class T, class L>
SP_FN void fill_fragment(fragment<U, M, N, K, T, L>& f, const typename fragment<U, M, N, K, T, L>::element_type& v) {
  for (auto& x : f.x) x = v;
}
// A lane's run along memory is one access.
template <class F, class T> SP_FN void sp_load(F& f, const T* p, unsigned ldm, bool by_row) {
  const int first = sp_lane() * F::num_elements;
  if (by_row == F::sp_by_row) {
    const int line = by_row ? sp_row<F>(first) : sp_column<F>(first);
    const int at = by_row ? sp_column<F>(first) : sp_row<F>(first);
    __builtin_memcpy((void*)f.x, p + (size_t)line * ldm + at, sizeof f.x);
  } else {
    for (int i = 0; i < F::num_elements; ++i) f.x[i] = p[(size_t)sp_column<F>(first + i) * ldm + sp_row<F>(first + i)];
  }
  __syncwarp();
}
template <class U, int M, int N, int K, class T, class L, class E>
SP_FN void load_matrix_sync(fragment<U, M, N, K, T, L>& f, const E* p, unsigned ldm) {
  sp_load(f, p, ldm, fragment<U, M, N, K, T, L>::sp_by_row);
}
template <int M, int N, int K, class T, class E>
SP_FN void load_matrix_sync(fragment<accumulator, M, N, K, T>& f, const E* p, unsigned ldm, layout_t layout) {
  sp_load(f, p, ldm, layout == mem_row_major);
}
template <int M, int N, int K, class T, class E>
SP_FN void store_matrix_sync(E* p, const fragment<accumulator, M, N, K, T>& f, unsigned ldm, layout_t layout) {
  typedef fragment<accumulator, M, N, K, T> F;
  const int first = sp_lane() * F::num_elements;
  if (layout == mem_row_major) {
    __builtin_memcpy((void*)(p + (size_t)sp_row<F>(first) * ldm + sp_column<F>(first)), f.x, sizeof f.x);
  } else {
    for (int i = 0; i < F::num_elements; ++i) p[(size_t)sp_column<F>(first + i) * ldm + sp_row<F>(first + i)] = f.x[i];
  }
  __syncwarp();
}

template <class A, class B> struct sp_pair {
  const A* a;
  const B* b;
};
template <class A, class B, class C, class D>
SP_QUIET void sp_multiply(const unsigned long long* table, int base, int lane, const C& c, D& d) {
  for (int i = 0; i < D::num_elements; ++i) {
    const int row = sp_row<D>(lane * D::num_elements + i), column = sp_column<D>(lane * D::num_elements + i);
    float sum = (float)c.x[i];
    for (int k = 0; k < A::sp_columns; ++k) {
      const int ea = A::sp_by_row ? row * A::sp_columns + k : k * A::sp_rows + row;
      const int eb = B::sp_by_row ? k * B::sp_columns + column : column * B::sp_rows + k;
      const auto* from_a = (const sp_pair<A, B>*)table[base + ea / A::num_elements];
      const auto* from_b = (const sp_pair<A, B>*)table[base + eb / B::num_elements];
      sum += (float)from_a->a->x[ea % A::num_elements] * (float)from_b->b->x[eb % B::num_elements];
    }
    d.x[i] = (typename D::element_type)sum;
  }
}
template <int M, int N, int K, class TA, class LA, class TB, class LB, class TC, class TD>
SP_FN void mma_sync(fragment<accumulator, M, N, K, TD>& d, const fragment<matrix_a, M, N, K, TA, LA>& a,
                    const fragment<matrix_b, M, N, K, TB, LB>& b, const fragment<accumulator, M, N, K, TC>& c) {
  typedef fragment<matrix_a, M, N, K, TA, LA> A;
  typedef fragment<matrix_b, M, N, K, TB, LB> B;
  const sp_pair<A, B> own = {&a, &b};
  const unsigned long long* table = sp_gather((unsigned long long)&own, ~0ull);
  sp_multiply<A, B>(table, (int)__lane_id() / 32 * 32, sp_lane(), c, d);
  __syncwarp();  // nobody changes a fragment while others read it
}
SP_FN float __float_to_tf32(float f) { return sp_from_bits<float>((sp_bits(f) + 0x1000u) & 0xffffe000u); }

}  // namespace wmma
}  // namespace nvcuda
