// A small HTTP server on the loopback that plays a provider: each request gets the next answer of a script.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace swizzleperf {

struct FakeAnswer {
  enum class Fault {
    kNone,
    kReset,   // the connection is reset instead of an answer
    kHalf,    // the body ends in its middle
    kDrip,    // a byte now and then, for ever
    kSilent,  // no byte at all
  };
  int status = 200;
  std::string body = {};
  std::string content_type = "application/json";
  std::vector<std::string> headers = {};  // "Retry-After: 1"
  Fault fault = Fault::kNone;
};

struct SeenRequest {
  std::string head;  // request line and headers
  std::string body;
};

class FakeServer {
 public:
  // The last answer of the script serves all later requests too.
  explicit FakeServer(std::vector<FakeAnswer> script);
  ~FakeServer();
  FakeServer(const FakeServer&) = delete;
  FakeServer& operator=(const FakeServer&) = delete;
  std::string url() const;  // http://127.0.0.1:PORT
  std::vector<SeenRequest> seen() const;

 private:
  void serve();
  void answer(int connection);
  std::vector<FakeAnswer> script_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::vector<SeenRequest> seen_;
  std::thread thread_;
};

// What OpenAI's, Anthropic's and Gemini's servers answer with this text; tokens 100 in, 50 out.
FakeAnswer openai_answer(const std::string& text, const std::string& finish = "stop");
FakeAnswer anthropic_answer(const std::string& text, const std::string& stop = "end_turn");
FakeAnswer gemini_answer(const std::string& text, const std::string& finish = "STOP");
// OpenAI's answer that calls a tool.
FakeAnswer openai_call(const std::string& name, const std::string& arguments);
// A typed reply as JSON.
std::string typed_reply(const std::string& map);

}  // namespace swizzleperf
