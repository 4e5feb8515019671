#include "llm/json_text.h"

namespace swizzleperf {
namespace {

bool too_deep(std::string_view text, int limit) {
  int depth = 0;
  bool inside = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside) {
      if (c == '\\') ++i;
      inside = c != '"';
    } else if (c == '"') {
      inside = true;
    } else if (c == '{' || c == '[') {
      if (++depth > limit) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::optional<Json> parse_json(std::string_view text, int depth) {
  if (too_deep(text, depth)) return std::nullopt;
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

const Json& field(const Json& json, const char* key) {
  static const Json none;
  if (!json.is_object()) return none;
  const auto found = json.find(key);
  return found == json.end() ? none : *found;
}

std::string text_field(const Json& json, const char* key) {
  const Json& value = field(json, key);
  return value.is_string() ? value.get<std::string>() : std::string();
}

int64_t count_field(const Json& json, const char* key) {
  const Json& value = field(json, key);
  constexpr int64_t kMost = int64_t{1} << 40;
  if (value.is_number_unsigned()) return static_cast<int64_t>(std::min<uint64_t>(value.get<uint64_t>(), kMost));
  return value.is_number_integer() ? std::clamp<int64_t>(value.get<int64_t>(), 0, kMost) : 0;
}

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace swizzleperf
