// One HTTP POST by libcurl: TLS verified, redirects not followed (they could carry the key elsewhere), limits on time
// and size, and stopped at once by an interrupt.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "llm/secret.h"

namespace swizzleperf {

struct HttpRequest {
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string key_header;  // carries key_prefix + the secret, where there is one
  std::string key_prefix;
  Secret key;
  std::string body;  // JSON
};

struct HttpLimits {
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds total{600'000};  // a long answer of a large model takes minutes
  size_t response_bytes = size_t{16} << 20;
};

// Why there is no whole response.
enum class HttpFault {
  kNone,
  kUnreachable,  // no such host, connection refused, connection time-out
  kTimeout,      // connected, but the response did not end in time
  kBroken,       // reset, or ended before its announced length
  kTls,          // the certificate is not valid for the host
  kTooLarge,     // beyond HttpLimits::response_bytes
  kInterrupted,  // this process was asked to stop
};

struct HttpResponse {
  HttpFault fault = HttpFault::kNone;
  std::string fault_text;  // what happened, for a fault
  long status = 0;
  std::string content_type;
  std::optional<std::chrono::seconds> retry_after;  // from Retry-After, given in seconds or as a date
  std::string body;
};

// How a request reaches a server: by the network, or from a recording.
using Transport = std::function<HttpResponse(const HttpRequest&)>;

HttpResponse http_post(const HttpRequest& request, const HttpLimits& limits = {});

// User error unless the URL is http or https with a host and without user, password, query and fragment (keys have no
// place there). With a key, plain http is for this machine only.
Expected<void> check_url(const std::string& url, bool has_key);

}  // namespace swizzleperf
