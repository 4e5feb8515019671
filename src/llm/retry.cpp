#include "llm/retry.h"

#include <algorithm>
#include <array>
#include <random>
#include <thread>

#include "base/process.h"

namespace swizzleperf {
namespace {

using Milliseconds = std::chrono::milliseconds;

// Words by which the providers tell "you have no money left" from "not so fast", both status 429.
bool quota_used_up(const std::string& body) {
  constexpr std::array<const char*, 3> kWords = {"insufficient_quota", "billing_hard_limit",
                                                 "credit balance is too low"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* word) { return body.find(word) != std::string::npos; });
}

bool sleep_unless_interrupted(Milliseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
    if (interrupted()) return false;
    const auto left = std::chrono::duration_cast<Milliseconds>(end - std::chrono::steady_clock::now());
    std::this_thread::sleep_for(std::clamp(left, Milliseconds(1), Milliseconds(50)));
  }
  return !interrupted();
}

Milliseconds backoff(const RetryPolicy& policy, int attempt) {
  const Milliseconds full = std::min(policy.longest_wait, policy.first_wait * (int64_t{1} << std::min(attempt, 20)));
  // Clients that failed together must not come back together: no seed makes that repeatable.
  static thread_local std::mt19937 random{std::random_device{}()};
  return Milliseconds(std::uniform_int_distribution<int64_t>(full.count() / 2, full.count())(random));
}

}  // namespace

Judgement judge(const HttpResponse& response) {
  switch (response.fault) {
    case HttpFault::kNone:
      break;
    case HttpFault::kInterrupted:
      return Judgement::kInterrupted;
    case HttpFault::kUnreachable:
    case HttpFault::kTimeout:
    case HttpFault::kBroken:
      return Judgement::kTransient;
    case HttpFault::kTls:
    case HttpFault::kTooLarge:
      return Judgement::kFatal;
  }
  const long status = response.status;
  if (status >= 200 && status < 300) return Judgement::kGood;
  if (quota_used_up(response.body)) return Judgement::kFatal;
  // llama-cpp-python's server has this status for a request that it cannot read.
  if (status == 500 && response.body.find("validation error") != std::string::npos) return Judgement::kParameter;
  if (status == 408 || status == 409 || status == 425 || status == 429 || status >= 500) return Judgement::kTransient;
  if (status == 400 || status == 422) return Judgement::kParameter;
  return Judgement::kFatal;
}

HttpResponse send_with_retries(const Transport& transport, const HttpRequest& request, const RetryPolicy& policy) {
  const auto start = std::chrono::steady_clock::now();
  const auto sleep = policy.sleep ? policy.sleep : sleep_unless_interrupted;
  Milliseconds waited{0};
  for (int attempt = 0;; ++attempt) {
    HttpResponse response = transport(request);
    // Where nobody listens one more try is enough: most often the server does not run.
    const int attempts = response.fault == HttpFault::kUnreachable ? std::min(2, policy.attempts) : policy.attempts;
    if (judge(response) != Judgement::kTransient || attempt + 1 >= attempts) return response;
    Milliseconds wait = backoff(policy, attempt);
    if (response.retry_after) {
      if (*response.retry_after > policy.longest_wait) return response;
      wait = std::max(wait, Milliseconds(*response.retry_after));
    }
    const auto spent = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start);
    waited += wait;
    if (std::max(spent + wait, waited) > policy.total) return response;
    if (!sleep(wait))
      return {.fault = HttpFault::kInterrupted,
              .fault_text = "interrupted",
              .content_type = "",
              .retry_after = {},
              .body = ""};
  }
}

}  // namespace swizzleperf
