// JSON as models write it, made JSON.
#pragma once

#include <string>
#include <string_view>

namespace swizzleperf {

// The object or array that `text` begins with, without trailing commas and comments, with raw control characters in
// strings escaped, unknown escapes kept as text, and what is still open at the end of the text closed. `end`: the
// characters of `text` that it takes. One pass.
std::string mend_json(std::string_view text, size_t& end);

}  // namespace swizzleperf
