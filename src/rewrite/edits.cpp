#include "rewrite/edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace swizzleperf {
namespace {

constexpr size_t kContext = 3;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end == std::string::npos ? end : end - at + 1));
    at += lines.back().size();
  }
  return lines;
}

// Lines [begin, end) of the original become `lines`.
struct Change {
  size_t begin = 0;
  size_t end = 0;
  std::vector<std::string> lines;
};

// The lines that each edit touches, edits of the same lines together; what stays equal at both ends is cut off.
std::vector<Change> changed_lines(const std::string& original, const std::vector<std::string>& lines,
                                  const std::vector<Edit>& edits) {
  std::vector<size_t> begins = {0};  // byte at which each line begins, and the end of the text
  for (const std::string& line : lines) begins.push_back(begins.back() + line.size());
  const auto line_at = [&](size_t byte) {
    const auto next = std::upper_bound(begins.begin(), begins.end() - 1, byte);
    return static_cast<size_t>(next - begins.begin()) - 1;
  };
  std::vector<Change> changes;
  for (size_t i = 0; i < edits.size();) {
    const size_t first = line_at(edits[i].at);
    size_t last = line_at(edits[i].at + edits[i].before.size());
    size_t next = i + 1;
    while (next < edits.size() && line_at(edits[next].at) <= last) {
      last = std::max(last, line_at(edits[next].at + edits[next].before.size()));
      ++next;
    }
    const size_t end = std::min(last + 1, lines.size());
    std::vector<Edit> moved(edits.begin() + static_cast<std::ptrdiff_t>(i),
                            edits.begin() + static_cast<std::ptrdiff_t>(next));
    for (Edit& edit : moved) edit.at -= begins[first];
    Change change{first, end,
                  lines_of(apply_edits(original.substr(begins[first], begins[end] - begins[first]), moved))};
    while (change.begin < change.end && !change.lines.empty() && lines[change.begin] == change.lines.front()) {
      ++change.begin;
      change.lines.erase(change.lines.begin());
    }
    while (change.begin < change.end && !change.lines.empty() && lines[change.end - 1] == change.lines.back()) {
      --change.end;
      change.lines.pop_back();
    }
    if (change.begin < change.end || !change.lines.empty()) changes.push_back(std::move(change));
    i = next;
  }
  return changes;
}

// As git does: in quotes, with escapes, where a name has quotes, backslashes or bytes outside printable ASCII; a tab
// after a name with spaces tells where it ends.
std::string header_name(const std::string& prefix, const std::string& name) {
  const bool quote = std::any_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '"' || c == '\\' || byte < 0x20 || byte >= 0x7F;
  });
  if (!quote) return prefix + name + (name.find(' ') == std::string::npos ? "" : "\t");
  std::string text = "\"" + prefix;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      text += fmt::format("\\{}", c);
    else
      text += byte < 0x20 || byte >= 0x7F ? fmt::format("\\{:03o}", byte) : std::string(1, c);
  }
  return text + "\"";
}

std::string diff_line(char sign, const std::string& line) {
  return sign + line + (line.back() == '\n' ? "" : "\n\\ No newline at end of file\n");
}

// A hunk's range: the line before where it is empty.
std::string range(size_t begin, size_t count) {
  return fmt::format("{},{}", count == 0 ? begin : begin + 1, count);
}

tl::unexpected<Error> misfit(const std::string& what) {
  return internal_error("the patch does not fit its source: " + what);
}

}  // namespace

std::string apply_edits(const std::string& original, const std::vector<Edit>& edits) {
  std::string result;
  size_t at = 0;
  for (const Edit& edit : edits) {
    result += original.substr(at, edit.at - at) + edit.after;
    at = edit.at + edit.before.size();
  }
  return result + original.substr(at);
}

Expected<std::string> undo_edits(const std::string& changed, const std::vector<Edit>& edits) {
  std::string result;
  size_t at = 0;  // in the changed text
  for (const Edit& edit : edits) {
    if (edit.at < result.size()) return internal_error("the edits of the rewrite overlap");
    const size_t kept = edit.at - result.size();
    if (at + kept > changed.size() || changed.compare(at + kept, edit.after.size(), edit.after) != 0)
      return internal_error(fmt::format("the rewritten text is not what was inserted at byte {}", edit.at));
    result += changed.substr(at, kept) + edit.before;
    at += kept + edit.after.size();
  }
  return result + changed.substr(at);
}

std::string unified_diff(const std::string& name, const std::string& original, const std::vector<Edit>& edits) {
  const std::vector<std::string> lines = lines_of(original);
  const std::vector<Change> changes = changed_lines(original, lines, edits);
  std::string text = fmt::format("--- {}\n+++ {}\n", header_name("a/", name), header_name("b/", name));
  std::ptrdiff_t shift = 0;  // lines added by the hunks before
  for (size_t i = 0; i < changes.size();) {
    size_t last = i;
    while (last + 1 < changes.size() && changes[last + 1].begin <= changes[last].end + 2 * kContext) ++last;
    const size_t begin = changes[i].begin - std::min(changes[i].begin, kContext);
    const size_t end = std::min(changes[last].end + kContext, lines.size());
    std::string hunk;
    std::ptrdiff_t added = 0;
    size_t at = begin;
    for (; i <= last; ++i) {
      const Change& change = changes[i];
      for (; at < change.begin; ++at) hunk += diff_line(' ', lines[at]);
      for (; at < change.end; ++at) hunk += diff_line('-', lines[at]);
      for (const std::string& line : change.lines) hunk += diff_line('+', line);
      added +=
          static_cast<std::ptrdiff_t>(change.lines.size()) - static_cast<std::ptrdiff_t>(change.end - change.begin);
    }
    for (; at < end; ++at) hunk += diff_line(' ', lines[at]);
    const auto moved = static_cast<size_t>(static_cast<std::ptrdiff_t>(begin) + shift);
    const auto after = static_cast<size_t>(static_cast<std::ptrdiff_t>(end - begin) + added);
    text += fmt::format("@@ -{} +{} @@\n{}", range(begin, end - begin), range(moved, after), hunk);
    shift += added;
  }
  return text;
}

Expected<std::string> apply_patch(const std::string& original, const std::string& patch) {
  const std::vector<std::string> before = lines_of(original), diff = lines_of(patch);
  if (diff.size() < 3 || diff[0].rfind("--- ", 0) != 0 || diff[1].rfind("+++ ", 0) != 0) return misfit("no header");
  std::string result;
  size_t at = 0;
  for (size_t i = 2; i < diff.size(); ++i) {
    if (diff[i].rfind("@@ -", 0) == 0) {
      size_t first = 0, count = 0;
      if (std::sscanf(diff[i].c_str(), "@@ -%zu,%zu", &first, &count) != 2) return misfit("a hunk without a range");
      const size_t begin = count == 0 ? first : first - 1;
      if (begin < at || begin > before.size()) return misfit("hunks out of order");
      for (; at < begin; ++at) result += before[at];
      continue;
    }
    const char sign = diff[i][0];
    std::string line = diff[i].substr(1);
    if (i + 1 < diff.size() && diff[i + 1].rfind("\\ No newline", 0) == 0) {
      line.pop_back();
      ++i;
    }
    if (sign == '+') {
      result += line;
      continue;
    }
    if ((sign != ' ' && sign != '-') || at >= before.size() || before[at] != line)
      return misfit(fmt::format("line {} is another one", at + 1));
    if (sign == ' ') result += line;
    ++at;
  }
  for (; at < before.size(); ++at) result += before[at];
  return result;
}

}  // namespace swizzleperf
