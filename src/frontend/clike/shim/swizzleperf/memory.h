// Loads and stores with cache hints, and copies from global to shared memory that CUDA does in the background.
#pragma once

#define SP_LOAD(name) template <class T> SP_FN T name(const T* p) { return *p; }
SP_LOAD(__ldg)
SP_LOAD(__ldcs)
SP_LOAD(__ldcg)
SP_LOAD(__ldca)
SP_LOAD(__ldlu)
#undef SP_LOAD
template <class T> SP_FN T __ldcv(const T* p) { return *(const volatile T*)p; }
#define SP_STORE(name) template <class T> SP_FN void name(T* p, sp_same<T> v) { *p = v; }
SP_STORE(__stcs)
SP_STORE(__stcg)
SP_STORE(__stwb)
SP_STORE(__stwt)
#undef SP_STORE

template <int bytes> SP_FN void sp_copy(void* to, const void* from) {
  typedef char raw __attribute__((vector_size(bytes), aligned(bytes), may_alias));
  *(raw*)to = *(const raw*)from;
}
// The copy is done at once: a kernel that waits for it as it must sees no difference.
SP_FN void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  if (zeros == 0 && bytes == 16) return sp_copy<16>(to, from);
  if (zeros == 0 && bytes == 8) return sp_copy<8>(to, from);
  if (zeros == 0 && bytes == 4) return sp_copy<4>(to, from);
  __builtin_memcpy(to, from, bytes - zeros);
  __builtin_memset((char*)to + (bytes - zeros), 0, zeros);
}
SP_FN void __pipeline_commit() {}
SP_FN void __pipeline_wait_prior(int) {}
