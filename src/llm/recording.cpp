#include "llm/recording.h"

#include <fmt/format.h>

#include <fstream>
#include <vector>

#include "base/file.h"
#include "llm/json_text.h"

namespace swizzleperf {
namespace {

constexpr size_t kMostBytes = size_t{256} << 20;

// JSON as JSON, so that no escape sequence hides a key; anything else as text.
Json body_json(const std::string& body, const Secret& key) {
  auto json = parse_json(body);
  if (!json) return redact(body, key);
  auto clean = parse_json(redact(dump(*json), key));
  return clean ? std::move(*clean) : Json(redact(dump(*json), key));
}

std::string body_text(const Json& json) {
  return json.is_string() ? json.get<std::string>() : dump(json);
}

struct Exchange {
  bool any_request = true;
  std::string url, request_body;
  HttpResponse response;
};

Expected<Exchange> parse_exchange(std::string_view line, const Place& place) {
  const auto json = parse_json(line, 128);
  const Json& response = json ? field(*json, "response") : field(Json(), "");
  if (!response.is_object()) return user_error("this line is no recorded exchange", place, "record with --record");
  Exchange exchange;
  const Json& request = field(*json, "request");
  if (request.is_object()) {
    exchange.any_request = false;
    exchange.url = text_field(request, "url");
    exchange.request_body = dump(field(request, "body"));
  }
  const Json& status = field(response, "status");
  exchange.response.status = status.is_number_integer() ? static_cast<long>(count_field(response, "status")) : 200;
  exchange.response.content_type = text_field(response, "content_type");
  exchange.response.body = body_text(field(response, "body"));
  if (std::string fault = text_field(response, "fault"); !fault.empty()) {
    exchange.response.fault = HttpFault::kBroken;
    exchange.response.fault_text = std::move(fault);
  }
  return exchange;
}

HttpResponse no_answer(std::string why) {
  return {.fault = HttpFault::kTls, .fault_text = std::move(why), .content_type = "", .retry_after = {}, .body = ""};
}

}  // namespace

Expected<Transport> record_to(const std::filesystem::path& file, Transport inner) {
  if (std::filesystem::exists(file))
    return user_error("the recording exists already", {file.string()}, "move it away, or record to another file");
  auto stream = std::make_shared<std::ofstream>(file, std::ios::binary);
  if (!*stream) return user_error("cannot write the recording", {file.string()});
  return Transport([stream, inner = std::move(inner)](const HttpRequest& request) {
    HttpResponse response = inner(request);
    if (response.fault == HttpFault::kInterrupted) return response;
    Json json;
    json["request"] = {{"url", redact(request.url, request.key)}, {"body", body_json(request.body, request.key)}};
    json["response"] = {{"status", response.status},
                        {"content_type", redact(response.content_type, request.key)},
                        {"body", body_json(response.body, request.key)}};
    if (response.fault != HttpFault::kNone) json["response"]["fault"] = redact(response.fault_text, request.key);
    *stream << redact(dump(json), request.key) << '\n' << std::flush;
    return response;
  });
}

Expected<Transport> replay_from(const std::filesystem::path& file) {
  const auto text = read_file(file, kMostBytes);
  if (!text) return tl::unexpected(text.error());
  auto exchanges = std::make_shared<std::vector<Exchange>>();
  int number = 0;
  for (size_t begin = 0; begin < text->size();) {
    const size_t end = std::min(text->find('\n', begin), text->size());
    const std::string_view line = std::string_view(*text).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto exchange = parse_exchange(line, {file.string(), number, 0});
    if (!exchange) return tl::unexpected(exchange.error());
    exchanges->push_back(std::move(*exchange));
  }
  // Copies of a transport, one for each model, share the place in the file.
  return Transport([exchanges, place = std::make_shared<size_t>(0)](const HttpRequest& request) {
    size_t& next = *place;
    if (next == exchanges->size()) return no_answer(fmt::format("the recording ends after {} exchanges", next));
    const Exchange& exchange = (*exchanges)[next++];
    const auto sent = parse_json(request.body);
    const bool same =
        exchange.any_request || (exchange.url == request.url && sent && dump(*sent) == exchange.request_body);
    return same ? exchange.response
                : no_answer(
                      fmt::format("exchange {} of the recording was made with another request: record anew", next));
  });
}

}  // namespace swizzleperf
