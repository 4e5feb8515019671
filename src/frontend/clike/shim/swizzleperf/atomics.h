// Atomics. One thread runs at a time, so plain code is atomic; what matters is what is reported: the kind of update, and
// whether its result is used (see sp_used).
#pragma once

// As the host's `Touch` numbers them.
enum { SP_ATOMIC_WRITE = 1, SP_ATOMIC_ADD, SP_ATOMIC_MIN, SP_ATOMIC_MAX, SP_ATOMIC_AND, SP_ATOMIC_OR, SP_ATOMIC_XOR };

template <class T> SP_FN T sp_result(T old, const volatile void* p) {
  return sp_from_bits<T>(sp_used(sp_bits(old), (const void*)p, (int)sizeof(T)));
}
template <class T, class F> SP_QUIET T sp_update(T* p, T v, int kind, int reads, F f) {
  sp_atomic(p, (int)sizeof(T), kind, reads, !std::is_integral_v<T>, SP_SITE);
  const T old = *p;
  *p = f(old, v);
  return old;
}
#define SP_ATOMIC(name, kind, expression)                                                                            \
  template <class T> SP_FN T name(T* p, sp_same<T> value) {                                                          \
    return sp_result(sp_update(p, value, kind, 0, [](T old, T v) -> T { return (T)(expression); }), p); }
#define SP_ATOMIC_SCOPES(name, kind, expression) \
  SP_ATOMIC(name, kind, expression)              \
  SP_ATOMIC(name##_block, kind, expression)      \
  SP_ATOMIC(name##_system, kind, expression)
SP_ATOMIC_SCOPES(atomicAdd, SP_ATOMIC_ADD, old + v)
SP_ATOMIC_SCOPES(atomicSub, SP_ATOMIC_ADD, old - v)
SP_ATOMIC_SCOPES(atomicMin, SP_ATOMIC_MIN, v < old ? v : old)
SP_ATOMIC_SCOPES(atomicMax, SP_ATOMIC_MAX, old < v ? v : old)
SP_ATOMIC_SCOPES(atomicAnd, SP_ATOMIC_AND, old & v)
SP_ATOMIC_SCOPES(atomicOr, SP_ATOMIC_OR, old | v)
SP_ATOMIC_SCOPES(atomicXor, SP_ATOMIC_XOR, old ^ v)
SP_ATOMIC_SCOPES(atomicExch, SP_ATOMIC_WRITE, v)
SP_ATOMIC(unsafeAtomicAdd, SP_ATOMIC_ADD, old + v)
SP_ATOMIC(safeAtomicAdd, SP_ATOMIC_ADD, old + v)
SP_ATOMIC(atomicAddNoRet, SP_ATOMIC_ADD, old + v)
// What these leave depends on the limit: only without one they are sums.
template <class T> SP_FN T atomicInc(T* p, sp_same<T> limit) {
  return sp_result(sp_update(p, limit, limit == (T)-1 ? SP_ATOMIC_ADD : SP_ATOMIC_WRITE, limit != (T)-1,
                             [](T old, T v) -> T { return old >= v ? (T)0 : (T)(old + 1); }), p);
}
template <class T> SP_FN T atomicDec(T* p, sp_same<T> limit) {
  return sp_result(sp_update(p, limit, limit == (T)-1 ? SP_ATOMIC_ADD : SP_ATOMIC_WRITE, limit != (T)-1,
                             [](T old, T v) -> T { return old == 0 || old > v ? v : (T)(old - 1); }), p);
}
template <class T> SP_QUIET T sp_compare_and_swap(T* p, T expected, T v) {
  sp_atomic(p, (int)sizeof(T), SP_ATOMIC_WRITE, 1, 0, SP_SITE);
  const T old = *p;
  if (__builtin_memcmp(&old, &expected, sizeof(T)) == 0) *p = v;
  return old;
}
template <class T> SP_FN T atomicCAS(T* p, sp_same<T> expected, sp_same<T> v) { return sp_compare_and_swap(p, expected, v); }
template <class T> SP_FN T atomicCAS_block(T* p, sp_same<T> expected, sp_same<T> v) { return sp_compare_and_swap(p, expected, v); }
template <class T> SP_FN T atomicCAS_system(T* p, sp_same<T> expected, sp_same<T> v) { return sp_compare_and_swap(p, expected, v); }

// The compilers' own: __atomic_fetch_add(p, v, order), and with a scope behind it __hip_atomic_fetch_add.
template <class T> struct sp_plain { typedef std::remove_volatile_t<T> type; };
#define SP_FETCH(op, kind, expression)                                                                              \
  template <class T, class U> SP_FN typename sp_plain<T>::type sp_fetch_##op(T* q, U value, int, int = 0) {         \
    typedef typename sp_plain<T>::type V;                                                                           \
    V* p = (V*)q;                                                                                                   \
    return sp_result(sp_update(p, (V)value, kind, 0, [](V old, V v) -> V { return (V)(expression); }), p); }
SP_FETCH(add, SP_ATOMIC_ADD, old + v)
SP_FETCH(sub, SP_ATOMIC_ADD, old - v)
SP_FETCH(and, SP_ATOMIC_AND, old & v)
SP_FETCH(or, SP_ATOMIC_OR, old | v)
SP_FETCH(xor, SP_ATOMIC_XOR, old ^ v)
SP_FETCH(min, SP_ATOMIC_MIN, v < old ? v : old)
SP_FETCH(max, SP_ATOMIC_MAX, old < v ? v : old)
SP_FETCH(exchange, SP_ATOMIC_WRITE, v)
#undef SP_FETCH
#undef SP_ATOMIC_SCOPES
#undef SP_ATOMIC
#define __atomic_fetch_add ::sp_fetch_add
#define __atomic_fetch_sub ::sp_fetch_sub
#define __atomic_fetch_and ::sp_fetch_and
#define __atomic_fetch_or ::sp_fetch_or
#define __atomic_fetch_xor ::sp_fetch_xor
#define __hip_atomic_fetch_add ::sp_fetch_add
#define __hip_atomic_fetch_and ::sp_fetch_and
#define __hip_atomic_fetch_or ::sp_fetch_or
#define __hip_atomic_fetch_xor ::sp_fetch_xor
#define __hip_atomic_fetch_min ::sp_fetch_min
#define __hip_atomic_fetch_max ::sp_fetch_max
#define __hip_atomic_exchange ::sp_fetch_exchange
template <class T> SP_FN T sp_atomic_load(const T* p) { return *(const volatile T*)p; }
template <class T> SP_FN void sp_atomic_store(T* p, sp_same<T> v) { *(volatile T*)p = v; }
template <class T> SP_FN bool sp_atomic_compare(T* p, T* expected, sp_same<T> v) {
  const T wanted = *expected, old = sp_compare_and_swap(p, wanted, v);
  *expected = old;
  return old == wanted;
}
#define __hip_atomic_load(p, order, scope) ::sp_atomic_load(p)
#define __hip_atomic_store(p, v, order, scope) ::sp_atomic_store(p, v)
#define __hip_atomic_compare_exchange_strong(p, e, v, success, failure, scope) ::sp_atomic_compare(p, e, v)
#define __hip_atomic_compare_exchange_weak(p, e, v, success, failure, scope) ::sp_atomic_compare(p, e, v)
#ifndef __HIP_MEMORY_SCOPE_SINGLETHREAD
#define __HIP_MEMORY_SCOPE_SINGLETHREAD 1
#define __HIP_MEMORY_SCOPE_WAVEFRONT 2
#define __HIP_MEMORY_SCOPE_WORKGROUP 3
#define __HIP_MEMORY_SCOPE_AGENT 4
#define __HIP_MEMORY_SCOPE_SYSTEM 5
#endif
