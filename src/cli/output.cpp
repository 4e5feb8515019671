#include "cli/output.h"

#include <fmt/format.h>

#include "base/file.h"
#include "cli/session.h"

namespace swizzleperf {
namespace {

// What would stop a rewrite in place, before anything is written.
Expected<void> check_in_place(const std::filesystem::path& backup, const Case& the_case, const KernelInfo& kernel) {
  if (std::filesystem::exists(backup)) {
    return user_error("the backup exists already: nothing was written", {backup.string()},
                      "move it away, or use --patch");
  }
  const auto now = read_file(the_case.source);
  if (!now) return tl::unexpected(now.error());
  if (*now == kernel.source) return {};
  return user_error("the source changed while the kernel was examined: nothing was written",
                    {the_case.source.string()});
}

Expected<std::string> replace_source(const std::filesystem::path& backup, const Case& the_case,
                                     const KernelInfo& kernel, const Rewritten& rewritten) {
  if (const auto saved = write_file_atomic(backup, kernel.source); !saved) return tl::unexpected(saved.error());
  if (const auto written = write_file_atomic(the_case.source, rewritten.source); !written) {
    std::error_code ignored;
    std::filesystem::remove(backup, ignored);
    return tl::unexpected(written.error());
  }
  return fmt::format("rewrote {} (backup: {})", the_case.source.string(), backup.string());
}

}  // namespace

Expected<std::vector<std::string>> write_outputs(const OutputOptions& options, const Case& the_case,
                                                 const KernelInfo& kernel, const Rewritten& rewritten) {
  std::vector<std::string> lines;
  const std::filesystem::path backup = the_case.source.string() + ".orig";
  if (options.in_place) {
    if (const auto status = check_in_place(backup, the_case, kernel); !status) return tl::unexpected(status.error());
  }
  if (!options.patch_file.empty()) {
    if (const auto written = write_file_atomic(options.patch_file, rewritten.patch); !written) {
      return tl::unexpected(written.error());
    }
    lines.push_back("wrote " + options.patch_file);
  }
  if (options.in_place) {
    auto replaced = replace_source(backup, the_case, kernel, rewritten);
    if (!replaced) return tl::unexpected(replaced.error());
    lines.push_back(std::move(*replaced));
  }
  return lines;
}

int finish_with_outputs(const OutputOptions& options, const Case& the_case, const KernelInfo& kernel,
                        const Rewritten& rewritten) {
  const auto written = write_outputs(options, the_case, kernel, rewritten);
  if (!written) return report_error(written.error());
  for (const auto& line : *written) fmt::print(stderr, "{}\n", line);
  return 0;
}

}  // namespace swizzleperf
