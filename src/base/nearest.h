// Names that a user may have meant.
#pragma once

#include <string>
#include <vector>

namespace swizzleperf {

// Insertions, deletions, replacements and swaps of neighbours that turn one text into the other; case does not count.
int edit_distance(const std::string& a, const std::string& b);

// The known name that is nearest to `name`, where it is near enough to be a slip; else empty.
std::string nearest_name(const std::string& name, const std::vector<std::string>& known);

// Advice for an unknown name: "did you mean 'x'? known: x, y". `label` stands before the list.
std::string known_names(const std::string& name, const std::vector<std::string>& known,
                        const std::string& label = "known");

}  // namespace swizzleperf
