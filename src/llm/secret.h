// API keys: read from the environment or from a file, shown to nobody, and removed from every text that leaves the
// program (errors, recordings, history, prompts that a server echoes).
#pragma once

#include <filesystem>
#include <string>

#include "base/error.h"

namespace swizzleperf {

class Secret {
 public:
  Secret() = default;
  // User error unless the value is printable ASCII without blanks (a header cannot carry anything else) and has at
  // least 8 characters (a shorter one could not be told from ordinary text). `origin` names where it is from.
  static Expected<Secret> create(std::string value, const std::string& origin);
  bool empty() const { return value_.empty(); }
  // For the request's header, and for nothing else.
  const std::string& reveal() const { return value_; }

 private:
  explicit Secret(std::string value) : value_(std::move(value)) {}
  std::string value_;
};

// The key in `file` if one is named, else the one in the environment's `variable`, else none. User error where the file
// cannot be read, or can be read by others than its owner.
Expected<Secret> load_secret(const std::string& variable, const std::filesystem::path& file);

// The text with "[redacted]" in the place of the secret, also where the text ends in the middle of it.
std::string redact(std::string text, const Secret& secret);

}  // namespace swizzleperf
