#include "runner/json.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace swizzleperf::runner {
namespace {

template <class T, class Print>
std::string list(const std::vector<T>& values, Print print) {
  std::string result = "[";
  for (const T& value : values) result += (result.size() > 1 ? "," : "") + print(value);
  return result + "]";
}

}  // namespace

std::string json_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += std::string("\\") + c;
    } else if (byte < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(byte));
      result += escape.data();
    } else {
      result += byte < 0x80 ? c : '?';
    }
  }
  return result + "\"";
}

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.15g", value);
  return text.data();
}

std::string json_list(const std::vector<double>& values) {
  return list(values, json_number);
}

std::string json_list(const std::vector<std::string>& values) {
  return list(values, [](const std::string& json) { return json; });
}

JsonObject& JsonObject::raw(const std::string& key, const std::string& json) {
  members_ += (members_.empty() ? "" : ",") + json_text(key) + ":" + json;
  return *this;
}

}  // namespace swizzleperf::runner
