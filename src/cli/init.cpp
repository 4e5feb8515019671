#include "cli/init.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/file.h"
#include "cli/session.h"
#include "frontend/clike/source.h"

namespace swizzleperf {
namespace {

namespace fs = std::filesystem;

struct InitOptions {
  std::string source;
  std::string kernel;
  std::string output;
};

struct CType {
  const char* spelling;
  const char* dtype;
};
constexpr std::array<CType, 37> kCTypes = {{{"float", "fp32"},
                                            {"double", "fp64"},
                                            {"half", "fp16"},
                                            {"__half", "fp16"},
                                            {"__half_raw", "fp16"},
                                            {"_Float16", "fp16"},
                                            {"__fp16", "fp16"},
                                            {"__bf16", "bf16"},
                                            {"bfloat16", "bf16"},
                                            {"hip_bfloat16", "bf16"},
                                            {"__hip_bfloat16", "bf16"},
                                            {"__nv_bfloat16", "bf16"},
                                            {"char", "int8"},
                                            {"signed char", "int8"},
                                            {"int8_t", "int8"},
                                            {"bool", "uint8"},
                                            {"unsigned char", "uint8"},
                                            {"uint8_t", "uint8"},
                                            {"short", "int16"},
                                            {"int16_t", "int16"},
                                            {"unsigned short", "uint16"},
                                            {"uint16_t", "uint16"},
                                            {"int", "int32"},
                                            {"int32_t", "int32"},
                                            {"unsigned", "uint32"},
                                            {"unsigned int", "uint32"},
                                            {"uint32_t", "uint32"},
                                            {"long", "int64"},
                                            {"long long", "int64"},
                                            {"int64_t", "int64"},
                                            {"ptrdiff_t", "int64"},
                                            {"unsigned long", "uint64"},
                                            {"unsigned long long", "uint64"},
                                            {"uint64_t", "uint64"},
                                            {"size_t", "uint64"},
                                            {"__half2", "fp16"},
                                            {"half2", "fp16"}}};

// What a case file calls the type, and how many such elements make one of it.
struct Guess {
  std::string dtype;
  int lanes = 1;
  bool sure = true;
};

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? std::string() : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

// "const float *__restrict" -> "float".
std::string element_type(const std::string& type) {
  std::string text = trimmed(type.substr(0, type.find_first_of("*&[")));
  for (const std::string word : {"const ", "volatile ", "struct "}) {
    if (text.rfind(word, 0) == 0) text = trimmed(text.substr(word.size()));
  }
  for (const std::string word : {" const", " volatile"}) {
    if (text.size() > word.size() && text.compare(text.size() - word.size(), word.size(), word) == 0)
      text = trimmed(text.substr(0, text.size() - word.size()));
  }
  return text;
}

std::string dtype_of(const std::string& type) {
  const auto* found = std::find_if(kCTypes.begin(), kCTypes.end(), [&](const CType& c) { return type == c.spelling; });
  return found == kCTypes.end() ? std::string() : found->dtype;
}

Guess guess_type(const KernelParameter& parameter) {
  const std::string type = element_type(parameter.type);
  if (std::count(parameter.type.begin(), parameter.type.end(), '*') > 1) return {"uint64", 1, false};
  if (const std::string dtype = dtype_of(type); !dtype.empty()) {
    const bool pair = type == "half2" || type == "__half2";
    return {dtype, pair ? 2 : 1};
  }
  // float4, int2, uchar4, ...
  const char last = type.empty() ? ' ' : type.back();
  if (last >= '1' && last <= '4') {
    std::string scalar = type.substr(0, type.size() - 1);
    if (scalar.size() > 1 && scalar.front() == 'u') scalar = "unsigned " + scalar.substr(1);
    if (scalar == "longlong" || scalar == "unsigned longlong") scalar.insert(scalar.size() - 4, " ");
    if (const std::string dtype = dtype_of(scalar); !dtype.empty()) return {dtype, last - '0'};
  }
  // HIP_vector_type<float, 4>
  const size_t open = type.find('<');
  const size_t comma = type.find(", ", open == std::string::npos ? 0 : open);
  if (type.find("vector_type<") != std::string::npos && comma != std::string::npos && comma + 2 < type.size()) {
    const std::string dtype = dtype_of(type.substr(open + 1, comma - open - 1));
    const int lanes = type[comma + 2] - '0';
    if (!dtype.empty() && lanes >= 1 && lanes <= 4) return {dtype, lanes};
  }
  return {parameter.pointer ? "fp32" : "int32", 1, false};
}

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
  const Guess guess = guess_type(parameter);
  std::string text = fmt::format("\n# {}\n[[args]]\nname = {}\n", parameter.type,
                                 quoted(parameter.name.empty() ? fmt::format("arg{}", index) : parameter.name));
  text += fmt::format("dtype = \"{}\"{}\n", guess.dtype, guess.sure ? "" : "  # a guess: the type above is not known");
  if (!parameter.pointer) {
    const bool floating = guess.dtype[0] == 'f' || guess.dtype[0] == 'b';
    const bool narrow = guess.dtype.find('8') != std::string::npos || guess.dtype.find("16") != std::string::npos;
    return text + (floating ? "value = 1.0\n" : narrow ? "value = 1\n" : "value = \"N\"\n");
  }
  text += guess.lanes == 1
              ? "shape = [\"N\"]\n"
              : fmt::format("shape = [\"N\", {}]  # {} elements of {} each\n", guess.lanes, guess.lanes, guess.dtype);
  if (!parameter.constant) return text + "output = true  # compared; add `init` where the kernel also reads it\n";
  const bool floating = guess.dtype[0] == 'f' || guess.dtype[0] == 'b';
  return text + fmt::format("init = {{ random = {{ seed = {}, low = {}, high = {} }} }}\n", index, floating ? -1 : 0,
                            floating ? 1 : 100);
}

// The template arguments in "f<float, std::array<int, 4>>": "float", "std::array<int, 4>".
std::vector<std::string> template_arguments(const std::string& kernel) {
  std::vector<std::string> list;
  const size_t open = kernel.find('<');
  if (open == std::string::npos) return list;
  int depth = 0;
  std::string current;
  for (const char c : kernel.substr(open + 1)) {
    if (depth == 0 && (c == ',' || c == '>')) {
      list.push_back(trimmed(current));
      current.clear();
      if (c == '>') break;
      continue;
    }
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    current += c;
  }
  return list;
}

// clang spells the type of a template's parameter "const type-parameter-0-1 *": puts the argument there, or "T1".
std::string instantiated(std::string type, const std::vector<std::string>& arguments) {
  const std::string mark = "type-parameter-0-";
  const size_t at = type.find(mark);
  if (at == std::string::npos) return type;
  const size_t digits = at + mark.size();
  const size_t end = std::min(type.find_first_not_of("0123456789", digits), type.size());
  const std::string number = type.substr(digits, end - digits);
  const size_t index = number.empty() || number.size() > 4 ? arguments.size() : std::stoul(number);
  return type.replace(at, end - at, index < arguments.size() ? arguments[index] : "T" + number);
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
    parameter.type = instantiated(parameter.type, arguments);
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
  std::string list;
  for (const KernelOutline& kernel : kernels) list += (list.empty() ? "" : ", ") + kernel.name;
  if (options.kernel.empty()) {
    if (kernels.size() == 1) return kernels.front();
    return user_error("the file defines more than one kernel", {options.source}, "choose with --kernel: " + list);
  }
  const std::string wanted = trimmed(options.kernel.substr(0, options.kernel.find('<')));
  std::vector<const KernelOutline*> found;
  for (const KernelOutline& kernel : kernels) {
    if (kernel.name == wanted) return kernel;
    if (unqualified(kernel.name) == wanted) found.push_back(&kernel);
  }
  if (found.size() == 1) return *found.front();
  return user_error(
      fmt::format("{} kernel '{}' in the file", found.empty() ? "there is no" : "there is more than one", wanted),
      {options.source}, "known: " + list);
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
