// Atomics: clang's own where it has them, else a loop around compare-and-swap.
#pragma once

template <int Bytes> struct sp_word { typedef unsigned type; };
template <> struct sp_word<8> { typedef unsigned long long type; };
template <class T, class F> SP_FN T sp_loop(T* p, F f) {
  typedef typename sp_word<sizeof(T)>::type Word;
  Word old = __hip_atomic_load((Word*)p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), next;
  do {
    T value;
    __builtin_memcpy((void*)&value, &old, sizeof(T));
    value = f(value);
    __builtin_memcpy(&next, &value, sizeof(T));
  } while (!__hip_atomic_compare_exchange_strong((Word*)p, &old, next, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
  T result;
  __builtin_memcpy((void*)&result, &old, sizeof(T));
  return result;
}
template <class T> struct sp_is_class { static constexpr bool value = __is_class(T); };
#define SP_ATOMIC(name, builtin, operand, expression)                                                                  \
  template <class T> SP_FN T name(T* p, sp_same<T> v) {                                                              \
    if constexpr (sp_is_class<T>::value) {                                                                           \
      return sp_loop(p, [=](T old) -> T { return (T)(expression); });                                                \
    } else {                                                                                                         \
      return builtin(p, operand, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                                          \
    }                                                                                                                \
  }
#define SP_ATOMIC_SCOPES(name, builtin, operand, expression) \
  SP_ATOMIC(name, builtin, operand, expression)              \
  SP_ATOMIC(name##_block, builtin, operand, expression)      \
  SP_ATOMIC(name##_system, builtin, operand, expression)
SP_ATOMIC_SCOPES(atomicAdd, __hip_atomic_fetch_add, v, old + v)
SP_ATOMIC_SCOPES(atomicSub, __hip_atomic_fetch_add, -v, old - v)
SP_ATOMIC_SCOPES(atomicMin, __hip_atomic_fetch_min, v, v < old ? v : old)
SP_ATOMIC_SCOPES(atomicMax, __hip_atomic_fetch_max, v, old < v ? v : old)
SP_ATOMIC_SCOPES(atomicAnd, __hip_atomic_fetch_and, v, old & v)
SP_ATOMIC_SCOPES(atomicOr, __hip_atomic_fetch_or, v, old | v)
SP_ATOMIC_SCOPES(atomicXor, __hip_atomic_fetch_xor, v, old ^ v)
SP_ATOMIC_SCOPES(atomicExch, __hip_atomic_exchange, v, v)
SP_ATOMIC(unsafeAtomicAdd, __hip_atomic_fetch_add, v, old + v)
SP_ATOMIC(safeAtomicAdd, __hip_atomic_fetch_add, v, old + v)
SP_ATOMIC(atomicAddNoRet, __hip_atomic_fetch_add, v, old + v)
#undef SP_ATOMIC_SCOPES
#undef SP_ATOMIC
template <class T> SP_FN T atomicInc(T* p, sp_same<T> v) { return sp_loop(p, [=](T old) -> T { return old >= v ? (T)0 : (T)(old + 1); }); }
template <class T> SP_FN T atomicDec(T* p, sp_same<T> v) { return sp_loop(p, [=](T old) -> T { return old == 0 || old > v ? v : (T)(old - 1); }); }
template <class T> SP_FN T atomicCAS(T* p, sp_same<T> expected, sp_same<T> v) {
  __hip_atomic_compare_exchange_strong(p, &expected, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  return expected;
}
template <class T> SP_FN T atomicCAS_block(T* p, sp_same<T> expected, sp_same<T> v) { return atomicCAS(p, expected, v); }
template <class T> SP_FN T atomicCAS_system(T* p, sp_same<T> expected, sp_same<T> v) { return atomicCAS(p, expected, v); }
