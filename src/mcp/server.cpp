#include "mcp/server.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>

#include "base/process.h"
#include "base/stop.h"

namespace swizzleperf {
namespace {

// Whole lines to a descriptor, from two threads.
class Output {
 public:
  explicit Output(int descriptor) : descriptor_(descriptor) {}
  void write_line(const std::string& line) {
    const std::scoped_lock lock(mutex_);
    const std::string text = line + "\n";
    for (size_t sent = 0; sent < text.size() && error_ == 0;) {
      const ssize_t count = ::write(descriptor_, text.data() + sent, text.size() - sent);
      if (count >= 0)
        sent += static_cast<size_t>(count);
      else if (errno != EINTR)
        error_ = errno;
    }
  }
  int error() {
    const std::scoped_lock lock(mutex_);
    return error_;
  }

 private:
  int descriptor_;
  std::mutex mutex_;
  int error_ = 0;
};

// Works on calls one after the other, in a thread of its own.
class Worker {
 public:
  Worker(std::filesystem::path program, Output& output, McpLimits limits)
      : program_(std::move(program)), output_(output), limits_(limits), thread_([this] { work(); }) {}
  ~Worker() { finish(false); }

  void add(McpCall call) {
    const std::scoped_lock lock(mutex_);
    queue_.push_back(std::move(call));
    wake_.notify_one();
  }

  // A request that is cancelled gets no answer.
  void cancel(const std::string& id) {
    const std::scoped_lock lock(mutex_);
    std::erase_if(queue_, [&](const McpCall& call) { return call.id == id; });
    if (running_ != id) return;
    cancelled_ = true;
    request_stop(true);
  }

  // Ends after what was asked for, or at once.
  void finish(bool answer_all) {
    {
      const std::scoped_lock lock(mutex_);
      ending_ = true;
      if (!answer_all) {
        queue_.clear();
        if (!running_.empty()) request_stop(true);
      }
      wake_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  void work() {
    while (true) {
      McpCall call;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [this] { return ending_ || !queue_.empty(); });
        if (queue_.empty() || interrupted()) return;
        call = std::move(queue_.front());
        queue_.pop_front();
        running_ = call.id;
        cancelled_ = false;
      }
      const std::string reply = run(call);
      const std::scoped_lock lock(mutex_);
      running_.clear();
      request_stop(false);
      if (!cancelled_ && !interrupted()) output_.write_line(reply);
    }
  }

  std::string run(const McpCall& call) const {
    std::vector<std::string> command = {program_.string()};
    command.insert(command.end(), call.command.begin(), call.command.end());
    const auto done = run_process(command, {.wall = limits_.call, .memory_bytes = 0});
    if (!done) return call_failed(call.id, describe(done.error()));
    if (done->timed_out) return call_failed(call.id, fmt::format("stopped after {} s", limits_.call.count() / 1000));
    const bool answered =
        done->exit_status == 0 || (done->exit_status == 1 && !done->out.empty());  // 1: a check that fails
    return answered ? call_result(call.id, done->out) : call_failed(call.id, done->err);
  }

  std::filesystem::path program_;
  Output& output_;
  McpLimits limits_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<McpCall> queue_;
  std::string running_;  // id of the call in work
  bool cancelled_ = false;
  bool ending_ = false;
  std::thread thread_;  // last: it uses the others
};

// Bytes to lines; a line beyond the limit becomes one that is no JSON.
class Lines {
 public:
  explicit Lines(size_t limit) : limit_(limit) {}
  std::vector<std::string> add(std::string_view bytes) {
    std::vector<std::string> lines;
    for (const char c : bytes) {
      if (c == '\n') {
        lines.push_back(too_long_ ? "a line that is too long" : std::move(line_));
        line_.clear();
        too_long_ = false;
      } else if (line_.size() < limit_) {
        line_ += c;
      } else {
        too_long_ = true;
      }
    }
    return lines;
  }
  std::string rest() { return std::move(line_); }

 private:
  size_t limit_;
  std::string line_;
  bool too_long_ = false;
};

}  // namespace

Expected<void> serve_mcp(McpProtocol protocol, const std::filesystem::path& program, int input, int output,
                         const McpLimits& limits) {
  ::signal(SIGPIPE, SIG_IGN);
  Output out(output);
  Worker worker(program, out, limits);
  Lines lines(limits.line_bytes);
  const auto take = [&](const std::string& line) {
    McpAction action = protocol.handle(line);
    if (!action.reply.empty()) out.write_line(action.reply);
    if (action.call) worker.add(std::move(*action.call));
    if (!action.cancelled.empty()) worker.cancel(action.cancelled);
  };
  std::array<char, 65536> buffer{};
  bool ended = false;
  // A stop that was asked for is one call's; a signal is for the whole server, and poll returns early on it.
  while (!ended && out.error() == 0) {
    pollfd wait = {input, POLLIN, 0};
    if (::poll(&wait, 1, 100) <= 0) {
      if (signalled()) break;
      continue;
    }
    const ssize_t count = ::read(input, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    ended = count <= 0;
    if (count > 0)
      for (const std::string& line : lines.add({buffer.data(), static_cast<size_t>(count)})) take(line);
  }
  if (ended) {
    if (const std::string rest = lines.rest(); !rest.empty()) take(rest);
  }
  worker.finish(ended);
  if (out.error() != 0) return internal_error(fmt::format("cannot write an answer: {}", std::strerror(out.error())));
  return {};
}

}  // namespace swizzleperf
