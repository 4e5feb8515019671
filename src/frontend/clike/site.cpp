#include "frontend/clike/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <sstream>
#include <vector>

#include "base/process.h"
#include "frontend/clike/compile.h"

namespace swizzleperf {

Site find_site(const TracedKernel& kernel, uint64_t offset) {
  Site site;
  if (offset == 0) return site;
  // A return address points behind the call: one byte back lies inside it. Code that the compiler made up has no line:
  // then what lies shortly before it has. For each address its own line and one a frame, the innermost first.
  constexpr uint64_t kFarthest = 64, kStep = 4;
  std::vector<std::string> command = {"addr2line", "-a", "-i", "-e", kernel.library().string()};
  for (uint64_t back = 1; back <= std::min(kFarthest, offset); back += kStep)
    command.push_back(fmt::format("0x{:x}", offset - back));
  const auto result = run_process(command);
  if (!result || !result->ok()) return site;
  const std::string shim = shim_folder().string();
  std::istringstream frames(result->out);
  for (std::string frame; std::getline(frames, frame);) {
    if (frame.rfind("0x", 0) == 0 && site.place.line > 0) break;
    const size_t colon = frame.rfind(':');
    if (colon == std::string::npos || frame[0] == '?') continue;
    Place place{.file = frame.substr(0, colon)};
    std::from_chars(frame.data() + colon + 1, frame.data() + frame.size(), place.line);
    const bool ours = place.file.rfind(shim, 0) == 0 || place.file.rfind("/usr/", 0) == 0 ||
                      std::filesystem::path(place.file).filename() == kEntryName;
    if (ours || place.line == 0) continue;
    if (site.place.line == 0) {
      site.place = place;
    } else if (place.line != site.place.line) {
      site.caller = place.line;
    }
  }
  return site;
}

std::vector<std::string> describe_sites(const TracedKernel& kernel, const Workload& workload) {
  std::map<uint64_t, Place> known;
  std::vector<std::string> result;
  for (const auto& site : workload.sites) {
    std::set<std::pair<std::string, int>> lines;
    for (const uint64_t offset : site) {
      const auto [found, added] = known.try_emplace(offset);
      if (added) found->second = find_site(kernel, offset).place;
      if (found->second.line > 0)
        lines.emplace(std::filesystem::path(found->second.file).filename().string(), found->second.line);
    }
    std::string text, file;
    for (const auto& [name, line] : lines) {
      text += name == file ? fmt::format(", {}", line) : fmt::format("{}{}:{}", text.empty() ? "" : ", ", name, line);
      file = name;
    }
    result.push_back(std::move(text));
  }
  return result;
}

}  // namespace swizzleperf
