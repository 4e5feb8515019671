// `__shared__ alignas(16) float tile[64]`, which GPU compilers take, but which is no C++: alignas comes first there.
// Private to the front end.
#pragma once

#include <string>

namespace swizzleperf {

// The text with alignas in front of the words `__shared__`, `extern` and `static` before it: of the same length, and
// equal but for these declarations.
std::string alignas_first(std::string text);

}  // namespace swizzleperf
