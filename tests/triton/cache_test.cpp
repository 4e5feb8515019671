#include "frontend/triton/cache.h"

#include <gmock/gmock.h>

#include "tests/triton/samples.h"

namespace swizzleperf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

void put(const fs::path& folder, const std::string& file, const std::string& text) {
  fs::create_directories(folder);
  ASSERT_TRUE(write_file_atomic(folder / file, text));
}

TEST(TritonCache, KernelsAreListedWithWhatTheirMetadataSays) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  put(folder->path() / "A", "copy.json",
      R"({"name": "copy", "num_warps": 4, "shared": 0, "target": {"backend": "cuda", "arch": 90, "warp_size": 32},
          "triton_version": "3.9.0"})");
  put(folder->path() / "A", "copy.ttir", *read_file(sample("copy")));
  put(folder->path() / "A", "__grp__copy.json", R"({"child_paths": {}})");
  put(folder->path() / "B", "old.json", R"({"name": "old", "target": ["hip", "gfx942", 64], "num_warps": 8})");
  put(folder->path() / "C", "broken.json", R"({"name": "broken", )");
  put(folder->path() / "D", "wrong.json", R"({"name": "wrong"})");
  put(folder->path() / "D", "wrong.ttir", "not IR");
  const auto kernels = read_triton_cache(folder->path());
  ASSERT_TRUE(kernels) << describe(kernels.error());
  ASSERT_EQ(kernels->size(), 3U);
  const CachedKernel& copy = (*kernels)[0];
  EXPECT_EQ(copy.name, "copy");
  EXPECT_EQ(copy.target, "cuda:90");
  EXPECT_EQ(copy.version, "3.9.0");
  EXPECT_EQ(copy.warps, 4);
  EXPECT_THAT(copy.parameters, ElementsAre("x: pointer to fp32", "y: pointer to fp32", "n: int32"));
  EXPECT_THAT(copy.grid_axes, ElementsAre("x"));
  EXPECT_EQ((*kernels)[1].target, "hip:gfx942");
  EXPECT_THAT((*kernels)[1].problem, HasSubstr("no .ttir"));
  EXPECT_THAT((*kernels)[2].problem, HasSubstr("wrong.ttir:1"));
}

TEST(TritonCache, AFolderThatIsNotThereIsAnError) {
  const auto kernels = read_triton_cache("/nonexistent/cache");
  ASSERT_FALSE(kernels);
  EXPECT_EQ(exit_code(kernels.error()), 2);
}

}  // namespace
}  // namespace swizzleperf
