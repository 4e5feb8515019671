#include "base/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/stop.h"

namespace swizzleperf {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<bool> interrupt_requested{false};
std::atomic<bool> stop_requested{false};

void on_interrupt(int /*signal*/) {
  interrupt_requested.store(true, std::memory_order_relaxed);
}

// Both ends of a pipe, closed on destruction.
struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  bool open() {
    std::array<int, 2> ends = {-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read_end = ends[0];
    write_end = ends[1];
    return true;
  }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

// In the child, between fork and exec: only async-signal-safe calls.
[[noreturn]] void start_child(const char* program, char* const* argv, const char* folder, const ProcessLimits& limits,
                              const Pipe& in, const Pipe& out, const Pipe& err, int failure) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (limits.memory_bytes > 0) {
    const rlimit memory = {limits.memory_bytes, limits.memory_bytes};
    ::setrlimit(RLIMIT_DATA, &memory);
  }
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGPIPE, SIG_DFL);
  if (::dup2(in.read_end, 0) >= 0 && ::dup2(out.write_end, 1) >= 0 && ::dup2(err.write_end, 2) >= 0 &&
      (folder == nullptr || ::chdir(folder) == 0)) {
    ::execv(program, argv);
  }
  const int code = errno;
  [[maybe_unused]] const ssize_t written = ::write(failure, &code, sizeof code);
  ::_exit(127);
}

// Reads what is there; false at the end of the stream.
bool drain(int descriptor, std::string& text, size_t limit) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  if (text.size() < limit) text.append(buffer.data(), std::min(static_cast<size_t>(count), limit - text.size()));
  return true;
}

// Feeds stdin and collects stdout and stderr until both are closed or the time is up.
void converse(Pipe& in, Pipe& out, Pipe& err, const std::string& input, const ProcessLimits& limits, pid_t child,
              ProcessResult& result) {
  const auto deadline = Clock::now() + limits.wall;
  size_t sent = 0;
  ::fcntl(in.write_end, F_SETFL, O_NONBLOCK);
  while (out.read_end >= 0 || err.read_end >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    result.timed_out = left <= 0;
    result.interrupted = interrupted();
    if (result.timed_out || result.interrupted) {
      ::kill(-child, SIGKILL);
      return;
    }
    if (sent == input.size()) Pipe::close_end(in.write_end);
    std::array<pollfd, 3> wait = {pollfd{out.read_end, POLLIN, 0}, pollfd{err.read_end, POLLIN, 0},
                                  pollfd{in.write_end, POLLOUT, 0}};
    // Short waits, so that an interrupt that arrives between the check and the poll is seen soon.
    if (::poll(wait.data(), wait.size(), static_cast<int>(std::min<int64_t>(left, 100))) < 0) continue;
    if (wait[0].revents != 0 && !drain(out.read_end, result.out, limits.output_bytes)) Pipe::close_end(out.read_end);
    if (wait[1].revents != 0 && !drain(err.read_end, result.err, limits.output_bytes)) Pipe::close_end(err.read_end);
    if (wait[2].revents != 0) {
      const ssize_t count = ::write(in.write_end, input.data() + sent, input.size() - sent);
      if (count > 0) sent += static_cast<size_t>(count);
      if (count < 0 && errno != EAGAIN && errno != EINTR) sent = input.size();
    }
  }
}

// After the streams are closed the child may still run: wait for it, but not beyond the deadline.
int await_exit(pid_t child, Clock::time_point deadline, ProcessResult& result) {
  int status = 0;
  while (true) {
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return 0;
    if (Clock::now() >= deadline || interrupted()) {
      (interrupted() ? result.interrupted : result.timed_out) = true;
      ::kill(-child, SIGKILL);
      ::waitpid(child, &status, 0);
      return status;
    }
    ::usleep(1000);
  }
}

}  // namespace

Expected<ProcessResult> run_process(const std::vector<std::string>& argv, const ProcessLimits& limits,
                                    const std::string& input, const std::filesystem::path& folder) {
  const std::filesystem::path program = find_program(argv.at(0));
  if (program.empty()) return missing(fmt::format("program '{}' was not found", argv[0]));
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const auto& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));  // execv's signature
  arguments.push_back(nullptr);

  // A child that ends without reading its input must not end this process with it.
  static const auto ignore_broken_pipes = ::signal(SIGPIPE, SIG_IGN);
  static_cast<void>(ignore_broken_pipes);
  Pipe in, out, err, failure;
  if (!in.open() || !out.open() || !err.open() || !failure.open()) {
    return internal_error(fmt::format("cannot create a pipe: {}", std::strerror(errno)));
  }
  const auto deadline = Clock::now() + limits.wall;
  const pid_t child = ::fork();
  if (child < 0) return internal_error(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (child == 0) {
    start_child(program.c_str(), arguments.data(), folder.empty() ? nullptr : folder.c_str(), limits, in, out, err,
                failure.write_end);
  }
  ::setpgid(child, child);
  Pipe::close_end(in.read_end);
  Pipe::close_end(out.write_end);
  Pipe::close_end(err.write_end);
  Pipe::close_end(failure.write_end);

  ProcessResult result;
  converse(in, out, err, input, limits, child, result);
  const int status = await_exit(child, deadline, result);
  ::kill(-child, SIGKILL);  // whatever the child left running in its group
  int start_errno = 0;
  if (::read(failure.read_end, &start_errno, sizeof start_errno) == sizeof start_errno) {
    return internal_error(fmt::format("cannot run {}: {}", program.string(), std::strerror(start_errno)));
  }
  if (WIFEXITED(status)) result.exit_status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

std::filesystem::path find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return ::access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* variable = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): this process never sets it
  std::string_view path = variable != nullptr ? variable : "/usr/bin:/bin";
  while (!path.empty()) {
    const size_t end = std::min(path.find(':'), path.size());
    const std::filesystem::path candidate = std::filesystem::path(path.substr(0, end)) / name;
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0)
      return candidate;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return {};
}

void install_interrupt_handler() {
  struct sigaction action = {};
  action.sa_handler = on_interrupt;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return interrupt_requested.load(std::memory_order_relaxed) || stop_requested.load(std::memory_order_relaxed);
}

bool signalled() {
  return interrupt_requested.load(std::memory_order_relaxed);
}

void request_stop(bool stop) {
  stop_requested.store(stop, std::memory_order_relaxed);
}

}  // namespace swizzleperf
