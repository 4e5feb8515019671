// How the trace host ends when a kernel misbehaves: by its own finding, by a signal, or by the time limit.
#pragma once

#include <cstdint>
#include <string>

namespace swizzleperf::host {

// Ends the process with an error that the parent turns into its own: a message, and the code address it belongs to (0:
// none). `blame`: "user", "unsupported" or "internal".
[[noreturn]] void fail(const char* blame, const std::string& message, uintptr_t site = 0, uintptr_t other_site = 0);

// " (workgroup 3, thread 17)" for the thread that runs now; empty where none does.
std::string who();

// Crashes of the kernel become messages, and so does a workgroup that is not over after `limit_ms` of processor time.
void install_signal_handlers(int64_t limit_ms);

// A workgroup begins: it has the whole time.
void restart_time();

// Called at accesses: ends the process where the time was up while no kernel code ran.
void check_time();

}  // namespace swizzleperf::host
