// Vector types. Their alignment lets a copy be one access of the whole vector, as on a GPU.
// Shared by the CPU and the device headers.
#pragma once

#define SP_VECTORS(T, name)                                                                                       \
  struct name##1 { T x; };                                                                                        \
  struct alignas(2 * sizeof(T)) name##2 { T x, y;                                                                 \
    name##2() = default;                                                                                          \
    constexpr name##2(T a, T b = 0) : x(a), y(b) {} };                                                            \
  struct name##3 { T x, y, z; };                                                                                  \
  struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) name##4 { T x, y, z, w;                                 \
    name##4() = default;                                                                                          \
    constexpr name##4(T a, T b = 0, T c = 0, T d = 0) : x(a), y(b), z(c), w(d) {} };                              \
  SP_FN name##1 make_##name##1(T a) { return {a}; }                                                               \
  SP_FN name##2 make_##name##2(T a, T b) { return {a, b}; }                                                       \
  SP_FN name##3 make_##name##3(T a, T b, T c) { return {a, b, c}; }                                               \
  SP_FN name##4 make_##name##4(T a, T b, T c, T d) { return {a, b, c, d}; }                                       \
  template <> struct sp_vector<name##2> { typedef T element; };                                                   \
  template <> struct sp_vector<name##3> { typedef T element; };                                                   \
  template <> struct sp_vector<name##4> { typedef T element; };

template <class V> struct sp_vector {};
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
SP_VECTORS(float, float)
SP_VECTORS(double, double)
SP_VECTORS(signed char, char)
SP_VECTORS(unsigned char, uchar)
SP_VECTORS(short, short)
SP_VECTORS(unsigned short, ushort)
SP_VECTORS(int, int)
SP_VECTORS(unsigned, uint)
SP_VECTORS(long, long)
SP_VECTORS(unsigned long, ulong)
SP_VECTORS(long long, longlong)
SP_VECTORS(unsigned long long, ulonglong)

// HIP's operators on vectors. Templates, so that a kernel's own operators are preferred.
template <class V, class F> SP_FN V sp_each(const V& a, const V& b, F f) {
  V r = a;
  r.x = f(a.x, b.x);
  r.y = f(a.y, b.y);
  if constexpr (requires { a.z; }) r.z = f(a.z, b.z);
  if constexpr (requires { a.w; }) r.w = f(a.w, b.w);
  return r;
}
template <class V> SP_FN V sp_splat(typename sp_vector<V>::element s) {
  V r;
  r.x = r.y = s;
  if constexpr (requires { r.z; }) r.z = s;
  if constexpr (requires { r.w; }) r.w = s;
  return r;
}
#define SP_VECTOR_OPERATOR(op)                                                                                       \
  template <class V, class E = typename sp_vector<V>::element> SP_FN V operator op(const V& a, const V& b) {         \
    return sp_each(a, b, [](E x, E y) -> E { return (E)(x op y); }); }                                               \
  template <class V, class E = typename sp_vector<V>::element> SP_FN V operator op(const V& a, const sp_same<E>& s) { \
    return a op sp_splat<V>(s); }                                                                                    \
  template <class V, class E = typename sp_vector<V>::element> SP_FN V operator op(const sp_same<E>& s, const V& a) { \
    return sp_splat<V>(s) op a; }                                                                                    \
  template <class V, class E = typename sp_vector<V>::element> SP_FN V& operator op##=(V& a, const sp_same<V>& b) { return a = a op b; }
SP_VECTOR_OPERATOR(+)
SP_VECTOR_OPERATOR(-)
SP_VECTOR_OPERATOR(*)
SP_VECTOR_OPERATOR(/)
#undef SP_VECTOR_OPERATOR
