#include "frontend/clike/source.h"

#include <clang-c/Index.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/file.h"
#include "frontend/clike/compile.h"

namespace swizzleperf {
namespace {

std::string take(CXString text) {
  const char* chars = clang_getCString(text);
  std::string result = chars != nullptr ? chars : "";
  clang_disposeString(text);
  return result;
}

std::string spelling(CXCursor cursor) {
  return take(clang_getCursorSpelling(cursor));
}

// The children of a cursor, depth first; `visit` returns false to skip a subtree.
void walk(CXCursor cursor, const std::function<bool(CXCursor)>& visit) {
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        const auto& function = *static_cast<const std::function<bool(CXCursor)>*>(data);
        return function(child) ? CXChildVisit_Recurse : CXChildVisit_Continue;
      },
      const_cast<std::function<bool(CXCursor)>*>(&visit));
}

// A parsed source; owns clang's index and unit.
class Unit {
 public:
  static Expected<Unit> parse(const std::filesystem::path& path, std::vector<std::string> options);
  Unit(Unit&& other) noexcept
      : path(std::move(other.path)), text(std::move(other.text)), index_(other.index_), unit_(other.unit_) {
    other.index_ = nullptr;
    other.unit_ = nullptr;
  }
  Unit& operator=(Unit&&) = delete;
  ~Unit() {
    if (unit_ != nullptr) clang_disposeTranslationUnit(unit_);
    if (index_ != nullptr) clang_disposeIndex(index_);
  }
  CXTranslationUnit get() const { return unit_; }
  CXCursor root() const { return clang_getTranslationUnitCursor(unit_); }
  CXFile file() const { return clang_getFile(unit_, path.c_str()); }

  std::string path;
  std::string text;

 private:
  Unit() = default;
  CXIndex index_ = nullptr;
  CXTranslationUnit unit_ = nullptr;
};

std::string first_errors(CXTranslationUnit unit) {
  std::string text;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
    if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
      text += take(clang_formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation | CXDiagnostic_DisplayColumn));
      text += "\n";
    }
    clang_disposeDiagnostic(diagnostic);
  }
  return text;
}

// The source is parsed as the C++ that the CPU compilation sees: kernels are functions annotated by the shim.
Expected<Unit> Unit::parse(const std::filesystem::path& path, std::vector<std::string> options) {
  auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  Unit result;
  result.path = path.string();
  result.text = std::move(*text);
  options.insert(options.begin(), {"-x", "c++", "-std=c++20", "-w", "-I" + shim_folder().string(), "-include",
                                   (shim_folder() / "swizzleperf_shim.h").string()});
  std::vector<const char*> arguments;
  for (const auto& option : options) arguments.push_back(option.c_str());
  result.index_ = clang_createIndex(0, 0);
  CXUnsavedFile unsaved{result.path.c_str(), result.text.data(), result.text.size()};
  const CXErrorCode code = clang_parseTranslationUnit2(result.index_, result.path.c_str(), arguments.data(),
                                                       static_cast<int>(arguments.size()), &unsaved, 1,
                                                       CXTranslationUnit_None, &result.unit_);
  if (code != CXError_Success) return internal_error("libclang could not parse the source", {result.path, 0, 0});
  const std::string errors = first_errors(result.unit_);
  if (!errors.empty()) return tl::unexpected(compile_error(errors, result.path));
  return result;
}

bool same_file(const Unit& unit, CXSourceLocation location) {
  CXFile file = nullptr;
  clang_getExpansionLocation(location, &file, nullptr, nullptr, nullptr);
  return file != nullptr && clang_File_isEqual(file, unit.file()) != 0;
}

Span span_of(CXSourceRange range) {
  unsigned line = 0, column = 0, begin = 0, end = 0;
  clang_getExpansionLocation(clang_getRangeStart(range), nullptr, &line, &column, &begin);
  clang_getExpansionLocation(clang_getRangeEnd(range), nullptr, nullptr, nullptr, &end);
  return {begin, end, static_cast<int>(line), static_cast<int>(column)};
}

bool is_function(CXCursor cursor) {
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
      return true;
    default:
      return false;
  }
}

bool is_kernel(CXCursor cursor) {
  bool found = false;
  walk(cursor, [&](CXCursor child) {
    found = found || (clang_getCursorKind(child) == CXCursor_AnnotateAttr && spelling(child) == "sp_global");
    return false;
  });
  return found;
}

std::string qualified_name(CXCursor cursor) {
  std::string name = spelling(cursor);
  for (CXCursor parent = clang_getCursorSemanticParent(cursor);
       clang_getCursorKind(parent) != CXCursor_TranslationUnit && !clang_Cursor_isNull(parent);
       parent = clang_getCursorSemanticParent(parent)) {
    const std::string scope = spelling(parent);
    if (!scope.empty() && clang_getCursorKind(parent) == CXCursor_Namespace) name = scope + "::" + name;
  }
  return name;
}

std::vector<KernelParameter> parameters_of(CXCursor function) {
  std::vector<KernelParameter> result;
  walk(function, [&](CXCursor child) {
    if (clang_getCursorKind(child) != CXCursor_ParmDecl) return false;
    const CXType type = clang_getCanonicalType(clang_getCursorType(child));
    KernelParameter parameter{.name = spelling(child), .type = take(clang_getTypeSpelling(type))};
    parameter.pointer = type.kind == CXType_Pointer;
    parameter.constant = parameter.pointer && clang_isConstQualifiedType(clang_getPointeeType(type)) != 0;
    result.push_back(parameter);
    return false;
  });
  return result;
}

// Every function with a body outside the system's headers and the shim.
std::vector<CXCursor> user_functions(const Unit& unit) {
  const std::string shim = shim_folder().string();
  std::vector<CXCursor> result;
  walk(unit.root(), [&](CXCursor cursor) {
    const CXSourceLocation location = clang_getCursorLocation(cursor);
    if (clang_Location_isInSystemHeader(location) != 0) return false;
    CXFile file = nullptr;
    clang_getExpansionLocation(location, &file, nullptr, nullptr, nullptr);
    if (file == nullptr || take(clang_getFileName(file)).rfind(shim, 0) == 0) return false;
    if (is_function(cursor) && clang_isCursorDefinition(cursor) != 0) result.push_back(cursor);
    return true;
  });
  return result;
}

bool is_global_variable(CXCursor reference, std::initializer_list<const char*> names) {
  const CXCursor target = clang_getCursorReferenced(reference);
  if (clang_getCursorKind(target) != CXCursor_VarDecl) return false;
  if (clang_getCursorKind(clang_getCursorSemanticParent(target)) != CXCursor_TranslationUnit) return false;
  const std::string name = spelling(target);
  return std::any_of(names.begin(), names.end(), [&](const char* each) { return name == each; });
}

struct FunctionReads {
  std::vector<Span> block_ids;
  bool grid_dim = false;
  std::set<std::string> names;  // of everything it refers to: calls that templates leave open are found by name
};

FunctionReads reads_of(CXCursor function) {
  FunctionReads reads;
  walk(function, [&](CXCursor cursor) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_DeclRefExpr) {
      if (is_global_variable(cursor, {"blockIdx", "sp_block_idx"}))
        reads.block_ids.push_back(span_of(clang_getCursorExtent(cursor)));
      if (is_global_variable(cursor, {"gridDim", "sp_grid_dim"})) reads.grid_dim = true;
    }
    if (clang_isExpression(kind) != 0 || clang_isReference(kind) != 0) reads.names.insert(spelling(cursor));
    return true;
  });
  return reads;
}

// Constructors, destructors, conversions and operators are called without being named.
bool called_silently(CXCursor function) {
  const CXCursorKind kind = clang_getCursorKind(function);
  return kind == CXCursor_Constructor || kind == CXCursor_Destructor || kind == CXCursor_ConversionFunction ||
         spelling(function).rfind("operator", 0) == 0;
}

// Names under which the block id can be had other than `blockIdx`, wherever they stand in the file.
bool names_block_id(const std::string& token) {
  for (const char* part : {"hipBlockIdx_", "workgroup_id", "get_group_id", "ctaid", "clusterid", "get_block_idx",
                           "group_index", "clusterIdx", "block_rank"}) {
    if (token.find(part) != std::string::npos) return true;
  }
  return false;
}

BlockIdUse::Kind kind_of_name(CXTokenKind token, const std::string& text) {
  if (token == CXToken_Literal) return BlockIdUse::Kind::kAssembly;
  return text.rfind("hipBlockIdx_", 0) == 0 ? BlockIdUse::Kind::kHipBlockIdx : BlockIdUse::Kind::kBuiltin;
}

void scan_tokens(const Unit& unit, KernelInfo& info) {
  const CXSourceRange all =
      clang_getRange(clang_getLocationForOffset(unit.get(), unit.file(), 0),
                     clang_getLocationForOffset(unit.get(), unit.file(), static_cast<unsigned>(unit.text.size())));
  CXToken* tokens = nullptr;
  unsigned count = 0;
  clang_tokenize(unit.get(), all, &tokens, &count);
  for (unsigned i = 0; i < count; ++i) {
    const CXTokenKind kind = clang_getTokenKind(tokens[i]);
    if (kind == CXToken_Comment || kind == CXToken_Punctuation) continue;
    const std::string text = take(clang_getTokenSpelling(unit.get(), tokens[i]));
    const Span span = span_of(clang_getTokenExtent(unit.get(), tokens[i]));
    const bool inside = span.begin >= info.body.begin && span.end <= info.body.end;
    if (names_block_id(text))
      info.block_ids.push_back({kind_of_name(kind, text), span, inside ? info.name : "", inside, text});
    if (text == "this_grid" || text == "this_cluster" || text == "__cluster_dims__")
      info.uses_cluster_or_grid_sync = true;
  }
  clang_disposeTokens(unit.get(), tokens, count);
}

void collect_reads(const std::vector<CXCursor>& functions, CXCursor kernel, KernelInfo& info) {
  const FunctionReads own = reads_of(kernel);
  info.reads_grid_dim = own.grid_dim;
  for (const Span& span : own.block_ids)
    info.block_ids.push_back(
        {BlockIdUse::Kind::kBlockIdx, span, info.name, true, info.source.substr(span.begin, span.end - span.begin)});
  std::set<std::string> names = own.names;
  std::set<size_t> reached;
  for (bool grew = true; grew;) {
    grew = false;
    for (size_t i = 0; i < functions.size(); ++i) {
      if (clang_equalCursors(functions[i], kernel) != 0 || is_kernel(functions[i]) || reached.count(i) > 0) continue;
      const Span at = span_of(clang_getCursorExtent(functions[i]));
      if (at.begin >= info.body.begin && at.end <= info.body.end) continue;  // local to the kernel, already seen
      if (names.count(spelling(functions[i])) == 0 && !called_silently(functions[i])) continue;
      reached.insert(i);
      grew = true;
      const FunctionReads reads = reads_of(functions[i]);
      names.insert(reads.names.begin(), reads.names.end());
      info.reads_grid_dim = info.reads_grid_dim || reads.grid_dim;
      for (const Span& span : reads.block_ids)
        info.block_ids.push_back({BlockIdUse::Kind::kBlockIdx, span, spelling(functions[i]), false, "blockIdx"});
    }
  }
}

bool matches(const std::string& qualified, std::string wanted) {
  wanted = wanted.substr(0, wanted.find('<'));
  if (wanted.rfind("::", 0) == 0) wanted = wanted.substr(2);
  return qualified == wanted || (qualified.size() > wanted.size() + 2 &&
                                 qualified.compare(qualified.size() - wanted.size() - 2, 2, "::") == 0 &&
                                 qualified.compare(qualified.size() - wanted.size(), wanted.size(), wanted) == 0);
}

Expected<CXCursor> find_kernel(const Unit& unit, const std::vector<CXCursor>& functions, const Case& the_case,
                               KernelInfo& info) {
  std::vector<CXCursor> found;
  std::string known;
  for (CXCursor function : functions) {
    if (!is_kernel(function)) continue;
    const std::string name = qualified_name(function);
    info.kernels_in_file.push_back(name);
    known += (known.empty() ? "" : ", ") + name;
    if (matches(name, the_case.kernel)) found.push_back(function);
  }
  const Place place{unit.path, 0, 0};
  if (found.empty())
    return user_error("no kernel `" + the_case.kernel + "` in this file", place,
                      known.empty() ? "the file has no __global__ function with a body" : "kernels here: " + known);
  if (found.size() > 1)
    return user_error("`" + the_case.kernel + "` is ambiguous: " + std::to_string(found.size()) + " kernels match",
                      place, "qualify the name, or give overloads different names");
  if (!same_file(unit, clang_getCursorLocation(found.front())))
    return unsupported("kernel `" + the_case.kernel + "` stands in an included file", place,
                       "name the file with the kernel's body as the case's source");
  return found.front();
}

}  // namespace

Expected<KernelInfo> analyse_source(const Case& the_case) {
  auto unit = Unit::parse(the_case.source, source_options(the_case));
  if (!unit) return tl::unexpected(unit.error());
  KernelInfo info;
  info.source = unit->text;
  const std::vector<CXCursor> functions = user_functions(*unit);
  const auto kernel = find_kernel(*unit, functions, the_case, info);
  if (!kernel) return tl::unexpected(kernel.error());
  info.name = qualified_name(*kernel);
  const size_t arguments = the_case.kernel.find('<');
  info.symbol_call = info.name + (arguments == std::string::npos ? "" : the_case.kernel.substr(arguments));
  info.parameters = parameters_of(*kernel);
  info.definition = span_of(clang_getCursorExtent(*kernel));
  walk(*kernel, [&](CXCursor child) {
    if (clang_getCursorKind(child) == CXCursor_CompoundStmt) info.body = span_of(clang_getCursorExtent(child));
    return false;
  });
  if (info.body.end <= info.body.begin || info.source[info.body.begin] != '{')
    return unsupported("the body of `" + info.name + "` comes out of a macro",
                       {unit->path, info.definition.line, info.definition.column}, "write its braces in the source");
  collect_reads(functions, *kernel, info);
  scan_tokens(*unit, info);
  return info;
}

Expected<std::vector<KernelOutline>> list_kernels(const std::filesystem::path& source, Dialect) {
  auto unit = Unit::parse(source, {"-I" + source.parent_path().string()});
  if (!unit) return tl::unexpected(unit.error());
  std::vector<KernelOutline> result;
  for (CXCursor function : user_functions(*unit)) {
    if (is_kernel(function))
      result.push_back(
          {qualified_name(function), parameters_of(function), span_of(clang_getCursorExtent(function)).line});
  }
  return result;
}

}  // namespace swizzleperf
