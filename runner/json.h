// The little JSON that the answer needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace swizzleperf::runner {

std::string json_text(const std::string& text);  // quoted; bytes that are no UTF-8 become '?'
std::string json_number(double value);           // null where it is not finite
std::string json_list(const std::vector<double>& values);
std::string json_list(const std::vector<std::string>& values);  // of JSON

class JsonObject {
 public:
  JsonObject& raw(const std::string& key, const std::string& json);  // json as it stands
  JsonObject& text(const std::string& key, const std::string& value) { return raw(key, json_text(value)); }
  JsonObject& number(const std::string& key, double value) { return raw(key, json_number(value)); }
  JsonObject& integer(const std::string& key, int64_t value) { return raw(key, std::to_string(value)); }
  JsonObject& boolean(const std::string& key, bool value) { return raw(key, value ? "true" : "false"); }
  std::string print() const { return "{" + members_ + "}"; }

 private:
  std::string members_;
};

}  // namespace swizzleperf::runner
