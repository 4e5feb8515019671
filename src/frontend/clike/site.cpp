#include "frontend/clike/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
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

}  // namespace swizzleperf
