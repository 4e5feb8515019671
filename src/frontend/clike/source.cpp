#include "frontend/clike/source.h"

#include <algorithm>

#include "base/nearest.h"
#include "frontend/clike/compile.h"
#include "frontend/clike/reach.h"

namespace swizzleperf {
namespace {

using namespace ast;

std::vector<KernelParameter> parameters_of(CXCursor function) {
  std::vector<KernelParameter> result;
  for (const CXCursor child : children(function)) {
    if (clang_getCursorKind(child) != CXCursor_ParmDecl) continue;
    const CXType type = clang_getCanonicalType(clang_getCursorType(child));
    KernelParameter parameter{.name = spelling(child), .type = take(clang_getTypeSpelling(type))};
    parameter.pointer = type.kind == CXType_Pointer;
    parameter.constant = parameter.pointer && clang_isConstQualifiedType(clang_getPointeeType(type)) != 0;
    result.push_back(parameter);
  }
  return result;
}

std::string without_spaces(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ') result += c;
  }
  return result;
}

// "<float,128>" of an explicit specialisation; empty for anything else.
std::string specialised_for(CXCursor function) {
  const int count = clang_Cursor_getNumTemplateArguments(function);
  std::string text;
  for (int i = 0; i < count; ++i) {
    const auto index = static_cast<unsigned>(i);
    text += i == 0 ? "<" : ",";
    switch (clang_Cursor_getTemplateArgumentKind(function, index)) {
      case CXTemplateArgumentKind_Type:
        text += without_spaces(take(clang_getTypeSpelling(clang_Cursor_getTemplateArgumentType(function, index))));
        break;
      case CXTemplateArgumentKind_Integral:
        text += std::to_string(clang_Cursor_getTemplateArgumentValue(function, index));
        break;
      default:
        text += "?";
    }
  }
  return text.empty() ? text : text + ">";
}

bool matches(const std::string& qualified, std::string wanted) {
  wanted = wanted.substr(0, wanted.find('<'));
  if (wanted.rfind("::", 0) == 0) wanted = wanted.substr(2);
  return qualified == wanted || (qualified.size() > wanted.size() + 2 &&
                                 qualified.compare(qualified.size() - wanted.size() - 2, 2, "::") == 0 &&
                                 qualified.compare(qualified.size() - wanted.size(), wanted.size(), wanted) == 0);
}

// Kernels with a body, in the order of the file.
std::vector<CXCursor> kernels_of(const Declarations& declarations) {
  std::vector<CXCursor> kernels;
  for (const auto& entity : declarations.entities()) {
    if (entity.kernel) kernels.push_back(entity.cursor);
  }
  return kernels;
}

// Of a template and its explicit specialisations, the one that the template arguments in the case's name select.
std::vector<CXCursor> select_specialisation(const std::vector<CXCursor>& found, const std::string& wanted) {
  const size_t open = wanted.find('<');
  const std::string arguments = open == std::string::npos ? "" : without_spaces(wanted.substr(open));
  std::vector<CXCursor> exact, general;
  for (const CXCursor each : found) {
    const std::string specialised = specialised_for(each);
    if (specialised.empty())
      general.push_back(each);
    else if (specialised == arguments)
      exact.push_back(each);
  }
  return exact.empty() ? general : exact;
}

Expected<CXCursor> find_kernel(const Unit& unit, const std::vector<CXCursor>& kernels, const Case& the_case,
                               KernelInfo& info) {
  std::vector<CXCursor> found;
  for (const CXCursor kernel : kernels) {
    const std::string name = qualified_name(kernel);
    if (std::find(info.kernels_in_file.begin(), info.kernels_in_file.end(), name) == info.kernels_in_file.end())
      info.kernels_in_file.push_back(name);
    if (matches(name, the_case.kernel)) found.push_back(kernel);
  }
  const Place place{unit.path, 0, 0};
  if (found.empty()) {
    return user_error("no kernel `" + the_case.kernel + "` in this file", place,
                      info.kernels_in_file.empty()
                          ? "the file has no __global__ function with a body"
                          : known_names(the_case.kernel, info.kernels_in_file, "kernels here"));
  }
  found = select_specialisation(found, the_case.kernel);
  if (found.size() != 1) {
    return user_error("`" + the_case.kernel + "` is ambiguous: " + std::to_string(found.size()) + " kernels match",
                      place, "qualify the name, or give overloads different names");
  }
  if (!unit.in_main_file(clang_getCursorLocation(found.front()))) {
    return unsupported("kernel `" + the_case.kernel + "` stands in an included file", place,
                       "name " + file_of(clang_getCursorLocation(found.front())) + " as the case's source");
  }
  return found.front();
}

// Gives each use the innermost body around it whose local blockIdx would cover it, or says why there is none. A helper
// that another kernel reaches as well cannot be changed: its remap would reach that kernel too.
void assign_scopes(const Reached& reached, const std::map<size_t, std::string>& shared, KernelInfo& info) {
  info.scopes = {{info.name, info.body}};
  for (BlockIdUse& use : info.block_ids) {
    if (!use.in_source) {
      use.reason = "it stands in an included file";
      continue;
    }
    const Reached::Body* best = nullptr;
    for (const auto& body : reached.bodies) {
      const Span& span = body.scope.body;
      if (body.captures_all || use.span.begin <= span.begin || use.span.end >= span.end) continue;
      if (best == nullptr || span.begin > best->scope.body.begin) best = &body;
    }
    if (best == nullptr) {
      use.reason = "it stands outside the body of a function";
      continue;
    }
    if (const auto other = shared.find(best->entity); other != shared.end()) {
      use.reason = "kernel `" + other->second + "` calls it as well, and is to keep its order. Give `" + info.name +
                   "` a copy of `" + best->scope.function + "` under another name";
      continue;
    }
    const auto known = std::find_if(info.scopes.begin(), info.scopes.end(), [&](const RemapScope& scope) {
      return scope.body.begin == best->scope.body.begin;
    });
    use.scope = static_cast<int>(known - info.scopes.begin());
    if (known == info.scopes.end()) info.scopes.push_back(best->scope);
  }
}

void collect_reads(const Unit& unit, const Declarations& declarations, const std::vector<CXCursor>& kernels,
                   CXCursor kernel, KernelInfo& info) {
  Reached reached = reach(unit, declarations, kernel);
  info.block_ids = std::move(reached.block_ids);
  info.reads_grid_dim = reached.grid_dim;
  info.uses_cluster_or_grid_sync = reached.grid_sync;
  std::map<size_t, std::string> shared;
  for (const CXCursor other : kernels) {
    if (info.block_ids.empty() || clang_equalCursors(other, kernel) != 0) continue;
    for (const size_t entity : reach(unit, declarations, other).entities) shared.emplace(entity, qualified_name(other));
  }
  assign_scopes(reached, shared, info);
}

}  // namespace

Expected<KernelInfo> analyse_source(const Case& the_case) {
  auto unit = Unit::parse(the_case.source, source_options(the_case));
  if (!unit) return tl::unexpected(unit.error());
  KernelInfo info;
  info.source = unit->text;
  const Declarations declarations(*unit);
  const std::vector<CXCursor> kernels = kernels_of(declarations);
  const auto kernel = find_kernel(*unit, kernels, the_case, info);
  if (!kernel) return tl::unexpected(kernel.error());
  info.name = qualified_name(*kernel);
  const size_t arguments = the_case.kernel.find('<');
  info.symbol_call = info.name + (arguments == std::string::npos ? "" : the_case.kernel.substr(arguments));
  info.parameters = parameters_of(*kernel);
  info.definition = span_of(clang_getCursorExtent(*kernel));
  info.body = span_of(clang_getCursorExtent(body_of(*kernel)));
  if (info.body.end <= info.body.begin || info.source[info.body.begin] != '{' ||
      info.source[info.body.end - 1] != '}') {
    return unsupported("the body of `" + info.name + "` comes out of a macro",
                       {unit->path, info.definition.line, info.definition.column}, "write its braces in the source");
  }
  collect_reads(*unit, declarations, kernels, *kernel, info);
  return info;
}

Expected<std::vector<KernelOutline>> list_kernels(const std::filesystem::path& source, Dialect) {
  auto unit = Unit::parse(source, {"-I" + source.parent_path().string()});
  if (!unit) return tl::unexpected(unit.error());
  std::vector<KernelOutline> result;
  for (const CXCursor kernel : kernels_of(Declarations(*unit)))
    result.push_back({qualified_name(kernel), parameters_of(kernel), span_of(clang_getCursorExtent(kernel)).line});
  return result;
}

}  // namespace swizzleperf
