// How inserted code is recognised. Private to src/rewrite.
#pragma once

namespace swizzleperf {

inline constexpr const char* kMarker = "// swizzleperf: ";
inline constexpr const char* kOpening = "// swizzleperf: this workgroup takes the tile that the map gives it";
inline constexpr const char* kClosing = "// swizzleperf: end";

}  // namespace swizzleperf
