// What happens at an access of the kernel: is it allowed, is it recorded, does the order matter?
#pragma once

#include <cstdint>
#include <string>

#include "frontend/clike/host/order.h"

namespace swizzleperf::host {

// A plain read or write. Ends the process with a message where it touches what no kernel may touch.
void on_access(const void* address, int64_t size, bool write, uintptr_t site);
// A read-modify-write; `reads`: the new content depends on the old one (compare-and-swap).
void on_atomic(const void* address, int64_t size, Touch kind, bool reads, bool floating, uintptr_t site);
// The result of an atomic operation is used: its order among the others shows.
void on_result_used(const void* address, int64_t size, uintptr_t site);

// Ends what the last access left open. Called after each workgroup.
void settle();

// Every thread of the workgroup that can run reads the same few locations over and over. Ends the process.
[[noreturn]] void fail_spinning(const void* address, uintptr_t site);

// "byte 12 of 'flags'" for an address in a buffer, a shared array or a variable of the library.
std::string describe_address(const void* address);

}  // namespace swizzleperf::host
