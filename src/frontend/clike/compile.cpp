#include "frontend/clike/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/file.h"
#include "base/process.h"
#include "frontend/clike/alignas.h"
#include "frontend/clike/assembly.h"
#include "frontend/clike/inline_assembly.h"
#include "frontend/clike/instrument.h"
#include "frontend/clike/launches.h"
#include "frontend/clike/trace.h"

namespace swizzleperf {
namespace {

namespace fs = std::filesystem;

// The unit that is compiled: the shim, the user's source under its own name, and an entry that unpacks the arguments.
std::string translation_unit(const Case& the_case, const KernelInfo& kernel, const std::string& source) {
  const std::string plain = alignas_first(blank_launches(source));
  return fmt::format(
      "#include \"swizzleperf_shim.h\"\n#line 1 \"{0}\"\n{1}\n#line 1 \"{3}\"\n"
      "#include <type_traits>\n#include <utility>\n"
      "struct sp_parameter {{ int size; int pointer; }};\n"
      "template <class... P, unsigned long... I>\n"
      "SP_QUIET static void sp_call(void (*kernel)(P...), void* const* a, std::integer_sequence<unsigned long, I...>) "
      "{{\n"
      "  kernel(*static_cast<std::remove_cv_t<std::remove_reference_t<P>>*>(a[I])...);\n}}\n"
      "template <class... P>\nSP_QUIET static void sp_enter(void (*kernel)(P...), void* const* a) {{\n"
      "  sp_call(kernel, a, std::make_integer_sequence<unsigned long, sizeof...(P)>());\n}}\n"
      "template <class... P> struct sp_list {{\n"
      "  static constexpr int count = sizeof...(P);\n"
      "  static constexpr sp_parameter items[sizeof...(P) + 1] = {{{{(int)sizeof(P), std::is_pointer_v<P>}}..., {{0, "
      "0}}}};\n}};\n"
      "template <class... P> static constexpr sp_list<P...> sp_parameters_of(void (*)(P...)) {{ return {{}}; }}\n"
      "using sp_kernel_list = decltype(sp_parameters_of(&{2}));\n"
      "extern \"C\" {{\n"
      "int sp_parameter_count() {{ return sp_kernel_list::count; }}\n"
      "const sp_parameter* sp_parameters() {{ return sp_kernel_list::items; }}\n"
      "SP_QUIET void sp_launch(void* const* a) {{ sp_enter(&{2}, a); }}\n"
      "thread_local char sp_shared_anchor;\n__attribute__((no_sanitize(\"thread\"))) void sp_touch_shared() {{ "
      "sp_shared_anchor = 1; }}\n}}\n",
      the_case.source.string(), the_case.dialect == Dialect::kCuda ? call_assembly(plain) : plain, kernel.symbol_call,
      kEntryName);
}

// The line table is of version 4, whose file names addr2line reads right after the detour through assembly text.
// Vectorising and unrolling would merge or multiply access sites, tail calls lose them. Functions are marked for the
// instrumentation, which comes later. A local object initialised from itself, `dim3 blockIdx = blockIdx`, is an error.
std::vector<std::string> compile_command(const Case& the_case, const fs::path& unit, const fs::path& bitcode) {
  std::vector<std::string> command = {"clang++-19",
                                      "-x",
                                      "c++",
                                      "-std=c++20",
                                      "-O1",
                                      "-gdwarf-4",  // in version 5 the assembler mixes up the files that #line names
                                      "-g1",
                                      "-fPIC",
                                      "-march=native",
                                      "-ffp-contract=off",
                                      "-fno-optimize-sibling-calls",
                                      "-fno-delete-null-pointer-checks",
                                      "-fsanitize=thread",
                                      "-mllvm",
                                      "-tsan-instrument-memory-accesses=0",
                                      "-mllvm",
                                      "-tsan-instrument-atomics=0",
                                      "-mllvm",
                                      "-tsan-instrument-memintrinsics=0",
                                      "-mllvm",
                                      "-tsan-instrument-func-entry-exit=0",
                                      "-fno-vectorize",
                                      "-fno-slp-vectorize",
                                      "-fno-unroll-loops",
                                      "-ferror-limit=5",
                                      "-fno-color-diagnostics",
                                      "-Wno-everything",
                                      "-Werror=uninitialized",
                                      "-Wno-sometimes-uninitialized",
                                      "-Wno-uninitialized-const-reference",
                                      "-I" + shim_folder().string()};
  const std::vector<std::string> options = source_options(the_case);
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"-c", "-emit-llvm", unit.string(), "-o", bitcode.string()});
  return command;
}

int line_of(const std::string& text, size_t offset) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(offset), '\n'));
}

Expected<void> run_compiler(const std::vector<std::string>& command, const Case& the_case) {
  const auto result = run_process(command);
  if (!result) return tl::unexpected(result.error());
  if (result->interrupted) return user_error("interrupted");
  if (!result->ok()) return tl::unexpected(compile_error(result->err, the_case.source.string()));
  return {};
}

}  // namespace

fs::path shim_folder() {
  return data_folder() / "src" / "frontend" / "clike" / "shim";
}
fs::path device_shim_folder() {
  return data_folder() / "src" / "frontend" / "clike" / "device_shim";
}

fs::path nvidia_shim_folder() {
  return data_folder() / "src" / "frontend" / "clike" / "device_shim_nvidia";
}

Expected<fs::path> trace_host() {
  std::error_code code;
  for (const fs::path& folder :
       {fs::read_symlink("/proc/self/exe", code).parent_path(), fs::path(SWIZZLEPERF_BINARY_FOLDER)}) {
    const fs::path host = folder / "swizzleperf-trace-host";
    if (fs::exists(host, code)) return host;
  }
  return missing("swizzleperf-trace-host was not found beside the program", {},
                 "install both programs into one folder");
}

std::vector<std::string> source_options(const Case& the_case) {
  std::vector<std::string> options = {"-I" + the_case.source.parent_path().string()};
  for (const auto& folder : the_case.include_folders) options.push_back("-I" + folder.string());
  for (const auto& define : the_case.defines) options.push_back("-D" + define);
  return options;
}

namespace {

// Names of HIP and CUDA that the shim may lack.
constexpr const char* kForeign[] = {
    "'__",      "'hip", "'cuda",   "'cooperative_groups", "'cg", "'atomic", "'tex", "'surf", "'nvcuda", "'wmma",
    "'rocwmma", "'cub", "'thrust", "file not found"};

// Says who can mend a compiler's message, and how.
void classify(Error& error, const std::string& diagnostics) {
  const auto says = [&](const char* text) { return error.message.find(text) != std::string::npos; };
  if (says("is uninitialized when used") || says("is uninitialized when captured")) {
    error.message = error.message.substr(0, error.message.find(" [-W"));
    error.advice = "its value would be garbage; the launch's own index is `::blockIdx`";
    return;
  }
  if (diagnostics.find("<inline asm>") != std::string::npos || says(" in asm") || says("for constraint")) {
    error.blame = Blame::kUnsupported;
    error.message = "inline assembly cannot run on the CPU: " + error.message;
    error.advice = "the kernel is traced on the CPU";
    return;
  }
  if (says("'alignas' attribute cannot be applied to types")) {
    error.blame = Blame::kUnsupported;
    error.advice = "write `alignas` before `__shared__`, or `__align__` behind it";
    return;
  }
  const bool unknown = says("undeclared identifier") || says("unknown type name") || says("no matching function") ||
                       says("file not found") || says("no member named") || says("no template named");
  const auto foreign = [&](const char* name) { return says(name); };
  if (!unknown || std::none_of(std::begin(kForeign), std::end(kForeign), foreign)) return;
  error.blame = Blame::kUnsupported;
  error.advice = "the kernel is compiled for the CPU against SwizzlePerf's own headers, which do not have this";
}

}  // namespace

Error compile_error(const std::string& diagnostics, const std::string& source) {
  std::istringstream lines(diagnostics);
  for (std::string line; std::getline(lines, line);) {
    const size_t at =
        line.find(": error: ") != std::string::npos ? line.find(": error: ") : line.find(": fatal error: ");
    if (at == std::string::npos) continue;
    Error error{.blame = Blame::kUser, .message = line.substr(line.find("error: ", at) + 7), .place = {source, 0, 0}};
    // "file:line:column"
    const std::string where = line.substr(0, at);
    const size_t column = where.rfind(':');
    const size_t row = column == std::string::npos ? column : where.rfind(':', column - 1);
    if (row != std::string::npos) {
      error.place.file = where.substr(0, row);
      std::from_chars(where.data() + row + 1, where.data() + column, error.place.line);
      std::from_chars(where.data() + column + 1, where.data() + where.size(), error.place.column);
    }
    classify(error, diagnostics);
    return error;
  }
  return {
      .blame = Blame::kUser, .message = "the compiler failed: " + diagnostics.substr(0, 2000), .place = {source, 0, 0}};
}

Expected<TracedKernel> TracedKernel::compile(const Case& the_case, const KernelInfo& kernel,
                                             const std::string& source_text) {
  for (const size_t at : find_launches(source_text)) {
    if (at >= kernel.body.begin && at < kernel.body.end)
      return unsupported("the kernel launches a kernel", {the_case.source.string(), line_of(source_text, at)});
  }
  auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  const auto shared_folder = std::make_shared<TemporaryFolder>(std::move(*folder));
  const fs::path unit = shared_folder->path() / "unit.cpp";
  const fs::path bitcode = shared_folder->path() / "unit.bc";
  const fs::path instrumented = shared_folder->path() / "instrumented.bc";
  const fs::path assembly = shared_folder->path() / "unit.s";
  const fs::path object = shared_folder->path() / "unit.o";
  const fs::path shared = shared_folder->path() / "shared.s";
  const fs::path library = shared_folder->path() / "kernel.so";
  if (auto status = write_file_atomic(unit, translation_unit(the_case, kernel, source_text)); !status)
    return tl::unexpected(status.error());
  if (auto status = run_compiler(compile_command(the_case, unit, bitcode), the_case); !status)
    return tl::unexpected(status.error());
  if (auto status = instrument_accesses(bitcode, instrumented); !status) return tl::unexpected(status.error());
  // As text, in which inline assembly is found before anything trips over it.
  if (auto status =
          run_compiler({"clang++-19", "-x", "ir", "-O1", "-Xclang", "-disable-llvm-passes", "-fPIC",
                        "-fno-integrated-as", "-Wno-everything", "-S", instrumented.string(), "-o", assembly.string()},
                       the_case);
      !status)
    return tl::unexpected(status.error());
  const auto text = read_file(assembly);
  if (!text) return tl::unexpected(text.error());
  const auto guarded = guard_shared_arrays(*text);
  if (!guarded) return tl::unexpected(guarded.error());
  if (auto status = write_file_atomic(assembly, *guarded); !status) return tl::unexpected(status.error());
  if (auto status = run_compiler({"clang++-19", "-c", assembly.string(), "-o", object.string()}, the_case); !status)
    return tl::unexpected(status.error());
  const auto names = undefined_shared(object);
  if (!names) return tl::unexpected(names.error());
  std::vector<std::string> link = {"clang++-19", "-shared", "-fuse-ld=lld", "-o", library.string(), object.string()};
  if (!names->empty()) {
    if (auto status = write_file_atomic(shared, dynamic_shared_assembly(*names)); !status)
      return tl::unexpected(status.error());
    link.push_back(shared.string());
  }
  if (auto status = run_compiler(link, the_case); !status) return tl::unexpected(status.error());
  auto symbols = library_symbols(library);
  if (!symbols) return tl::unexpected(symbols.error());
  TracedKernel result;
  result.folder_ = shared_folder;
  result.library_ = library;
  result.dynamic_shared_ = *names;
  result.symbols_ = std::move(*symbols);
  result.cuda_ = the_case.dialect == Dialect::kCuda;
  return result;
}

}  // namespace swizzleperf
