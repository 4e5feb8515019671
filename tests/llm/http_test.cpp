// Real requests over the loopback, and the faults that servers and networks have.
#include "llm/http.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "llm/retry.h"
#include "tests/llm/fake_server.h"

namespace swizzleperf {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kKey = "sk-test-0123456789abcdef";

HttpRequest request_to(const std::string& url) {
  return {.url = url + "/v1/chat/completions",
          .headers = {{"x-extra", "yes"}},
          .key_header = "Authorization",
          .key_prefix = "Bearer ",
          .key = Secret::create(kKey, "test").value(),
          .body = R"({"a": 1})"};
}

HttpLimits short_limits() {
  return {.connect = milliseconds(1000), .total = milliseconds(400), .response_bytes = 10'000};
}

TEST(Http, SendsBodyHeadersAndKeyAndReadsTheAnswer) {
  const FakeServer server({{.body = R"({"ok": true})"}});
  const HttpResponse response = http_post(request_to(server.url()));
  EXPECT_EQ(response.fault, HttpFault::kNone) << response.fault_text;
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, R"({"ok": true})");
  EXPECT_EQ(response.content_type, "application/json");
  ASSERT_EQ(server.seen().size(), 1U);
  EXPECT_EQ(server.seen()[0].body, R"({"a": 1})");
  EXPECT_THAT(server.seen()[0].head, HasSubstr("POST /v1/chat/completions HTTP/1.1"));
  EXPECT_THAT(server.seen()[0].head, HasSubstr(std::string("Authorization: Bearer ") + kKey));
  EXPECT_THAT(server.seen()[0].head, HasSubstr("x-extra: yes"));
}

TEST(Http, TellsFaultsApart) {
  using Fault = FakeAnswer::Fault;
  const auto fault_of = [](FakeAnswer answer) {
    const FakeServer server({std::move(answer)});
    return http_post(request_to(server.url()), short_limits());
  };
  EXPECT_EQ(fault_of({.fault = Fault::kReset}).fault, HttpFault::kBroken);
  EXPECT_EQ(fault_of({.body = std::string(1000, 'x'), .fault = Fault::kHalf}).fault, HttpFault::kBroken);
  EXPECT_EQ(fault_of({.body = "slow", .fault = Fault::kDrip}).fault, HttpFault::kTimeout);
  EXPECT_EQ(fault_of({.fault = Fault::kSilent}).fault, HttpFault::kTimeout);
  const HttpResponse large = fault_of({.body = std::string(20'000, 'x')});
  EXPECT_EQ(large.fault, HttpFault::kTooLarge);
  EXPECT_THAT(large.fault_text, HasSubstr("10000 bytes"));
}

TEST(Http, ARefusedConnectionIsUnreachable) {
  std::string url;
  {
    const FakeServer server({{}});
    url = server.url();
  }
  EXPECT_EQ(http_post(request_to(url), short_limits()).fault, HttpFault::kUnreachable);
}

TEST(Http, DoesNotFollowRedirects) {
  const FakeServer other({{.body = "stolen"}});
  const FakeServer server({{.status = 302, .headers = {"Location: " + other.url() + "/"}}});
  EXPECT_EQ(http_post(request_to(server.url())).status, 302);
  EXPECT_TRUE(other.seen().empty());
}

TEST(Http, PlainTextWhereTlsIsExpectedIsNoAnswer) {
  const FakeServer server({{.body = "{}"}});
  HttpRequest request = request_to(server.url());
  request.url.replace(0, 4, "https");
  const HttpResponse response = http_post(request, short_limits());
  EXPECT_NE(response.fault, HttpFault::kNone);
  for (const auto& seen : server.seen()) EXPECT_THAT(seen.head, Not(HasSubstr(kKey)));
}

TEST(Http, ReadsRetryAfterAsSecondsAndAsADate) {
  const FakeServer server({{.status = 429, .headers = {"Retry-After: 7"}},
                           {.status = 429, .headers = {"retry-after:  Thu, 01 Jan 1970 00:00:00 GMT"}},
                           {.status = 429, .headers = {"Retry-After: soon"}},
                           {.status = 429, .headers = {"Retry-After: 99999999999999999999"}}});
  EXPECT_EQ(http_post(request_to(server.url())).retry_after, std::chrono::seconds(7));
  EXPECT_EQ(http_post(request_to(server.url())).retry_after, std::chrono::seconds(0));
  EXPECT_EQ(http_post(request_to(server.url())).retry_after, std::nullopt);
  EXPECT_GT(http_post(request_to(server.url())).retry_after.value(), std::chrono::hours(1000));
}

TEST(CheckUrl, TakesOnlyWhatCarriesNoSecretAndHidesTheKey) {
  EXPECT_TRUE(check_url("https://api.example.com/v1", true));
  EXPECT_TRUE(check_url("http://127.0.0.1:8000/v1", true));
  EXPECT_TRUE(check_url("http://localhost:8000/v1", true));
  EXPECT_TRUE(check_url("http://gpu-box:8000/v1", false));
  EXPECT_FALSE(check_url("http://gpu-box:8000/v1", true));
  for (const char* url : {"ftp://host/v1", "nonsense", "", "https://", "https://user:pass@host/v1",
                          "https://host/v1?key=abc", "https://host/v1#x", "file:///etc/passwd"}) {
    const auto status = check_url(url, false);
    ASSERT_FALSE(status) << url;
    EXPECT_EQ(exit_code(status.error()), 2);
  }
}

// A transport that plays responses, and a policy whose waits are noted instead of slept.
struct Play {
  std::vector<HttpResponse> script;
  size_t sent = 0;
  std::vector<milliseconds> waits = {};
  HttpResponse run(RetryPolicy policy) {
    policy.sleep = [this](milliseconds wait) {
      waits.push_back(wait);
      return true;
    };
    return send_with_retries([this](const HttpRequest&) { return script.at(std::min(sent++, script.size() - 1)); }, {},
                             policy);
  }
};

HttpResponse status(long code, std::optional<std::chrono::seconds> retry_after = {}, std::string body = "") {
  HttpResponse response;
  response.status = code;
  response.retry_after = retry_after;
  response.body = std::move(body);
  return response;
}

TEST(Retry, WaitsLongerEachTimeWithJitterAndSucceeds) {
  Play play{{status(500), status(503), status(429), status(200)}};
  EXPECT_EQ(play.run({}).status, 200);
  ASSERT_EQ(play.waits.size(), 3U);
  for (size_t i = 0; i < play.waits.size(); ++i) {
    EXPECT_GE(play.waits[i], milliseconds(500 << i));
    EXPECT_LE(play.waits[i], milliseconds(1000 << i));
  }
}

TEST(Retry, HonoursRetryAfterButNotOneThatIsTooLong) {
  Play play{{status(429, std::chrono::seconds(30)), status(200)}};
  EXPECT_EQ(play.run({}).status, 200);
  EXPECT_EQ(play.waits, std::vector{milliseconds(30'000)});
  Play late{{status(429, std::chrono::seconds(3600)), status(200)}};
  EXPECT_EQ(late.run({}).status, 429);
  EXPECT_TRUE(late.waits.empty());
}

TEST(Retry, FatalAnswersAreNotRepeated) {
  for (const long code : {400, 401, 403, 404, 422, 302}) {
    Play play{{status(code), status(200)}};
    EXPECT_EQ(play.run({}).status, code);
    EXPECT_EQ(play.sent, 1U);
  }
  Play quota{{status(429, {}, R"({"error":{"code":"insufficient_quota"}})"), status(200)}};
  EXPECT_EQ(quota.run({}).status, 429);
  EXPECT_EQ(quota.sent, 1U);
  Play unread{{status(500, {}, "1 validation error: response_format"), status(200)}};
  EXPECT_EQ(unread.run({}).status, 500);
  EXPECT_EQ(unread.sent, 1U);
  Play tls{{{.fault = HttpFault::kTls}, status(200)}};
  EXPECT_EQ(tls.run({}).fault, HttpFault::kTls);
}

TEST(Retry, EndsAfterItsAttemptsAndItsTime) {
  Play attempts{{status(500)}};
  EXPECT_EQ(attempts.run({.attempts = 3}).status, 500);
  EXPECT_EQ(attempts.sent, 3U);
  Play time{{status(500)}};
  EXPECT_EQ(time.run({.attempts = 100, .first_wait = milliseconds(1000), .total = milliseconds(5000)}).status, 500);
  EXPECT_LT(time.sent, 8U);
  Play nobody{{{.fault = HttpFault::kUnreachable}}};
  EXPECT_EQ(nobody.run({}).fault, HttpFault::kUnreachable);
  EXPECT_EQ(nobody.sent, 2U);
}

TEST(Retry, AnInterruptedWaitEndsIt) {
  RetryPolicy policy;
  policy.sleep = [](milliseconds) { return false; };
  EXPECT_EQ(send_with_retries([](const HttpRequest&) { return status(500); }, {}, policy).fault,
            HttpFault::kInterrupted);
}

TEST(SecretTest, IsRedactedWholeAndWhereATextBreaksOff) {
  const Secret key = Secret::create(kKey, "test").value();
  EXPECT_EQ(redact(std::string("a ") + kKey + " b " + kKey, key), "a [redacted] b [redacted]");
  EXPECT_EQ(redact("the key is sk-test-012345", key), "the key is [redacted]");
  EXPECT_EQ(redact("sk-te", key), "sk-te");
  EXPECT_EQ(redact("nothing", Secret()), "nothing");
  EXPECT_EQ(redact("", key), "");
}

TEST(SecretTest, ComesFromAFileThatOthersCannotRead) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const auto file = folder->path() / "key";
  ASSERT_TRUE(write_file_atomic(file, std::string(kKey) + "\n"));
  std::filesystem::permissions(file, std::filesystem::perms(0644));
  EXPECT_FALSE(load_secret("", file));
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  EXPECT_EQ(load_secret("", file)->reveal(), kKey);
  ASSERT_TRUE(write_file_atomic(file, "two words\n"));
  EXPECT_FALSE(load_secret("", file));
  EXPECT_FALSE(load_secret("", folder->path() / "absent"));
  EXPECT_TRUE(load_secret("SWIZZLEPERF_NO_SUCH_VARIABLE", "")->empty());
}

}  // namespace
}  // namespace swizzleperf
