#include "runner/job.h"

#include <gtest/gtest.h>

#include "measure/job.h"
#include "runner/failure.h"

namespace swizzleperf {
namespace {

runner::Job example() {
  const auto the_case = load_case(std::string(SWIZZLEPERF_SOURCE_DIR) + "/examples/spmv/spmv_cuda.toml").value();
  const auto instance = the_case.instance(the_case.default_variant).value();
  auto job = make_job(the_case, instance, "original {\n}", {{"a \"name\"\nof two lines", "other\n", true}}).value();
  job.note = "{\"x\":1}";
  return job;
}

TEST(Job, ReadsWhatItPrinted) {
  const runner::Job job = example();
  const std::string text = runner::print_job(job);
  const runner::Job again = runner::parse_job(text);
  EXPECT_EQ(runner::print_job(again), text);
  EXPECT_EQ(again.variants.at(1).name, "a \"name\"\nof two lines");
  EXPECT_TRUE(again.variants.at(1).energy);
  EXPECT_EQ(again.note, job.note);
  ASSERT_EQ(again.arguments.size(), job.arguments.size());
  EXPECT_EQ(again.arguments.front().bytes, job.arguments.front().bytes);
  EXPECT_EQ(again.arguments.front().init.kind, ContentsRule::Kind::kData);
}

TEST(Job, TheFirstVariantIsTheOriginal) {
  EXPECT_EQ(example().variants.front().name, "default");
  EXPECT_EQ(example().variants.front().source, "original {\n}");
}

TEST(Job, EveryCutAndEveryChangedByteIsRefusedOrAJob) {
  const std::string text = runner::print_job(example());
  for (size_t at = 0; at < std::min<size_t>(text.size(), 600); ++at) {
    std::string changed = text;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    for (const std::string& one : {text.substr(0, at), changed}) {
      try {
        EXPECT_FALSE(runner::parse_job(one).variants.empty());
      } catch (const runner::Failure& failure) {
        EXPECT_EQ(failure.kind, "job");
      }
    }
  }
}

}  // namespace
}  // namespace swizzleperf
