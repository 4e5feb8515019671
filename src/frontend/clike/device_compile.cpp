#include "frontend/clike/device_compile.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "base/file.h"
#include "base/process.h"
#include "frontend/clike/compile.h"
#include "frontend/clike/lexing.h"

namespace swizzleperf {
namespace {

// The kernel's own source plus an explicit instantiation where the case names template arguments.
std::string unit_text(const Case& the_case, const std::string& source) {
  return fmt::format("#line 1 \"{}\"\n{}\n", the_case.source.string(), source);
}

// The number after `key` in the text, searched from `from`; -1 where it is absent.
int64_t number_after(const std::string& text, const std::string& key, size_t from) {
  const size_t at = text.find(key, from);
  if (at == std::string::npos) return -1;
  size_t digit = at + key.size();
  while (digit < text.size() && text[digit] == ' ') ++digit;
  int64_t value = -1;
  std::from_chars(text.data() + digit, text.data() + text.size(), value);
  return value;
}

// Does a compiler's name of a function stand for this one? Mangled, its length precedes its name; `extern "C"`, it is
// all there is.
bool names(const std::string& line, const std::string& simple) {
  const std::string mangled = fmt::format("{}{}", simple.size(), simple);
  const auto stands = [&](const std::string& name, auto may_precede, auto may_follow) {
    for (size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + 1)) {
      const size_t end = at + name.size();
      if ((at == 0 || may_precede(line[at - 1])) && (end >= line.size() || may_follow(line[end]))) return true;
    }
    return false;
  };
  const auto no_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) == 0; };
  return stands(mangled, no_digit, [](char) { return true; }) ||
         stands(simple, [](char c) { return !is_word(c); }, [](char c) { return !is_word(c); });
}

// Where the listing speaks of the kernel. Template arguments as they stand inside a mangled name are not decoded: of
// several instances, the one of the case's first type is taken, where that is float or half.
size_t entry_of(const std::string& listing, const std::string& marker, const KernelInfo& kernel) {
  const size_t colons = kernel.name.rfind("::");
  const std::string simple = colons == std::string::npos ? kernel.name : kernel.name.substr(colons + 2);
  const bool is_float = kernel.symbol_call.find("<float") != std::string::npos;
  const bool is_half = kernel.symbol_call.find("half") != std::string::npos;
  size_t first = std::string::npos;
  for (size_t at = listing.find(marker); at != std::string::npos; at = listing.find(marker, at + marker.size())) {
    const size_t begin = at + marker.size();
    const std::string line = listing.substr(begin, listing.find('\n', begin) - begin);
    if (!names(line, simple)) continue;
    if (first == std::string::npos) first = at;
    if (is_half && line.find("6__half") == std::string::npos) continue;
    if (is_float && line.find("If") == std::string::npos) continue;
    return at;
  }
  return first;
}

}  // namespace

Expected<CompiledResources> compile_for_amd(const Case& the_case, const KernelInfo& kernel, const std::string& source,
                                            const std::string& arch) {
  const auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  const std::string unit = (folder->path() / "unit.hip").string();
  const std::string listing = (folder->path() / "unit.s").string();
  if (auto status = write_file_atomic(unit, unit_text(the_case, source)); !status)
    return tl::unexpected(status.error());
  std::vector<std::string> command = {"clang++-19",
                                      "-x",
                                      "hip",
                                      "--cuda-device-only",
                                      "--offload-arch=" + arch,
                                      "-nogpuinc",
                                      "-nogpulib",
                                      "-std=c++20",
                                      "-O3",
                                      "-w",
                                      "-fdeclspec",
                                      "-fno-color-diagnostics",
                                      "-ferror-limit=5",
                                      "-I" + device_shim_folder().string(),
                                      "-include",
                                      "swizzleperf_device.h"};
  const auto options = source_options(the_case);
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-S", unit, "-o", listing});
  const auto result = run_process(command);
  if (!result) return tl::unexpected(result.error());
  if (!result->ok()) {
    Error error = compile_error(result->err, the_case.source.string());
    error.blame = Blame::kUnsupported;
    return tl::unexpected(std::move(error));
  }
  const auto text = read_file(listing);
  if (!text) return tl::unexpected(text.error());
  // The metadata of a kernel: .group_segment_fixed_size, ..., .symbol, .vgpr_count, .vgpr_spill_count in this order.
  const size_t name = entry_of(*text, ".symbol:", kernel);
  const size_t begin = name == std::string::npos ? name : text->rfind(".group_segment_fixed_size:", name);
  if (begin == std::string::npos)
    return unsupported("the compiler's listing has no metadata of the kernel", {the_case.source.string()});
  CompiledResources resources;
  resources.lds_bytes = std::max<int64_t>(0, number_after(*text, ".group_segment_fixed_size:", begin));
  resources.vgprs = std::max<int64_t>(0, number_after(*text, ".vgpr_count:", name));
  resources.spilled = std::max<int64_t>(0, number_after(*text, ".vgpr_spill_count:", name));
  return resources;
}

Expected<CompiledResources> compile_for_nvidia(const Case& the_case, const KernelInfo& kernel,
                                               const std::string& source, const std::string& arch) {
  const auto nvcc = find_program("nvcc");
  if (nvcc.empty()) return missing("nvcc was not found", {}, "install the CUDA toolkit");
  const auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  const std::string unit = (folder->path() / "unit.cu").string();
  if (auto status = write_file_atomic(unit, unit_text(the_case, source)); !status)
    return tl::unexpected(status.error());
  std::vector<std::string> command = {nvcc.string(), "-std=c++17", "-arch=" + arch,
                                      "-cubin",      "-w",         "-Xptxas",
                                      "-v",          "-o",         (folder->path() / "unit.cubin").string()};
  if (the_case.dialect == Dialect::kHip) command.push_back("-I" + nvidia_shim_folder().string());
  const auto options = source_options(the_case);
  command.insert(command.end(), options.begin(), options.end());
  command.push_back(unit);
  const auto result = run_process(command);
  if (!result) return tl::unexpected(result.error());
  if (!result->ok()) {
    Error error = compile_error(result->err, the_case.source.string());
    error.blame = Blame::kUnsupported;
    return tl::unexpected(std::move(error));
  }
  // "Compiling entry function '...' for 'sm_90'" ... "N bytes spill stores" ... "Used R registers, ..., S bytes smem"
  const size_t entry = entry_of(result->err, "Compiling entry function", kernel);
  const size_t used = entry == std::string::npos ? entry : result->err.find("Used ", entry);
  if (used == std::string::npos)
    return unsupported("ptxas reported no resources of the kernel", {the_case.source.string()});
  CompiledResources resources;
  resources.vgprs = std::max<int64_t>(0, number_after(result->err, "Used ", used));
  const std::string line = result->err.substr(used, result->err.find('\n', used) - used);
  if (const size_t smem = line.find(" bytes smem"); smem != std::string::npos) {
    resources.lds_bytes = std::max<int64_t>(0, number_after(line, " ", line.rfind(' ', smem - 1)));
  }
  return resources;
}

}  // namespace swizzleperf
