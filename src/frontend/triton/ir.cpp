#include "frontend/triton/ir.h"

#include <algorithm>

namespace swizzleperf::triton {

int64_t Type::elements() const {
  int64_t product = 1;
  for (const int64_t extent : shape) product *= extent;
  return product;
}

int64_t Type::element_bytes() const {
  if (element == Element::kPointer) return 8;
  return std::max(1, (bits + 7) / 8);
}

const Attribute* Operation::attribute(const std::string& key) const {
  for (const auto& [name_here, value] : attributes) {
    if (name_here == key) return &value;
  }
  return nullptr;
}

bool Operation::has_word(const std::string& word) const {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const Function* Module::function(const std::string& name) const {
  for (const Function& one : functions) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

std::string Module::source_line(const Operation& operation) const {
  constexpr int kMostHops = 32;  // locations name others, which malformed text could make a ring
  std::string location = operation.location;
  for (int hop = 0; hop < kMostHops; ++hop) {
    // A file location is "path":line:column, a name "name"(#loc3), a call callsite(#loc1 at #loc2).
    const size_t quote = location.find('"');
    const size_t end = quote == std::string::npos ? quote : location.find("\":", quote + 1);
    if (end != std::string::npos && location.find('"', quote + 1) == end) {
      const size_t digits = end + 2;
      const size_t stop = location.find_first_not_of("0123456789", digits);
      const std::string path = location.substr(quote + 1, end - quote - 1);
      return path + ":" + location.substr(digits, stop - digits);
    }
    const size_t hash = location.find('#');
    if (hash == std::string::npos) return {};
    const size_t stop = location.find_first_of(" )(", hash);
    const auto next = locations.find(location.substr(hash, stop - hash));
    if (next == locations.end()) return {};
    location = next->second;
  }
  return {};
}

}  // namespace swizzleperf::triton
