// Where in the source a traced kernel's code comes from. Private to the front end.
#pragma once

#include <string>

#include "base/error.h"
#include "frontend/clike/trace.h"

namespace swizzleperf {

// The place of the call that returns to `offset` of the kernel's library: the innermost line that is not the shim's or
// the C++ library's. Unknown where there is none. `caller`: the line that it was inlined from, where that is another.
struct Site {
  Place place;
  int caller = 0;
};
Site find_site(const TracedKernel& kernel, uint64_t offset);

}  // namespace swizzleperf
