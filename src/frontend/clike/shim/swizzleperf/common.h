// Small helpers on types, without the C++ library. Shared by the CPU and the device headers.
#pragma once

template <class T> struct sp_identity { typedef T type; };
template <class T> using sp_same = typename sp_identity<T>::type;  // not deduced: `atomicAdd(float*, 1)` converts
template <bool B> struct sp_only {};
template <> struct sp_only<true> { typedef int type; };

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

#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
