// What the instrumented kernel and the shim call. The address a call returns to is the access's site.
#include <cstring>
#include <type_traits>

#include "frontend/clike/host/access.h"
#include "frontend/clike/host/failure.h"
#include "frontend/clike/host/host.h"

namespace sp = swizzleperf::host;

#define SP_SITE reinterpret_cast<uintptr_t>(__builtin_return_address(0))
#define SP_ACCESS(name, size, write)        \
  void __tsan_##name(void* p) {             \
    sp::on_access(p, size, write, SP_SITE); \
  }
#define SP_ACCESSES(n)                   \
  SP_ACCESS(read##n, n, false)           \
  SP_ACCESS(write##n, n, true)           \
  SP_ACCESS(unaligned_read##n, n, false) \
  SP_ACCESS(unaligned_write##n, n, true)

// Atomics that the kernel asks of the compiler (`__atomic_load_n`, `__sync_fetch_and_add`): nothing is known of what
// becomes of the result, so it counts as used.
#define SP_EXCHANGE(bits, name, expression)                                            \
  sp_u##bits __tsan_atomic##bits##_##name(volatile sp_u##bits* p, sp_u##bits v, int) { \
    auto* const at = const_cast<sp_u##bits*>(p);                                       \
    sp::on_atomic(at, bits / 8, sp::Touch::kWrite, true, false, SP_SITE);              \
    const sp_u##bits old = *at;                                                        \
    *at = static_cast<sp_u##bits>(expression);                                         \
    return old;                                                                        \
  }
#define SP_COMPARE(bits, name)                                                                                       \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile sp_u##bits* p, sp_u##bits* expected, sp_u##bits v, int, \
                                                    int) {                                                           \
    auto* const at = const_cast<sp_u##bits*>(p);                                                                     \
    sp::on_atomic(at, bits / 8, sp::Touch::kWrite, true, false, SP_SITE);                                            \
    if (*at == *expected) {                                                                                          \
      *at = v;                                                                                                       \
      return 1;                                                                                                      \
    }                                                                                                                \
    *expected = *at;                                                                                                 \
    return 0;                                                                                                        \
  }
#define SP_ATOMICS(bits)                                                                                           \
  sp_u##bits __tsan_atomic##bits##_load(const volatile sp_u##bits* p, int) {                                       \
    sp::on_access(const_cast<const sp_u##bits*>(p), bits / 8, false, SP_SITE);                                     \
    return *p;                                                                                                     \
  }                                                                                                                \
  void __tsan_atomic##bits##_store(volatile sp_u##bits* p, sp_u##bits v, int) {                                    \
    sp::on_access(const_cast<sp_u##bits*>(p), bits / 8, true, SP_SITE);                                            \
    *p = v;                                                                                                        \
  }                                                                                                                \
  SP_EXCHANGE(bits, exchange, v)                                                                                   \
  SP_EXCHANGE(bits, fetch_add, old + v)                                                                            \
  SP_EXCHANGE(bits, fetch_sub, old - v)                                                                            \
  SP_EXCHANGE(bits, fetch_and, old& v)                                                                             \
  SP_EXCHANGE(bits, fetch_or, old | v)                                                                             \
  SP_EXCHANGE(bits, fetch_xor, old ^ v)                                                                            \
  SP_EXCHANGE(bits, fetch_nand, ~(old & v))                                                                        \
  SP_COMPARE(bits, strong)                                                                                         \
  SP_COMPARE(bits, weak)                                                                                           \
  sp_u##bits __tsan_atomic##bits##_compare_exchange_val(volatile sp_u##bits* p, sp_u##bits expected, sp_u##bits v, \
                                                        int, int) {                                                \
    auto* const at = const_cast<sp_u##bits*>(p);                                                                   \
    sp::on_atomic(at, bits / 8, sp::Touch::kWrite, true, false, SP_SITE);                                          \
    const sp_u##bits old = *at;                                                                                    \
    if (old == expected) *at = v;                                                                                  \
    return old;                                                                                                    \
  }

using sp_u8 = uint8_t;
using sp_u16 = uint16_t;
using sp_u32 = uint32_t;
using sp_u64 = uint64_t;

extern "C" {
void __tsan_init() {}
void __tsan_func_entry(void* /*caller*/) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void** /*slot*/, void* /*value*/) {}
void __tsan_vptr_read(void** /*slot*/) {}
SP_ACCESSES(1)
SP_ACCESSES(2)
SP_ACCESSES(4)
SP_ACCESSES(8)
SP_ACCESSES(16)
SP_ATOMICS(8)
SP_ATOMICS(16)
SP_ATOMICS(32)
SP_ATOMICS(64)
void __tsan_atomic_thread_fence(int /*order*/) {}
void __tsan_atomic_signal_fence(int /*order*/) {}
void __tsan_read_range(void* p, unsigned long size) {
  sp::on_access(p, static_cast<int64_t>(size), false, SP_SITE);
}
void __tsan_write_range(void* p, unsigned long size) {
  sp::on_access(p, static_cast<int64_t>(size), true, SP_SITE);
}
void* __tsan_memcpy(void* to, const void* from, unsigned long size) {
  sp::on_access(from, static_cast<int64_t>(size), false, SP_SITE);
  sp::on_access(to, static_cast<int64_t>(size), true, SP_SITE);
  return std::memcpy(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, unsigned long size) {
  sp::on_access(from, static_cast<int64_t>(size), false, SP_SITE);
  sp::on_access(to, static_cast<int64_t>(size), true, SP_SITE);
  return std::memmove(to, from, size);
}
void* __tsan_memset(void* to, int value, unsigned long size) {
  sp::on_access(to, static_cast<int64_t>(size), true, SP_SITE);
  return std::memset(to, value, size);
}

// The shim's functions; it declares them in swizzleperf/base.h.
void sp_access(const void* p, unsigned long size, int write, const void* site) {
  sp::on_access(p, static_cast<int64_t>(size), write != 0, reinterpret_cast<uintptr_t>(site));
}
unsigned long long sp_barrier(int predicate) {
  return sp::host.workgroup->barrier(predicate != 0, SP_SITE);
}
unsigned long long sp_wave_op(int kind, unsigned long long value, int argument, int width, unsigned long long mask) {
  return sp::host.workgroup->wave_operation({static_cast<sp::WaveKind>(kind), value, argument, width, mask, 0},
                                            SP_SITE);
}
void sp_atomic(const void* p, int size, int kind, int reads, int floating, const void* site) {
  sp::on_atomic(p, size, static_cast<sp::Touch>(kind), reads != 0, floating != 0, reinterpret_cast<uintptr_t>(site));
}
unsigned long long sp_used(unsigned long long old, const void* p, int size) {
  sp::on_result_used(p, size, SP_SITE);
  return old;
}
long long sp_clock() {
  static long long ticks = 0;
  return ++ticks;
}
void sp_unsupported(const char* what) {
  sp::fail("unsupported", what, SP_SITE);
}
void sp_unsupported_at(const char* what, const void* site) {
  sp::fail("unsupported", what, reinterpret_cast<uintptr_t>(site));
}
void sp_trap() {
  sp::fail("user", "the kernel traps" + sp::who(), SP_SITE);
}
// The C library's assert() calls this.
void __assert_fail(const char* expression, const char* /*file*/, unsigned /*line*/, const char* /*function*/) noexcept {
  sp::fail("user", "assertion `" + std::string(expression) + "` failed" + sp::who(), SP_SITE);
}
}
