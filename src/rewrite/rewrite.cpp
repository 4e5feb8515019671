#include "rewrite/rewrite.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"

namespace swizzleperf {
namespace {

// Opens and closes the inserted code, so that a second rewrite is recognised.
constexpr const char* kMarker = "// swizzleperf: ";

// Replaces source[begin, end) by `text`. Edits are sorted and do not overlap.
struct Edit {
  size_t begin = 0;
  size_t end = 0;
  std::string text;
};

std::string apply_edits(const std::string& source, const std::vector<Edit>& edits) {
  std::string result;
  size_t at = 0;
  for (const Edit& edit : edits) {
    result += source.substr(at, edit.begin - at) + edit.text;
    at = edit.end;
  }
  return result + source.substr(at);
}

std::string with_line_ends(const std::string& text, bool carriage_return) {
  if (!carriage_return) return text;
  std::string result;
  for (char c : text) result += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return result;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end == std::string::npos ? end : end - at + 1));
    at += lines.back().size();
  }
  return lines;
}

// One hunk from the first to the last line that differs, with three lines of context.
std::string unified_diff(const std::string& name, const std::string& before, const std::string& after) {
  const auto a = lines_of(before), b = lines_of(after);
  size_t head = 0, tail = 0;
  while (head < std::min(a.size(), b.size()) && a[head] == b[head]) ++head;
  while (tail < std::min(a.size(), b.size()) - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  const size_t lead = std::min<size_t>(head, 3), follow = std::min<size_t>(tail, 3), first = head - lead;
  std::string text = fmt::format("--- a/{0}\n+++ b/{0}\n@@ -{1},{2} +{1},{3} @@\n", name, first + 1,
                                 a.size() - tail + follow - first, b.size() - tail + follow - first);
  const auto emit = [&](char sign, const std::string& line) {
    text += sign + line;
    if (line.back() != '\n') text += "\n\\ No newline at end of file\n";
  };
  for (size_t i = first; i < head; ++i) emit(' ', a[i]);
  for (size_t i = head; i < a.size() - tail; ++i) emit('-', a[i]);
  for (size_t i = head; i < b.size() - tail; ++i) emit('+', b[i]);
  for (size_t i = a.size() - tail; i < a.size() - tail + follow; ++i) emit(' ', a[i]);
  return text;
}

// The reads that the shadowing object does not cover: replaced where they are simple, else the kernel is refused.
Expected<std::vector<Edit>> cover_reads(const Case& the_case, const KernelInfo& kernel) {
  std::vector<Edit> edits;
  for (const BlockIdUse& use : kernel.block_ids) {
    const Place place{the_case.source.string(), use.span.line, use.span.column};
    if (use.kind == BlockIdUse::Kind::kBlockIdx && use.in_kernel) {
      if (use.text.rfind("::", 0) == 0)
        return unsupported("the kernel reads `::blockIdx`, which a remap cannot cover", place, "write `blockIdx`");
      continue;
    }
    if (use.kind == BlockIdUse::Kind::kBlockIdx)
      return unsupported("`" + use.function + "`, which the kernel calls, reads blockIdx", place,
                         "pass the block id to it as an argument");
    const bool axis = !use.text.empty() && use.text.back() >= 'x' && use.text.back() <= 'z';
    const size_t end = use.span.end;
    if (use.in_kernel && axis && use.text.rfind("hipBlockIdx_", 0) == 0 && use.text.size() == 13) {
      edits.push_back({use.span.begin, end, std::string("blockIdx.") + use.text.back()});
    } else if (use.in_kernel && axis && use.text.rfind("__builtin_amdgcn_workgroup_id_", 0) == 0 &&
               kernel.source.compare(end, 2, "()") == 0) {
      edits.push_back({use.span.begin, end + 2, std::string("blockIdx.") + use.text.back()});
    } else {
      return unsupported("`" + use.text + "` reads the block id in a way that a remap cannot cover", place,
                         "read blockIdx in the kernel instead");
    }
  }
  return edits;
}

std::string inserted_code(const PrintedMap& map, bool carriage_return) {
  return with_line_ends(fmt::format("\n  {0}this workgroup takes the tile that the map gives it\n{1}"
                                    "  const dim3 blockIdx(sp_pid_x, sp_pid_y, sp_pid_z);\n  {0}end",
                                    kMarker, map.body),
                        carriage_return);
}

// Parses the rewritten file in the place of the original: same signature, and no read of the real block id is left but
// those that were inserted.
Expected<void> check(const Case& the_case, const KernelInfo& kernel, const std::string& source, Span inserted) {
  auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  Case copy = the_case;
  copy.source = folder->path() / the_case.source.filename();
  copy.include_folders.insert(copy.include_folders.begin(), the_case.source.parent_path());
  if (auto status = write_file_atomic(copy.source, source); !status) return status;
  auto again = analyse_source(copy);
  if (!again) {
    again.error().message = "the kernel does not compile after the rewrite: " + again.error().message;
    again.error().blame = Blame::kUnsupported;
    again.error().place.file = the_case.source.string();
    return tl::unexpected(again.error());
  }
  const auto same = [](const KernelParameter& a, const KernelParameter& b) {
    return a.name == b.name && a.type == b.type;
  };
  if (again->name != kernel.name || !std::equal(again->parameters.begin(), again->parameters.end(),
                                                kernel.parameters.begin(), kernel.parameters.end(), same))
    return internal_error("the rewrite changed the kernel's signature");
  for (const BlockIdUse& use : again->block_ids) {
    if (use.span.begin >= inserted.begin && use.span.end <= inserted.end) continue;
    return unsupported("a read of the block id would remain after the rewrite",
                       {the_case.source.string(), kernel.body.line, 0}, "read `blockIdx` by that name in the kernel");
  }
  return {};
}

}  // namespace

Expected<Rewritten> rewrite_kernel(const Case& the_case, const KernelInfo& kernel, const Swizzle& swizzle,
                                   const RewriteOptions& options) {
  const Place place{the_case.source.string(), kernel.definition.line, kernel.definition.column};
  const std::string definition = kernel.source.substr(kernel.body.begin, kernel.body.end - kernel.body.begin);
  if (definition.find(kMarker) != std::string::npos)
    return user_error("`" + kernel.name + "` already carries a remap", place, "remove it first, or use the original");
  if (kernel.uses_cluster_or_grid_sync)
    return unsupported("cooperative groups over the grid or clusters: workgroups are not independent", place);
  for (const KernelParameter& parameter : kernel.parameters) {
    if (parameter.name == "blockIdx") return unsupported("a parameter is named blockIdx", place, "rename it");
  }
  auto edits = cover_reads(the_case, kernel);
  if (!edits) return tl::unexpected(edits.error());
  const auto map = print_map(swizzle, the_case.dialect == Dialect::kHip ? Target::kHip : Target::kCuda,
                             {.guarded = options.guarded, .guard_grids = options.guard_grids});
  if (!map) return tl::unexpected(map.error());

  const size_t at = kernel.body.begin + 1;
  const size_t line_end = kernel.source.find('\n', at);
  const bool carriage_return = line_end != std::string::npos && line_end > 0 && kernel.source[line_end - 1] == '\r';
  std::string code = inserted_code(*map, carriage_return);
  // Code that follows the brace on its line must not end up in the closing comment.
  const char next = at < kernel.source.size() ? kernel.source[at] : '\n';
  if (next != '\n' && next != '\r') code += carriage_return ? "\r\n" : "\n";
  edits->push_back({at, at, code});
  std::sort(edits->begin(), edits->end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });

  Rewritten result{
      .source = apply_edits(kernel.source, *edits), .patch = "", .bits = map->bits, .operations = map->operations};
  if (auto status = check(the_case, kernel, result.source, {at, at + code.size()}); !status)
    return tl::unexpected(status.error());
  result.patch = unified_diff(the_case.source.filename().string(), kernel.source, result.source);
  return result;
}

}  // namespace swizzleperf
