#include "rewrite/rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "rewrite/marker.h"

namespace swizzleperf {
namespace {

std::string with_line_ends(const std::string& text, bool carriage_return) {
  if (!carriage_return) return text;
  std::string result;
  for (char c : text) result += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return result;
}

// "blockIdx" for a name of the same value that the shadowing object does not cover; empty for other reads. The bytes
// [begin, end) of the source are what it stands for.
std::string replacement(const KernelInfo& kernel, const BlockIdUse& use, size_t& begin, size_t& end) {
  begin = use.span.begin;
  if (use.kind == BlockIdUse::Kind::kBuiltin && use.text == "group_index") {
    end = use.span.end + 2;
    begin = begin_of_group_index(kernel.source, begin);
    return begin < use.span.begin && kernel.source.compare(use.span.end, 2, "()") == 0 ? "blockIdx" : "";
  }
  const bool axis = !use.text.empty() && use.text.back() >= 'x' && use.text.back() <= 'z';
  end = use.span.end;
  if (!axis) return {};
  const std::string result = std::string("blockIdx.") + use.text.back();
  if (use.kind == BlockIdUse::Kind::kHipBlockIdx && use.text == std::string("hipBlockIdx_") + use.text.back())
    return result;
  const std::string builtin = std::string("__builtin_amdgcn_workgroup_id_") + use.text.back();
  if (use.kind == BlockIdUse::Kind::kBuiltin && use.text == builtin && kernel.source.compare(end, 2, "()") == 0) {
    end += 2;
    return result;
  }
  return {};
}

// Replaces the reads that a shadowing object does not cover, and collects the bodies that need a remap of their own. A
// read that neither covers refuses the kernel.
Expected<std::vector<Edit>> cover_reads(const Case& the_case, const KernelInfo& kernel, std::set<int>& scopes) {
  std::vector<Edit> edits;
  for (const BlockIdUse& use : kernel.block_ids) {
    const Place place{use.in_source ? the_case.source.string() : std::string(), use.in_source ? use.span.line : 0,
                      use.in_source ? use.span.column : 0};
    if (use.scope < 0) {
      return unsupported(fmt::format("`{}` in `{}`, which the kernel reaches, reads the block id, and a remap cannot "
                                     "cover it: {}",
                                     use.text, use.function, use.reason),
                         place, "pass the block id to it as an argument");
    }
    scopes.insert(use.scope);
    if (use.kind == BlockIdUse::Kind::kBlockIdx) {
      if (use.text.rfind("::", 0) == 0)
        return unsupported("`::blockIdx` names the real block id, which a remap cannot cover", place,
                           "write `blockIdx`");
      continue;
    }
    size_t begin = 0, end = 0;
    const std::string text = replacement(kernel, use, begin, end);
    if (text.empty()) {
      return unsupported("`" + use.text + "` reads the block id in a way that a remap cannot cover", place,
                         "read blockIdx in the kernel instead");
    }
    edits.push_back({begin, kernel.source.substr(begin, end - begin), text});
  }
  return edits;
}

// The remap behind the opening brace of a body. Code that follows the brace on its line must not end up in the closing
// comment.
Edit insertion(const KernelInfo& kernel, const RemapScope& scope, const PrintedMap& map) {
  const size_t at = scope.body.begin + 1;
  const size_t line_end = kernel.source.find('\n', at);
  const bool carriage_return = line_end != std::string::npos && line_end > 0 && kernel.source[line_end - 1] == '\r';
  std::string code =
      fmt::format("\n  {}\n{}  const dim3 blockIdx(sp_pid_x, sp_pid_y, sp_pid_z);\n  {}", kOpening, map.body, kClosing);
  const char next = at < kernel.source.size() ? kernel.source[at] : '\n';
  if (next != '\n' && next != '\r') code += "\n";
  return {at, "", with_line_ends(code, carriage_return)};
}

}  // namespace

std::string patch_path(const Case& the_case) {
  const auto relative = the_case.source.lexically_relative(the_case.file.parent_path()).generic_string();
  const bool inside = !relative.empty() && relative != "." && relative.rfind("..", 0) != 0;
  return inside ? relative : the_case.source.filename().string();
}

Rewritten assemble(const Case& the_case, const KernelInfo& kernel, std::vector<Edit> edits) {
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.at < b.at; });
  Rewritten result{.source = apply_edits(kernel.source, edits),
                   .patch = unified_diff(patch_path(the_case), kernel.source, edits)};
  result.edits = std::move(edits);
  return result;
}

Expected<Rewritten> rewrite_kernel(const Case& the_case, const KernelInfo& kernel, const Swizzle& swizzle,
                                   const RewriteOptions& options) {
  const Place place{the_case.source.string(), kernel.definition.line, kernel.definition.column};
  if (kernel.uses_cluster_or_grid_sync)
    return unsupported("cooperative groups over the grid or clusters: workgroups are not independent", place);
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.name == "blockIdx") return unsupported("a parameter is named blockIdx", place, "rename it");
  }
  std::set<int> scopes = {0};
  for (const RemapScope& scope : kernel.scopes) {
    const std::string body = kernel.source.substr(scope.body.begin, scope.body.end - scope.body.begin);
    if (body.find(kMarker) != std::string::npos) {
      return user_error("`" + scope.function + "` already carries a remap",
                        {the_case.source.string(), scope.body.line, 0}, "remove it first, or use the original");
    }
  }
  auto edits = cover_reads(the_case, kernel, scopes);
  if (!edits) return tl::unexpected(edits.error());
  const auto map = print_map(swizzle, the_case.dialect == Dialect::kHip ? Target::kHip : Target::kCuda,
                             {.guarded = options.guarded, .guard_grids = options.guard_grids});
  if (!map) return tl::unexpected(map.error());
  for (const int scope : scopes) edits->push_back(insertion(kernel, kernel.scopes[static_cast<size_t>(scope)], *map));
  Rewritten result = assemble(the_case, kernel, std::move(*edits));
  result.bits = map->bits;
  result.operations = map->operations;
  result.most_workgroups = map->most_workgroups;
  if (auto status = check_rewritten(the_case, kernel, result); !status) return tl::unexpected(status.error());
  return result;
}

}  // namespace swizzleperf
