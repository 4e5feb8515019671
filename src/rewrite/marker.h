// How inserted code is recognised. Private to src/rewrite.
#pragma once

#include <cctype>
#include <string>

namespace swizzleperf {

inline constexpr const char* kMarker = "// swizzleperf: ";
inline constexpr const char* kOpening = "// swizzleperf: this workgroup takes the tile that the map gives it";
inline constexpr const char* kClosing = "// swizzleperf: end";

// "block.group_index()", "cg::this_thread_block().group_index()": the block id of a cooperative group. Where the whole
// of it begins, from where its last name stands; that very place where it is of another form.
inline size_t begin_of_group_index(const std::string& source, size_t name) {
  const auto word = [&](size_t end) {
    while (end > 0 && (std::isalnum(static_cast<unsigned char>(source[end - 1])) != 0 || source[end - 1] == '_')) --end;
    return end;
  };
  if (name < 2 || source[name - 1] != '.') return name;
  size_t end = name - 1;
  const bool call = end > 2 && source.compare(end - 2, 2, "()") == 0;
  if (call) end -= 2;
  size_t begin = word(end);
  if (begin == end || (call && source.compare(begin, end - begin, "this_thread_block") != 0)) return name;
  while (call && begin > 2 && source.compare(begin - 2, 2, "::") == 0) begin = word(begin - 2);
  const char before = begin == 0 ? ' ' : source[begin - 1];
  return before == '.' || before == '>' || before == ':' || before == ')' ? name : begin;
}

}  // namespace swizzleperf
