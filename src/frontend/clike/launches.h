// Kernel launches, `kernel<<<grid, block>>>(arguments)`, which are no C++. Private to the front end.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace swizzleperf {

// Byte offsets of every `<<<` that opens a launch; comments and literals are skipped.
std::vector<size_t> find_launches(const std::string& text);

// The text with `<<<...>>>` replaced by blanks, which leaves a plain call: every other byte stays where it is.
std::string blank_launches(std::string text);

}  // namespace swizzleperf
