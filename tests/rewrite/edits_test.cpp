// Edits, diffs and their undoing; and what the check of a rewrite refuses.
#include "rewrite/edits.h"

#include <random>

#include "tests/rewrite/rewriting.h"

namespace swizzleperf {
namespace {

// Random lines and random edits of them.
struct Sample {
  std::string text;
  std::vector<Edit> edits;
};

Sample sample(std::mt19937& random) {
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  Sample result;
  for (size_t i = below(60); i > 0; --i) result.text += "line " + std::to_string(below(5)) + "\n";
  if (below(2) == 0 && !result.text.empty()) result.text.pop_back();
  for (size_t at = below(40); at < result.text.size(); at += 1 + below(80)) {
    const std::string before = result.text.substr(at, below(12));
    const char* const after[] = {"", "x", "\n", "new\nlines\n", "\n  more\n  text"};
    result.edits.push_back({at, before, after[below(5)]});
    at += before.size();
  }
  return result;
}

TEST(Edits, TheDiffLeadsToTheChangedTextAndUndoingLeadsBack) {
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    const Sample one = sample(random);
    const std::string changed = apply_edits(one.text, one.edits);
    EXPECT_EQ(undo_edits(changed, one.edits).value(), one.text);
    if (changed == one.text) continue;
    const std::string patch = unified_diff("f", one.text, one.edits);
    const auto applied = apply_patch(one.text, patch);
    ASSERT_TRUE(applied) << describe(applied.error()) << patch;
    EXPECT_EQ(*applied, changed) << patch;
  }
}

TEST(Edits, GnuPatchReadsTheDiffsAlike) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  std::mt19937 random(8);
  for (int i = 0; i < 60; ++i) {
    const Sample one = sample(random);
    const std::string changed = apply_edits(one.text, one.edits);
    if (changed == one.text || changed.empty()) continue;
    ASSERT_TRUE(write_file_atomic(folder->path() / "f", one.text));
    ASSERT_TRUE(write_file_atomic(folder->path() / "p", unified_diff("f", one.text, one.edits)));
    const auto run = run_process({"patch", "--binary", "-s", "-F0", "-p1", "-i", "p"}, {}, {}, folder->path());
    ASSERT_TRUE(run->ok()) << run->out << run->err << one.text << "\n----\n" << read_file(folder->path() / "p").value();
    EXPECT_EQ(read_file(folder->path() / "f").value(), changed);
  }
}

TEST(Edits, APatchOfAnotherTextDoesNotApply) {
  const std::string patch = unified_diff("f", "a\nb\nc\n", {{2, "b", "B"}});
  EXPECT_EQ(apply_patch("a\nb\nc\n", patch).value(), "a\nB\nc\n");
  for (const char* other : {"", "a\n", "a\nx\nc\n", "A\nb\nc\n"}) EXPECT_FALSE(apply_patch(other, patch)) << other;
}

using Check = Rewriting;

constexpr const char* kSource =
    "__global__ void other(float* a) { a[0] = 1; }\n__global__ void k(float* a) {\n  a[hipBlockIdx_x] = 1;\n}\n";

// A right rewrite, spoilt in one way.
class Spoilt : public Rewriting {
 protected:
  void expect_spoilt(const std::function<void(std::vector<Edit>&)>& spoil, const std::string& reason) {
    auto right = rewrite(kSource);
    ASSERT_TRUE(right) << describe(right.error());
    const auto info = analyse_source(case_).value();
    ASSERT_TRUE(check_rewritten(case_, info, *right));
    spoil(right->edits);
    const auto status = check_rewritten(case_, info, assemble(case_, info, right->edits));
    ASSERT_FALSE(status);
    EXPECT_NE(describe(status.error()).find(reason), std::string::npos) << describe(status.error());
  }
};

TEST_F(Spoilt, AnyOtherEditIsRefused) {
  expect_spoilt([](auto& edits) { edits.push_back({std::string(kSource).find("= 1; }"), "= 1", "= 2"}); }, "neither");
  expect_spoilt([](auto& edits) { edits.push_back({0, "", "// a comment\n"}); }, "neither");
  expect_spoilt([](auto& edits) { edits.back().after = "blockIdx.y"; }, "neither");
  expect_spoilt([](auto& edits) { edits.front().at += 3; }, "neither");
  expect_spoilt([](auto& edits) { edits.front().after += " a[3] = 7;"; }, "neither");
  expect_spoilt([](auto& edits) { edits.erase(edits.begin()); }, "no remap");
}

TEST_F(Spoilt, AReadThatIsLeftIsRefused) {
  expect_spoilt([](auto& edits) { edits.pop_back(); }, "would remain");
}

TEST_F(Spoilt, ARemapThatDoesNotCompileIsRefused) {
  expect_spoilt([](auto& edits) { edits.front().after.replace(edits.front().after.find("sp_pid_x"), 8, "sp_pid_q"); },
                "does not compile");
}

TEST_F(Check, TextAndPatchMustBeWhatTheEditsSay) {
  const auto right = rewrite(kSource);
  ASSERT_TRUE(right);
  const auto info = analyse_source(case_).value();
  Rewritten other = *right;
  other.source += "\n";
  EXPECT_FALSE(check_rewritten(case_, info, other));
  other = *right;
  other.source.replace(other.source.find("a[0]"), 4, "a[1]");
  EXPECT_FALSE(check_rewritten(case_, info, other));
  other = *right;
  other.patch.replace(other.patch.find("sp_pid_x"), 8, "sp_pid_y");
  EXPECT_FALSE(check_rewritten(case_, info, other));
}

}  // namespace
}  // namespace swizzleperf
