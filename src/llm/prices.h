// What tokens cost: data/prices.toml, or a file of the user's.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "llm/chat.h"

namespace swizzleperf {

// US dollars a million tokens.
struct Price {
  double input = 0;
  double output = 0;
  double cost(const Usage& usage) const {
    return (static_cast<double>(usage.input) * input + static_cast<double>(usage.output) * output) / 1e6;
  }
};

class Prices {
 public:
  // The installation's file where `file` is empty. User error for a file that is no list of prices.
  static Expected<Prices> load(const std::filesystem::path& file = {});
  static Expected<Prices> parse(const std::string& toml_text, const std::string& file_name);
  // The longest entry that the model's name begins with; none: the price is unknown.
  std::optional<Price> find(const std::string& model) const;
  const std::string& as_of() const { return as_of_; }

 private:
  std::map<std::string, Price> models_;
  std::string as_of_;
};

}  // namespace swizzleperf
