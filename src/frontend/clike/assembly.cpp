#include "frontend/clike/assembly.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <iomanip>
#include <map>
#include <memory>
#include <set>
#include <sstream>

#include "base/process.h"

namespace swizzleperf {
namespace {

constexpr int64_t kDynamicBytes = 1 << 20;  // the most that a case may ask for
constexpr int64_t kGuardBytes = 128;

bool starts_with(const std::string& text, const char* prefix) {
  return text.rfind(prefix, 0) == 0;
}

// The source files by the numbers that `.loc` uses: "\t.file\t1 \"/folder\" \"name\"", the folder may be absent.
using Files = std::map<int, std::string>;

void read_file_directive(const std::string& line, Files& files) {
  std::istringstream words(line.substr(line.find_first_not_of("\t ", 6)));
  int number = 0;
  std::string folder, name;
  if (!(words >> number >> std::quoted(folder))) return;
  if (words >> std::ws && words.peek() == '"') words >> std::quoted(name);
  files[number] = (std::filesystem::path(folder) / name).lexically_normal().string();
  if (name.empty()) files[number] = folder;
}

// "\t.loc\t1 23 7": file, line, column.
Place place_of_loc(const std::string& line, const Files& files) {
  std::istringstream words(line.substr(6));
  int number = 0;
  Place place;
  words >> number >> place.line >> place.column;
  if (const auto found = files.find(number); found != files.end()) place.file = found->second;
  return place;
}

// "gemm<float>(float*)::tile" -> "tile"
std::string source_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0) return mangled;
  const std::string name = text.get();
  const size_t colons = name.rfind("::");
  return colons == std::string::npos ? name : name.substr(colons + 2);
}

struct SymbolLine {
  int64_t value = 0;
  int64_t size = 0;
  bool zeros = false;  // its section takes no room in the file
  std::string type, section, name;
};

// "  [12] .bss NOBITS ..." -> 12; -1 for other lines and other sections.
int empty_section(const std::string& line) {
  const size_t open = line.find('['), close = line.find(']');
  if (open != 2 || close == std::string::npos) return -1;
  std::istringstream words(line.substr(close + 1));
  std::string name, type;
  words >> name >> type;
  return type == "NOBITS" ? std::atoi(line.c_str() + open + 1) : -1;
}

// The lines of `readelf -sSW`: sections, then symbols by number, value, size, type, binding, visibility, section, name.
Expected<std::vector<SymbolLine>> symbol_table(const std::filesystem::path& file) {
  const auto result = run_process({"readelf", "-sSW", file.string()}, {.output_bytes = size_t{256} << 20});
  if (!result) return tl::unexpected(result.error());
  if (!result->ok()) return internal_error("readelf cannot read the compiled kernel", {file.string()});
  std::vector<SymbolLine> symbols;
  std::set<std::string> empty;
  std::istringstream lines(result->out);
  for (std::string line; std::getline(lines, line);) {
    if (const int section = empty_section(line); section >= 0) empty.insert(std::to_string(section));
    std::istringstream words(line);
    std::string number, value, size, binding, visibility;
    SymbolLine symbol;
    if (!(words >> number >> value >> size >> symbol.type >> binding >> visibility >> symbol.section >> symbol.name))
      continue;
    if (number.back() != ':' || number == "Num:") continue;
    symbol.value = std::strtoll(value.c_str(), nullptr, 16);
    symbol.size = std::strtoll(size.c_str(), nullptr, 0);
    symbol.zeros = empty.count(symbol.section) > 0;
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

}  // namespace

Expected<std::string> guard_shared_arrays(const std::string& assembly) {
  std::string result;
  result.reserve(assembly.size() + assembly.size() / 16);
  std::istringstream lines(assembly);
  Files files;
  Place place;
  bool in_shared = false, in_asm = false;
  for (std::string line; std::getline(lines, line);) {
    result += line + "\n";
    if (starts_with(line, "\t.file\t")) read_file_directive(line, files);
    if (starts_with(line, "\t.loc\t")) place = place_of_loc(line, files);
    if (starts_with(line, "\t.section\t") || starts_with(line, "\t.text") || starts_with(line, "\t.data") ||
        starts_with(line, "\t.bss")) {
      in_shared = starts_with(line, "\t.section\t.tbss") || starts_with(line, "\t.section\t.tdata");
    }
    if (in_shared && starts_with(line, "\t.size\t")) result += fmt::format("\t.zero\t{}\n", kGuardBytes);
    if (in_asm && !starts_with(line, "\t#NO_APP"))
      return unsupported("inline assembly cannot run on the CPU", place, "the kernel is traced on the CPU");
    in_asm = starts_with(line, "\t#APP");
  }
  return result;
}

std::string dynamic_shared_assembly(const std::vector<std::string>& names) {
  std::string text = ".section .tbss,\"awT\",@nobits\n.balign 128\n";
  for (const auto& name : names)
    text += fmt::format(".globl \"{0}\"\n.type \"{0}\",@object\n.size \"{0}\",{1}\n\"{0}\":\n", name, kDynamicBytes);
  return text + fmt::format(".zero {}\n", kDynamicBytes + kGuardBytes);
}

Expected<std::vector<LibrarySymbol>> library_symbols(const std::filesystem::path& library) {
  const auto table = symbol_table(library);
  if (!table) return tl::unexpected(table.error());
  std::vector<LibrarySymbol> symbols;
  for (const SymbolLine& line : *table) {
    const bool shared = line.type == "TLS";
    if ((!shared && line.type != "OBJECT") || line.section == "UND" || line.size == 0) continue;
    symbols.push_back({source_name(line.name), line.name, shared, line.value, line.size, line.zeros});
  }
  return symbols;
}

Expected<std::vector<std::string>> undefined_shared(const std::filesystem::path& object) {
  const auto table = symbol_table(object);
  if (!table) return tl::unexpected(table.error());
  std::vector<std::string> names;
  for (const SymbolLine& line : *table) {
    if (line.type == "TLS" && line.section == "UND") names.push_back(line.name);
  }
  return names;
}

}  // namespace swizzleperf
