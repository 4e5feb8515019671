#include "llm/reply.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "llm/json_text.h"
#include "llm/mend_json.h"

namespace swizzleperf {
namespace {

constexpr size_t kMostCandidates = 16;  // objects tried in one text
constexpr size_t kMostCritiques = 64;
constexpr size_t kLongestField = 4096;            // what is kept of a field of prose
constexpr size_t kLongestMap = size_t{64} << 10;  // the map language's own limit

std::string clipped(std::string text) {
  if (text.size() > kLongestField) text.resize(kLongestField);
  return text;
}

// 0.83, "83 %", 83: a fraction; nothing for anything else.
std::optional<double> fraction_of(const Json& json) {
  double value = -1;
  if (json.is_number()) {
    value = json.get<double>();
  } else if (json.is_string()) {
    const std::string text = json.get<std::string>();
    const size_t digit = text.find_first_of("0123456789");
    if (digit == std::string::npos) return std::nullopt;
    const auto parsed = std::from_chars(text.data() + digit, text.data() + text.size(), value);
    if (parsed.ec != std::errc()) return std::nullopt;
    if (text.find('%', digit) != std::string::npos) value /= 100;
  }
  if (value > 1 && value <= 100) value /= 100;
  return value >= 0 && value <= 1 ? std::optional(value) : std::nullopt;
}

std::vector<Critique> critiques_of(const Json& json) {
  std::vector<Critique> critiques;
  if (!json.is_array()) return critiques;
  for (const Json& entry : json) {
    if (critiques.size() == kMostCritiques) break;
    Critique critique{static_cast<int>(std::min<int64_t>(count_field(entry, "try"), 1'000'000)),
                      clipped(entry.is_string() ? entry.get<std::string>() : text_field(entry, "why"))};
    if (!critique.why.empty()) critiques.push_back(std::move(critique));
  }
  return critiques;
}

std::optional<TypedReply> from_json(const Json& json) {
  const Json& map = field(json, "map");
  if (!map.is_string() && !map.is_array()) return std::nullopt;
  std::string text;
  if (map.is_string()) text = map.get<std::string>();
  for (const Json& line : map.is_array() ? map : Json::array())  // one statement a string
    text += (line.is_string() ? line.get<std::string>() : "") + "\n";
  return TypedReply{critiques_of(field(json, "critiques")), clipped(text_field(json, "summary")),
                    clipped(text_field(json, "why_better")), tidy_map(text),
                    fraction_of(field(json, "expected_hit_rate"))};
}

// Objects in the text, each tried as it stands and mended.
std::optional<TypedReply> from_objects(std::string_view text) {
  size_t begin = text.find('{');
  for (size_t tried = 0; begin != std::string_view::npos && tried < kMostCandidates; ++tried) {
    size_t end = 0;
    const std::string mended = mend_json(text.substr(begin), end);
    if (const auto json = parse_json(mended)) {
      if (auto reply = from_json(*json)) return reply;
    }
    begin = text.find('{', begin + 1);
  }
  return std::nullopt;
}

bool same_letters(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == b;
}

// Where a label ("map:", "**map**:", "map =") begins a line or follows a sentence.
size_t find_label(std::string_view text, std::string_view label, size_t& value) {
  auto from = text.begin();
  while (true) {
    from = std::search(from, text.end(), label.begin(), label.end(), same_letters);
    if (from == text.end()) return std::string_view::npos;
    const auto at = static_cast<size_t>(from - text.begin());
    const bool starts = at == 0 || (std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0 && text[at - 1] != '_');
    size_t after = at + label.size();
    while (after < text.size() &&
           (text[after] == '*' || text[after] == '"' || text[after] == '`' || text[after] == ' '))
      ++after;
    if (starts && after < text.size() && text[after] == ':') {
      value = after + 1;
      return at;
    }
    ++from;
  }
}

constexpr std::array<std::string_view, 5> kLabels = {"critiques", "summary", "why_better", "map", "expected_hit_rate"};

// The text after a label, up to the next label.
std::string labelled(std::string_view text, std::string_view label) {
  size_t value = 0;
  if (find_label(text, label, value) == std::string_view::npos) return "";
  std::string_view rest = text.substr(value);
  for (const auto& other : kLabels) {
    size_t unused = 0;
    if (other != label) rest = rest.substr(0, find_label(rest, other, unused));
  }
  return std::string(rest);
}

// The last fenced block that assigns a result.
std::string fenced_map(std::string_view text) {
  std::string found;
  for (size_t begin = text.find("```"); begin != std::string_view::npos;) {
    const size_t line = text.find('\n', begin);
    const size_t end = line == std::string_view::npos ? line : text.find("```", line);
    if (end == std::string_view::npos) break;
    const std::string_view block = text.substr(line + 1, end - line - 1);
    if (block.size() <= kLongestMap && block.find("pid") != std::string_view::npos &&
        block.find('=') != std::string_view::npos)
      found = block;
    begin = text.find("```", end + 3);
  }
  return found;
}

bool has_result(const std::string& map) {
  return map.find("pid") != std::string::npos && map.find('=') != std::string::npos;
}

}  // namespace

namespace {

tl::unexpected<Error> too_long() {
  return user_error(fmt::format("the map has more than {} characters", kLongestMap), {}, "write a shorter one");
}

}  // namespace

Expected<TypedReply> parse_reply(std::string_view text) {
  if (auto reply = from_objects(text)) {
    if (reply->map.size() > kLongestMap) return too_long();
    return std::move(*reply);
  }
  TypedReply reply;
  reply.map = tidy_map(labelled(text, "map"));
  if (!has_result(reply.map)) reply.map = tidy_map(fenced_map(text));
  if (!has_result(reply.map))
    return user_error("there is no map in the answer", {}, "answer with one JSON object that has the field \"map\"");
  if (reply.map.size() > kLongestMap) return too_long();
  reply.summary = clipped(labelled(text, "summary"));
  reply.why_better = clipped(labelled(text, "why_better"));
  reply.expected_hit_rate = fraction_of(Json(labelled(text, "expected_hit_rate")));
  return reply;
}

}  // namespace swizzleperf
