#include "llm/http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "base/process.h"

namespace swizzleperf {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPollMs = 50;  // how soon an interrupt is seen

// libcurl's handles are pointers to void, so that the function that frees one is a part of the owner's type.
template <class T, auto Free>
using Owner = std::unique_ptr<T, decltype([](T* handle) { Free(handle); })>;
using Easy = Owner<CURL, curl_easy_cleanup>;
using Multi = Owner<CURLM, curl_multi_cleanup>;
using List = Owner<curl_slist, curl_slist_free_all>;
using Url = Owner<CURLU, curl_url_cleanup>;

struct Sink {
  HttpResponse* response = nullptr;
  size_t limit = 0;
  bool full = false;
};

size_t receive(char* data, size_t /*one*/, size_t size, void* target) {
  auto& sink = *static_cast<Sink*>(target);
  if (sink.response->body.size() + size > sink.limit) {
    sink.full = true;
    return 0;
  }
  sink.response->body.append(data, size);
  return size;
}

std::optional<std::chrono::seconds> parse_retry_after(std::string_view value) {
  const std::string text(value);
  const bool digits =
      !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (digits) return text.size() > 9 ? std::chrono::seconds(999'999'999) : std::chrono::seconds(std::stol(text));
  const time_t when = curl_getdate(text.c_str(), nullptr);
  if (when < 0) return std::nullopt;
  return std::chrono::seconds(std::max<int64_t>(0, when - ::time(nullptr)));
}

size_t receive_header(char* data, size_t /*one*/, size_t size, void* target) {
  constexpr std::string_view kName = "retry-after:";
  std::string_view line(data, size);
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  if (line.size() <= kName.size() ||
      !std::equal(kName.begin(), kName.end(), line.begin(), [&](char b, char a) { return same(a, b); }))
    return size;
  line.remove_prefix(kName.size());
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  while (!line.empty() && (line.back() == '\r' || line.back() == '\n' || line.back() == ' ')) line.remove_suffix(1);
  static_cast<Sink*>(target)->response->retry_after = parse_retry_after(line);
  return size;
}

HttpFault fault_of(CURLcode code, bool full, bool connected) {
  switch (code) {
    case CURLE_OK:
      return HttpFault::kNone;
    case CURLE_WRITE_ERROR:
      return full ? HttpFault::kTooLarge : HttpFault::kBroken;
    case CURLE_OPERATION_TIMEDOUT:
      return connected ? HttpFault::kTimeout : HttpFault::kUnreachable;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
      return HttpFault::kUnreachable;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
      return HttpFault::kTls;
    default:
      return HttpFault::kBroken;
  }
}

List header_list(const HttpRequest& request) {
  curl_slist* list = curl_slist_append(nullptr, "Content-Type: application/json");
  list = curl_slist_append(list, "Accept: application/json");
  list = curl_slist_append(list, "Expect:");  // no waiting for "100 Continue"
  for (const auto& [name, value] : request.headers) list = curl_slist_append(list, (name + ": " + value).c_str());
  if (!request.key.empty())
    list = curl_slist_append(list, (request.key_header + ": " + request.key_prefix + request.key.reveal()).c_str());
  return List(list);
}

void set_options(CURL* easy, const HttpRequest& request, const HttpLimits& limits, Sink& sink) {
  curl_easy_setopt(easy, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits.connect.count()));
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(limits.total.count()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.body.c_str());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, &sink);
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receive_header);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, &sink);
}

// Runs the transfer; nothing when it was interrupted.
std::optional<CURLcode> perform(CURLM* multi) {
  int running = 1;
  while (running > 0) {
    if (interrupted()) return std::nullopt;
    if (curl_multi_perform(multi, &running) != CURLM_OK) return CURLE_RECV_ERROR;
    if (running > 0) curl_multi_poll(multi, nullptr, 0, kPollMs, nullptr);
  }
  int left = 0;
  const CURLMsg* message = curl_multi_info_read(multi, &left);
  return message != nullptr && message->msg == CURLMSG_DONE ? message->data.result : CURLE_RECV_ERROR;
}

struct UrlParts {
  std::string scheme, host, user, query, fragment;
};

std::optional<UrlParts> split_url(const std::string& text) {
  const Url url(curl_url());
  if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) return std::nullopt;
  const auto part = [&](CURLUPart which) {
    char* value = nullptr;
    if (curl_url_get(url.get(), which, &value, 0) != CURLUE_OK) return std::string();
    std::string copy(value);
    curl_free(value);
    return copy;
  };
  return UrlParts{part(CURLUPART_SCHEME), part(CURLUPART_HOST), part(CURLUPART_USER), part(CURLUPART_QUERY),
                  part(CURLUPART_FRAGMENT)};
}

bool this_machine(const std::string& host) {
  return host == "localhost" || host == "[::1]" || host.rfind("127.", 0) == 0;
}

}  // namespace

HttpResponse http_post(const HttpRequest& request, const HttpLimits& limits) {
  static const CURLcode started = curl_global_init(CURL_GLOBAL_DEFAULT);
  HttpResponse response;
  const Multi multi(curl_multi_init());
  const Easy easy(curl_easy_init());
  if (started != CURLE_OK || !multi || !easy) {
    return {.fault = HttpFault::kBroken,
            .fault_text = "libcurl does not start",
            .content_type = "",
            .retry_after = {},
            .body = ""};
  }
  Sink sink{&response, limits.response_bytes};
  std::array<char, CURL_ERROR_SIZE> reason = {};
  set_options(easy.get(), request, limits, sink);
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, reason.data());
  // A proxy of the environment is for the world outside, not for a server on this machine.
  if (const auto parts = split_url(request.url); parts && this_machine(parts->host))
    curl_easy_setopt(easy.get(), CURLOPT_NOPROXY, "*");
  const List headers = header_list(request);
  curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_multi_add_handle(multi.get(), easy.get());
  const auto code = perform(multi.get());
  double connect_seconds = 0;
  curl_easy_getinfo(easy.get(), CURLINFO_CONNECT_TIME, &connect_seconds);
  curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &response.status);
  const char* type = nullptr;
  curl_easy_getinfo(easy.get(), CURLINFO_CONTENT_TYPE, &type);
  response.content_type = type != nullptr ? type : "";
  response.fault = code ? fault_of(*code, sink.full, connect_seconds > 0) : HttpFault::kInterrupted;
  if (response.fault != HttpFault::kNone) {
    const char* text = code && reason[0] == '\0' ? curl_easy_strerror(*code) : reason.data();
    response.fault_text = sink.full ? fmt::format("the response is larger than {} bytes", limits.response_bytes) : text;
  }
  curl_multi_remove_handle(multi.get(), easy.get());
  return response;
}

Expected<void> check_url(const std::string& url, bool has_key) {
  const auto parts = split_url(url);
  if (!parts || parts->host.empty() || (parts->scheme != "http" && parts->scheme != "https"))
    return user_error("the base URL is no http or https URL", {"--base-url"},
                      "write for example http://127.0.0.1:8000/v1");
  if (!parts->user.empty() || !parts->query.empty() || !parts->fragment.empty())
    return user_error("the base URL has a user, a query or a fragment", {"--base-url"},
                      "keys come from the environment or a key file, never from a URL");
  if (has_key && parts->scheme == "http" && !this_machine(parts->host))
    return user_error("the API key would be sent in the clear", {"--base-url"},
                      "use https; plain http with a key is for this machine only");
  return {};
}

}  // namespace swizzleperf
