#include "llm/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "llm/retry.h"

namespace swizzleperf {
namespace {

constexpr int kMostQuirks = 5;  // as many as there are to learn

std::string url_of(const Provider& provider, const std::string& model) {
  std::string path = provider.path;
  if (const size_t at = path.find("{model}"); at != std::string::npos) path.replace(at, 7, model);
  return provider.base_url + path;
}

bool is_json(const std::string& content_type) {
  return content_type.empty() || content_type.find("json") != std::string::npos;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
  return text;
}

bool has_any(const std::string& text, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return text.find(word) != std::string::npos; });
}

// A model's name becomes part of a URL with some providers.
bool plain_name(const std::string& model) {
  return !model.empty() && model.find("..") == std::string::npos && std::all_of(model.begin(), model.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_.:/@+").find(c) != std::string_view::npos;
  });
}

void redact_reply(ChatReply& reply, const Secret& key) {
  reply.text = redact(std::move(reply.text), key);
  reply.detail = redact(std::move(reply.detail), key);
  reply.raw = redact(std::move(reply.raw), key);
  for (ToolCall& call : reply.calls) call.arguments = redact(std::move(call.arguments), key);
}

}  // namespace

ChatClient::ChatClient(Provider provider, Secret key, Transport transport)
    : provider_(std::move(provider)), key_(std::move(key)), transport_(std::move(transport)) {}

HttpResponse ChatClient::send(const ChatRequest& request) {
  HttpRequest http{.url = url_of(provider_, request.model),
                   .headers = {provider_.headers.begin(), provider_.headers.end()},
                   .key_header = provider_.key_header,
                   .key_prefix = provider_.key_prefix,
                   .key = key_,
                   .body = encode(provider_, request, quirks_)};
  ++requests_;
  return transport_(http);
}

tl::unexpected<Error> ChatClient::refusal(const HttpResponse& response) const {
  const std::string said = redact(error_message(redact(response.body, key_)), key_);
  const std::string server = fmt::format("{} ({})", provider_.name, provider_.base_url);
  if (response.fault == HttpFault::kInterrupted) return user_error("interrupted");
  if (response.fault != HttpFault::kNone)
    return missing(fmt::format("{} does not answer: {}", server, redact(response.fault_text, key_)), {},
                   "check --base-url, and that the server runs");
  if (response.status == 401 || response.status == 403)
    return user_error(fmt::format("{} refuses the API key (status {}): {}", server, response.status, said), {},
                      fmt::format("set ${} or give --key-file", provider_.key_variable));
  if (response.status == 404)
    return user_error(fmt::format("{} has no such model or address (status 404): {}", server, said), {},
                      "check --model and --base-url");
  if (response.status == 429) {
    const std::string wait =
        response.retry_after ? fmt::format("; it asks to wait {} s", response.retry_after->count()) : "";
    return missing(fmt::format("{} takes no more requests (status 429{}): {}", server, wait, said), {},
                   "try later, or with a lower budget");
  }
  if (response.status >= 500)
    return missing(fmt::format("{} fails (status {}): {}", server, response.status, said), {}, "try later");
  return user_error(fmt::format("{} refuses the request (status {}): {}", server, response.status, said));
}

Expected<ChatReply> ChatClient::ask(const ChatRequest& request) {
  if (!plain_name(request.model))
    return user_error(fmt::format("'{}' is no name of a model", request.model), {"--model"});
  HttpResponse response = send(request);
  for (int i = 0; i < kMostQuirks && judge(response) == Judgement::kParameter; ++i) {
    if (!learn_quirk(error_message(response.body) + response.body, request, provider_, quirks_)) break;
    response = send(request);
  }
  if (judge(response) != Judgement::kGood) return refusal(response);
  auto reply = is_json(response.content_type)
                   ? decode(provider_.wire, response.body)
                   : user_error(fmt::format("its answer is {}, not JSON", error_message(response.content_type)));
  if (!reply)
    return missing(redact(fmt::format("{} ({}): {}", provider_.name, provider_.base_url, reply.error().message), key_),
                   {}, "check --base-url and --provider: something else may listen there");
  redact_reply(*reply, key_);
  return reply;
}

bool learn_quirk(const std::string& complaint, const ChatRequest& request, const Provider& provider, Quirks& quirks) {
  const std::string said = lower(complaint);
  const std::string field = quirks.max_tokens_field.empty() ? provider.max_tokens_field : quirks.max_tokens_field;
  if (provider.wire == Wire::kOpenAi && quirks.max_tokens_field.empty() &&
      has_any(said, {"max_tokens", "max_completion_tokens"}) &&
      has_any(said,
              {"unsupported", "not supported", "unrecognized", "unknown", "extra", "not permitted", "unexpected"})) {
    quirks.max_tokens_field = field == "max_tokens" ? "max_completion_tokens" : "max_tokens";
    return true;
  }
  if (request.temperature && !quirks.no_temperature && has_any(said, {"temperature"}))
    return quirks.no_temperature = true;
  if (!request.reply_schema.empty() && !quirks.no_schema && provider.reply != ReplyForm::kTool &&
      has_any(said, {"response_format", "json_schema", "responseschema", "response_schema", "response_mime_type"}))
    return quirks.no_schema = true;
  const bool sends_tools = (provider.tools && !request.tools.empty()) || provider.reply == ReplyForm::kTool;
  if (!quirks.no_tools && sends_tools && has_any(said, {"tool", "function"})) return quirks.no_tools = true;
  if (!quirks.no_system && !request.system.empty() &&
      has_any(said, {"system role", "system message", "system instruction", "developer instruction"}))
    return quirks.no_system = true;
  return false;
}

Expected<Provider> prepare_provider(Provider provider, const std::string& base_url, const Secret& key) {
  if (!base_url.empty()) provider.base_url = base_url;
  while (!provider.base_url.empty() && provider.base_url.back() == '/') provider.base_url.pop_back();
  if (provider.base_url.empty())
    return user_error(fmt::format("the provider '{}' has no address of its own", provider.name), {"--base-url"},
                      "give --base-url");
  if (auto status = check_url(provider.base_url, !key.empty()); !status) return tl::unexpected(status.error());
  if (provider.key_required && key.empty())
    return user_error(fmt::format("the provider '{}' needs an API key", provider.name), {},
                      fmt::format("set ${} or give --key-file", provider.key_variable));
  return provider;
}

}  // namespace swizzleperf
