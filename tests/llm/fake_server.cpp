#include "tests/llm/fake_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>

namespace swizzleperf {
namespace {

using Json = nlohmann::json;

bool readable(int descriptor, int milliseconds) {
  pollfd wait = {descriptor, POLLIN, 0};
  return ::poll(&wait, 1, milliseconds) > 0;
}

size_t length_of(const std::string& head) {
  const size_t at = head.find("Content-Length:");
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + 15));
}

SeenRequest read_request(int connection) {
  std::string text;
  std::array<char, 65536> buffer{};
  size_t end = std::string::npos;
  while (readable(connection, 5000)) {
    const ssize_t count = ::recv(connection, buffer.data(), buffer.size(), 0);
    if (count <= 0) break;
    text.append(buffer.data(), static_cast<size_t>(count));
    end = text.find("\r\n\r\n");
    if (end != std::string::npos && text.size() >= end + 4 + length_of(text.substr(0, end))) break;
  }
  if (end == std::string::npos) return {text, ""};
  return {text.substr(0, end), text.substr(end + 4)};
}

void send_all(int connection, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
    if (count <= 0) return;
    text.remove_prefix(static_cast<size_t>(count));
  }
}

std::string head_of(const FakeAnswer& answer) {
  std::string head = "HTTP/1.1 " + std::to_string(answer.status) + " Played\r\nContent-Type: " + answer.content_type +
                     "\r\nContent-Length: " + std::to_string(answer.body.size()) + "\r\nConnection: close\r\n";
  for (const auto& line : answer.headers) head += line + "\r\n";
  return head + "\r\n";
}

}  // namespace

FakeServer::FakeServer(std::vector<FakeAnswer> script) : script_(std::move(script)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address);
  ::listen(listener_, 16);
  socklen_t size = sizeof address;
  ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  thread_ = std::thread([this] { serve(); });
}

FakeServer::~FakeServer() {
  stopping_ = true;
  thread_.join();
  ::close(listener_);
}

std::string FakeServer::url() const {
  return "http://127.0.0.1:" + std::to_string(port_);
}

std::vector<SeenRequest> FakeServer::seen() const {
  const std::scoped_lock lock(mutex_);
  return seen_;
}

void FakeServer::serve() {
  while (!stopping_) {
    if (!readable(listener_, 20)) continue;
    const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) continue;
    answer(connection);
    ::close(connection);
  }
}

void FakeServer::answer(int connection) {
  SeenRequest request = read_request(connection);
  size_t number = 0;
  {
    const std::scoped_lock lock(mutex_);
    number = seen_.size();
    seen_.push_back(std::move(request));
  }
  const FakeAnswer& played = script_.at(std::min(number, script_.size() - 1));
  const std::string whole = head_of(played) + played.body;
  switch (played.fault) {
    case FakeAnswer::Fault::kNone:
      send_all(connection, whole);
      ::shutdown(connection, SHUT_WR);
      readable(connection, 1000);  // until the client has read it all and closes
      return;
    case FakeAnswer::Fault::kReset: {
      const linger now = {1, 0};
      ::setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, sizeof now);
      return;
    }
    case FakeAnswer::Fault::kHalf:
      send_all(connection, std::string_view(whole).substr(0, whole.size() - played.body.size() / 2));
      return;
    case FakeAnswer::Fault::kDrip:
    case FakeAnswer::Fault::kSilent:
      break;
  }
  for (size_t i = 0; !stopping_ && !readable(connection, 50); ++i) {
    if (played.fault == FakeAnswer::Fault::kDrip && i < whole.size())
      send_all(connection, std::string_view(whole).substr(i, 1));
  }
}

FakeAnswer openai_answer(const std::string& text, const std::string& finish) {
  const Json json = {{"id", "chatcmpl-1"},
                     {"object", "chat.completion"},
                     {"choices",
                      {{{"index", 0},
                        {"message", {{"role", "assistant"}, {"content", text}, {"refusal", nullptr}}},
                        {"finish_reason", finish}}}},
                     {"usage", {{"prompt_tokens", 100}, {"completion_tokens", 50}, {"total_tokens", 150}}}};
  return {.body = json.dump()};
}

FakeAnswer openai_call(const std::string& name, const std::string& arguments) {
  const Json call = {{"id", "call_1"}, {"type", "function"}, {"function", {{"name", name}, {"arguments", arguments}}}};
  const Json json = {{"choices",
                      {{{"index", 0},
                        {"message", {{"role", "assistant"}, {"content", nullptr}, {"tool_calls", {call}}}},
                        {"finish_reason", "tool_calls"}}}},
                     {"usage", {{"prompt_tokens", 100}, {"completion_tokens", 50}}}};
  return {.body = json.dump()};
}

FakeAnswer anthropic_answer(const std::string& text, const std::string& stop) {
  const Json json = {{"type", "message"},
                     {"role", "assistant"},
                     {"content", {{{"type", "text"}, {"text", text}}}},
                     {"stop_reason", stop},
                     {"usage", {{"input_tokens", 100}, {"output_tokens", 50}}}};
  return {.body = json.dump()};
}

FakeAnswer gemini_answer(const std::string& text, const std::string& finish) {
  const Json json = {
      {"candidates", {{{"content", {{"role", "model"}, {"parts", {{{"text", text}}}}}}, {"finishReason", finish}}}},
      {"usageMetadata", {{"promptTokenCount", 100}, {"candidatesTokenCount", 40}, {"thoughtsTokenCount", 10}}}};
  return {.body = json.dump()};
}

std::string typed_reply(const std::string& map) {
  const Json json = {{"critiques", Json::array()},
                     {"summary", "a summary"},
                     {"why_better", "a reason"},
                     {"map", map},
                     {"expected_hit_rate", 0.5}};
  return json.dump();
}

}  // namespace swizzleperf
