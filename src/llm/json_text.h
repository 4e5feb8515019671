// JSON of strangers, read with care: depth is bounded before it is parsed, and a field of another type is an absent
// one.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace swizzleperf {

using Json = nlohmann::ordered_json;

// Nothing when it is no JSON, or nested deeper than `depth`.
std::optional<Json> parse_json(std::string_view text, int depth = 64);

// The field, or null where `json` is no object or has none.
const Json& field(const Json& json, const char* key);
std::string text_field(const Json& json, const char* key);
int64_t count_field(const Json& json, const char* key);  // 0 where there is no whole number, or a negative one

// One line; bytes that are not UTF-8 are replaced.
std::string dump(const Json& json);

}  // namespace swizzleperf
