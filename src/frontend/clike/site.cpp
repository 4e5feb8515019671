#include "frontend/clike/site.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "base/process.h"
#include "frontend/clike/compile.h"

namespace swizzleperf {

Site find_site(const TracedKernel& kernel, uint64_t offset) {
  Site site;
  if (offset == 0) return site;
  // A return address points behind the call: one byte back lies inside it. One line a frame, the innermost first.
  const auto result =
      run_process({"addr2line", "-i", "-e", kernel.library().string(), fmt::format("0x{:x}", offset - 1)});
  if (!result || !result->ok()) return site;
  const std::string shim = shim_folder().string();
  std::istringstream frames(result->out);
  for (std::string frame; std::getline(frames, frame);) {
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
