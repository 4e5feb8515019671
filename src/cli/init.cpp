#include "cli/init.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "base/file.h"
#include "base/nearest.h"
#include "cli/session.h"
#include "frontend/clike/source.h"
#include "frontend/clike/types.h"

namespace swizzleperf {
namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::string source;
  std::string kernel;
  std::string output;
};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\u{:04X}", static_cast<int>(c));
    } else {
      result += c;
    }
  }
  return result + "\"";
}

std::string argument_text(const KernelParameter& parameter, size_t index) {
  const auto known = element_type_of(parameter.type);
  const bool pointers = std::count(parameter.type.begin(), parameter.type.end(), '*') > 1;
  const ElementType guess = known      ? *known
                            : pointers ? ElementType{DType::kU64, 1}
                                       : ElementType{parameter.pointer ? DType::kF32 : DType::kI32, 1};
  const std::string dtype = to_string(guess.dtype);
  std::string text = fmt::format("\n# {}\n[[args]]\nname = {}\n", parameter.type,
                                 quoted(parameter.name.empty() ? fmt::format("arg{}", index) : parameter.name));
  const bool open = parameter.type.size() > 1 && parameter.type[0] == 'T' && std::isdigit(parameter.type[1]) != 0;
  if (!known && !parameter.pointer && !open)
    return text +
           "fields = [{ name = \"first\", dtype = \"int32\", value = 1 }]  # a struct: its members in order: EDIT\n";
  text += fmt::format("dtype = \"{}\"{}\n", dtype, known ? "" : "  # a guess: the type above is not known");
  if (!parameter.pointer) {
    const bool narrow = size_of(guess.dtype) < 4;
    return text + (is_floating(guess.dtype) ? "value = 1.0\n" : narrow ? "value = 1\n" : "value = \"N\"\n");
  }
  text += guess.lanes == 1
              ? "shape = [\"N\"]\n"
              : fmt::format("shape = [\"N\", {}]  # {} elements of {} each\n", guess.lanes, guess.lanes, dtype);
  if (!parameter.constant) return text + "output = true  # compared; add `init` where the kernel also reads it\n";
  const bool floating = is_floating(guess.dtype);
  return text + fmt::format("init = {{ random = {{ seed = {}, low = {}, high = {} }} }}\n", index, floating ? -1 : 0,
                            floating ? 1 : 100);
}

// `kernel`: as the case names it, with the template arguments that the user gave.
std::string case_text(const KernelOutline& outline, const std::string& kernel, const fs::path& source, bool cuda) {
  std::string text = fmt::format(
      R"toml(# A case to start from: check every line that ends in EDIT. Format: docs/case-file.md.
name = {}
source = {}
kernel = {}  # a template needs its arguments: "name<float, 128>"
dialect = "{}"
default = "main"
# flops = "2 * N"  # of the whole launch: gives a time limited by arithmetic, too

[launch]
grid = ["ceil_div(N, 256)"]  # workgroups along x, y, z: EDIT
block = [256]  # threads along x, y, z: EDIT
# shared = 0  # bytes of dynamic shared memory

[variants]
main = {{ N = 1048576 }}  # the size that matters: EDIT
verify = {{ N = 1000 }}  # small and odd, for the comparison of results: EDIT
)toml",
      quoted(source.stem().string()), quoted(source.generic_string()), quoted(kernel), cuda ? "cuda" : "hip");
  if (!outline.parameters.empty()) {
    text +=
        "\n# The arguments in the order of the parameters. A buffer has a shape, a scalar a value; both may be\n"
        "# expressions over the sizes of a variant: EDIT\n";
  }
  const std::vector<std::string> arguments = template_arguments(kernel);
  for (size_t i = 0; i < outline.parameters.size(); ++i) {
    KernelParameter parameter = outline.parameters[i];
    parameter.type = instantiated_type(parameter.type, arguments);
    text += argument_text(parameter, i + 1);
  }
  return text;
}

std::string unqualified(const std::string& name) {
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

// The kernel that the user means: the only one, or the one that is named.
Expected<KernelOutline> choose(const std::vector<KernelOutline>& kernels, const InitOptions& options) {
  if (kernels.empty()) return user_error("the file defines no __global__ function", {options.source});
  std::vector<std::string> names;
  for (const KernelOutline& kernel : kernels) {
    if (std::find(names.begin(), names.end(), kernel.name) == names.end()) names.push_back(kernel.name);
  }
  if (options.kernel.empty()) {
    if (kernels.size() == 1) return kernels.front();
    return user_error("the file defines more than one kernel", {options.source},
                      known_names("", names, "choose with --kernel"));
  }
  std::string wanted = options.kernel.substr(0, options.kernel.find('<'));
  while (!wanted.empty() && wanted.back() == ' ') wanted.pop_back();
  std::vector<const KernelOutline*> found;
  for (const KernelOutline& kernel : kernels) {
    if (kernel.name == wanted) return kernel;
    if (unqualified(kernel.name) == wanted) found.push_back(&kernel);
  }
  if (found.size() == 1) return *found.front();
  return user_error(
      fmt::format("{} kernel '{}' in the file", found.empty() ? "there is no" : "there is more than one", wanted),
      {options.source}, known_names(wanted, names));
}

int init(const InitOptions& options) {
  std::error_code failed;
  const fs::path source = fs::absolute(options.source, failed);
  if (!fs::is_regular_file(source, failed))
    return report_error(user_error("the source does not exist", {options.source}).value());
  if (!options.output.empty() && fs::exists(fs::symlink_status(options.output, failed))) {
    return report_error(user_error("the file exists already, and is left as it is", {options.output},
                                   "remove it, or give another name with -o")
                            .value());
  }
  const bool cuda = source.extension() == ".cu";
  const auto kernels = list_kernels(source, cuda ? Dialect::kCuda : Dialect::kHip);
  if (!kernels) return report_error(kernels.error());
  const auto kernel = choose(*kernels, options);
  if (!kernel) return report_error(kernel.error());
  // A case names its source relative to its own folder.
  const fs::path folder =
      fs::absolute(options.output.empty() ? fs::path("case.toml") : fs::path(options.output), failed).parent_path();
  fs::path from_case = fs::relative(source, folder, failed);
  if (failed || from_case.empty()) from_case = source;
  std::string name = kernel->name;
  if (const size_t open = options.kernel.find('<'); open != std::string::npos) name += options.kernel.substr(open);
  const std::string text = case_text(*kernel, name, from_case, cuda);
  if (options.output.empty()) {
    fmt::print("{}", text);
    return 0;
  }
  if (const auto written = write_file_atomic(options.output, text); !written) return report_error(written.error());
  fmt::print("wrote {}: check the lines marked EDIT\n", options.output);
  return 0;
}

}  // namespace

void add_init(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<InitOptions>();
  auto* verb = app.add_subcommand("init", "Write a commented case file for a kernel, to start from");
  verb->add_option("source", options->source, "HIP or CUDA source file")->required();
  verb->add_option("--kernel", options->kernel, "Which kernel, where the file has several");
  verb->add_option("-o,--output", options->output, "Write to this file instead of stdout");
  verb->callback([options, &exit_code] { exit_code = init(*options); });
}

}  // namespace swizzleperf
