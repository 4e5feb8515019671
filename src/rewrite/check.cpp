// The check of a rewrite. It trusts nothing that rewrite_kernel did: only the two texts, the edits and the patch.
#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "rewrite/marker.h"
#include "rewrite/rewrite.h"

namespace swizzleperf {
namespace {

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// One remap from its opening to its closing comment, in front of anything that a body holds.
bool is_remap(const KernelInfo& kernel, const Edit& edit) {
  const size_t begin = edit.after.find_first_not_of(" \r\n"), end = edit.after.find_last_not_of(" \r\n");
  const std::string closing = kClosing;
  return edit.before.empty() && edit.at > 0 && kernel.source[edit.at - 1] == '{' && begin != std::string::npos &&
         edit.after.compare(begin, std::string(kOpening).size(), kOpening) == 0 && end + 1 >= closing.size() &&
         edit.after.compare(end + 1 - closing.size(), closing.size(), closing) == 0 &&
         count_of(edit.after, kMarker) == 2;
}

bool is_replaced_read(const Edit& edit) {
  constexpr std::string_view kGroupIndex = "group_index()";
  if (edit.after == "blockIdx" && edit.before.size() > kGroupIndex.size()) {
    const size_t name = edit.before.size() - kGroupIndex.size();
    return edit.before.compare(name, kGroupIndex.size(), kGroupIndex) == 0 &&
           begin_of_group_index(edit.before, name) == 0;
  }
  for (const char axis : {'x', 'y', 'z'}) {
    if (edit.after != std::string("blockIdx.") + axis) continue;
    return edit.before == std::string("hipBlockIdx_") + axis ||
           edit.before == std::string("__builtin_amdgcn_workgroup_id_") + axis + "()";
  }
  return false;
}

Expected<void> check_text(const KernelInfo& kernel, const Rewritten& rewritten) {
  size_t remaps = 0;
  for (const Edit& edit : rewritten.edits) {
    const bool remap = is_remap(kernel, edit);
    remaps += remap ? 1 : 0;
    if (!remap && !is_replaced_read(edit))
      return internal_error(fmt::format("the edit at byte {} is neither a remap nor a replaced read", edit.at));
  }
  if (remaps == 0) return internal_error("the rewrite inserts no remap");
  const auto original = undo_edits(rewritten.source, rewritten.edits);
  if (!original) return tl::unexpected(original.error());
  if (*original != kernel.source)
    return internal_error("without the inserted remap the file is not the original byte for byte");
  const auto patched = apply_patch(kernel.source, rewritten.patch);
  if (!patched) return tl::unexpected(patched.error());
  if (*patched != rewritten.source) return internal_error("the patch does not lead to the rewritten file");
  return {};
}

// Where the inserted code lies in the rewritten file.
std::vector<Span> inserted_spans(const Rewritten& rewritten) {
  std::vector<Span> spans;
  size_t shift = 0;
  for (const Edit& edit : rewritten.edits) {
    if (edit.before.empty()) spans.push_back({edit.at + shift, edit.at + shift + edit.after.size()});
    shift += edit.after.size() - edit.before.size();
  }
  return spans;
}

bool same_parameters(const KernelInfo& a, const KernelInfo& b) {
  return std::equal(a.parameters.begin(), a.parameters.end(), b.parameters.begin(), b.parameters.end(),
                    [](const auto& x, const auto& y) { return x.name == y.name && x.type == y.type; });
}

}  // namespace

Expected<void> check_rewritten(const Case& the_case, const KernelInfo& kernel, const Rewritten& rewritten) {
  if (auto status = check_text(kernel, rewritten); !status) return status;
  auto folder = TemporaryFolder::create();
  if (!folder) return tl::unexpected(folder.error());
  Case copy = the_case;
  copy.source = folder->path() / the_case.source.filename();
  copy.include_folders.insert(copy.include_folders.begin(), the_case.source.parent_path());
  if (auto status = write_file_atomic(copy.source, rewritten.source); !status) return status;
  auto again = analyse_source(copy);
  if (!again) {
    again.error().message = "the kernel does not compile after the rewrite: " + again.error().message;
    again.error().blame = Blame::kUnsupported;
    again.error().place.file = the_case.source.string();
    return tl::unexpected(again.error());
  }
  if (again->name != kernel.name || !same_parameters(*again, kernel))
    return internal_error("the rewrite changed the kernel's signature");
  const std::vector<Span> inserted = inserted_spans(rewritten);
  for (const BlockIdUse& use : again->block_ids) {
    const bool ours = std::any_of(inserted.begin(), inserted.end(), [&](const Span& span) {
      return use.in_source && use.span.begin >= span.begin && use.span.end <= span.end;
    });
    if (ours) continue;
    return unsupported("a read of the block id would remain after the rewrite",
                       {the_case.source.string(), kernel.body.line, 0}, "read `blockIdx` by that name in the kernel");
  }
  return {};
}

}  // namespace swizzleperf
