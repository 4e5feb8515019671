// Splits a text of the map language into tokens. Private to src/swizzle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace swizzleperf::detail {

struct Token {
  enum class Kind { kEnd, kSeparator, kName, kNumber, kSymbol };
  Kind kind = Kind::kEnd;
  std::string text;
  int64_t number = 0;
  int line = 1;
  int column = 1;
};

// User error with the place for anything that is no token, and for a text of more than 64 KiB.
Expected<std::vector<Token>> tokenize(std::string_view text, std::string_view file_name);

}  // namespace swizzleperf::detail
