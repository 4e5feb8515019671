// A model's answer as fields. The format is the prompt's (data/prompts/reply.schema.json); the reader is tolerant: code
// fences, prose around, raw newlines, trailing commas, labelled text instead of JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace swizzleperf {

// Why an earlier try fell short, in the model's words.
struct Critique {
  int attempt = 0;  // its number in the prompt's history, from 1; 0: not said
  std::string why;
};

struct TypedReply {
  std::vector<Critique> critiques;
  std::string summary;
  std::string why_better;
  std::string map;                          // text that is meant as a map, not yet parsed
  std::optional<double> expected_hit_rate;  // fraction 0..1; none where it is missing or nonsense
};

// Any text, also of megabytes, in time linear to its length. User error where no map can be found in it.
Expected<TypedReply> parse_reply(std::string_view text);

// A map as models write it, in a form that SwizzleExpr::parse can read: without fences and backticks, escaped newlines
// undone, and statements that ran together parted. Changes nothing in a map that is well-formed.
std::string tidy_map(std::string_view text);

}  // namespace swizzleperf
