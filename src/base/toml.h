// Reading TOML with errors that name file, line and field. A thin layer over toml++.
#pragma once

#include <toml++/toml.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/nearest.h"

namespace swizzleperf {

// User error with line and column on a syntax error.
// ASCII only: toml++ 3.3 runs into undefined behaviour on some other characters outside strings.
inline Expected<toml::table> parse_toml(const std::string& text, const std::string& file) {
  int line = 1;
  for (const char c : text) {
    line += c == '\n' ? 1 : 0;
    if (static_cast<unsigned char>(c) >= 0x80)
      return user_error("a character that is not ASCII", {file, line, 0}, "write the file in ASCII");
  }
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    return user_error(std::string(error.description()), {file, static_cast<int>(error.source().begin.line),
                                                         static_cast<int>(error.source().begin.column)});
  }
}

inline Place place_of(const toml::node& node, const std::string& file) {
  return {file, static_cast<int>(node.source().begin.line), static_cast<int>(node.source().begin.column)};
}

// User error that lists the known keys, the nearest first, when the table has any other.
inline Expected<void> only_keys(const toml::table& table, const std::vector<std::string>& known,
                                const std::string& where, const std::string& file) {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return user_error("unknown field '" + name + "' in " + where, place_of(node, file), known_names(name, known));
  }
  return {};
}

}  // namespace swizzleperf
