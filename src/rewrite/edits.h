// A change of a text as a list of edits, and as a unified diff.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace swizzleperf {

// At byte `at` of the original, `before` becomes `after`. Lists are sorted by `at` and do not overlap.
struct Edit {
  size_t at = 0;
  std::string before;
  std::string after;
};

std::string apply_edits(const std::string& original, const std::vector<Edit>& edits);

// The text from before the edits. Internal error where the text is not the result of these edits.
Expected<std::string> undo_edits(const std::string& changed, const std::vector<Edit>& edits);

// `name`: the path that the header shows, quoted as git quotes it where it has characters that need it. Hunks have
// three lines of context.
std::string unified_diff(const std::string& name, const std::string& original, const std::vector<Edit>& edits);

// Applies a unified diff of one file, without any tolerance. Internal error where it does not fit.
Expected<std::string> apply_patch(const std::string& original, const std::string& patch);

}  // namespace swizzleperf
