// Asking again where that can help: transient faults wait and retry, fatal ones do not.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "llm/http.h"

namespace swizzleperf {

enum class Judgement {
  kGood,         // a 2xx response, whole
  kTransient,    // 408, 409, 425, 429, 5xx, resets, time-outs: the same request may succeed later
  kParameter,    // 400 or 422: the server takes the request amiss; another form of it may do
  kFatal,        // 401, 403, 404, used-up quota, TLS, anything else: no repetition helps
  kInterrupted,  // this process was asked to stop
};

// `body` may tell a used-up quota (fatal) from a passing limit of the rate, which share the status 429.
Judgement judge(const HttpResponse& response);

struct RetryPolicy {
  int attempts = 5;
  std::chrono::milliseconds first_wait{1'000};  // doubles with every attempt; half of each wait is random
  std::chrono::milliseconds longest_wait{60'000};
  std::chrono::milliseconds total{900'000};  // no wait begins that would end later than this after the first request
  // Waits; false when interrupted. Replaced by tests.
  std::function<bool(std::chrono::milliseconds)> sleep = {};
};

// Sends until the response is not transient or the policy is used up, and returns the last response. A Retry-After
// beyond the longest wait ends it: the response says how long.
HttpResponse send_with_retries(const Transport& transport, const HttpRequest& request, const RetryPolicy& policy);

}  // namespace swizzleperf
