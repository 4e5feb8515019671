#include "frontend/clike/host/failure.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "frontend/clike/host/host.h"
#include "frontend/clike/host/protocol.h"

namespace swizzleperf::host {
namespace {

int64_t time_limit_ms = 0;
volatile sig_atomic_t time_is_up = 0;

uintptr_t program_counter(void* context) {
  const auto* state = static_cast<const ucontext_t*>(context);
  return static_cast<uintptr_t>(state->uc_mcontext.gregs[REG_RIP]);
}

[[noreturn]] void out_of_time(uintptr_t site) {
  fail("user",
       fmt::format("the kernel has not ended after {:.0f} s on the CPU{}: does a loop never end? With smaller sizes a "
                   "workgroup does less",
                   static_cast<double>(time_limit_ms) / 1000, who()),
       site);
}

// Kernel code holds no lock of the C library, so a message can be made there; elsewhere the alarm comes again soon.
void on_alarm(int /*signal*/, siginfo_t* /*info*/, void* context) {
  const uintptr_t at = program_counter(context);
  if (host.library.contains(reinterpret_cast<const unsigned char*>(at))) out_of_time(at + 1);
  time_is_up = 1;
}

void on_crash(int signal, siginfo_t* info, void* context) {
  auto* address = static_cast<unsigned char*>(info->si_addr);
  if (signal == SIGSEGV && host.memory.contains(address) && host.memory.fill_slab(address)) return;
  const uintptr_t at = program_counter(context);
  const uintptr_t site = host.library.contains(reinterpret_cast<const unsigned char*>(at)) ? at + 1 : host.last_site;
  if (signal == SIGSEGV && host.workgroup && host.workgroup->on_guard(address))
    fail("user",
         fmt::format("a thread overran its stack: local arrays and recursion may take {} KiB a thread{}",
                     Workgroup::kStackBytes >> 10, who()),
         site);
  const char* name = signal == SIGSEGV   ? "a memory access that is not allowed"
                     : signal == SIGFPE  ? "an integer division by zero"
                     : signal == SIGBUS  ? "a bus error"
                     : signal == SIGABRT ? "a call of abort()"
                                         : "an illegal instruction";
  fail("user", fmt::format("the kernel crashed by {}{}", name, who()), site);
}

}  // namespace

std::string who() {
  if (!host.workgroup) return "";
  return fmt::format(" (workgroup {}, thread {})", host.wg, host.workgroup->thread());
}

void install_signal_handlers(int64_t limit_ms) {
  static std::array<unsigned char, 1 << 16> stack;
  stack_t alternate = {};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGFPE, SIGBUS, SIGILL, SIGABRT}) sigaction(signal, &action, nullptr);
  action.sa_sigaction = on_alarm;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigaction(SIGPROF, &action, nullptr);
  time_limit_ms = limit_ms;
  restart_time();
}

void restart_time() {
  itimerval timer = {};
  timer.it_value = {time_limit_ms / 1000, time_limit_ms % 1000 * 1000};
  timer.it_interval = {0, 1000};
  setitimer(ITIMER_PROF, &timer, nullptr);
}

void check_time() {
  if (time_is_up != 0) out_of_time(host.last_site);
}

void fail(const char* blame, const std::string& message, uintptr_t site, uintptr_t other_site) {
  const auto offset = [](uintptr_t address) {
    return host.library.contains(reinterpret_cast<const unsigned char*>(address)) ? address - host.library.begin() : 0;
  };
  const nlohmann::json json = {
      {"blame", blame}, {"message", message}, {"site", offset(site)}, {"other_site", offset(other_site)}};
  std::fputs(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str(), stderr);
  std::fflush(stderr);
  _exit(kFailed);
}

}  // namespace swizzleperf::host
