// Compiles and runs kernels that a test writes as text.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/file.h"
#include "frontend/clike/source.h"
#include "frontend/clike/trace.h"
#include "workload/case.h"

namespace swizzleperf {

// A buffer of the kernel under test.
struct TestBuffer {
  std::string name, dtype;
  int64_t elements = 0;
  std::string init = "\"zeros\"";
};

class KernelTest : public testing::Test {
 protected:
  KernelTest() : folder_(TemporaryFolder::create().value()) {}

  // A case with `grid` and `block` along x whose buffers are all outputs.
  Case make_case(const std::string& source, int64_t grid, int64_t block, const std::vector<TestBuffer>& buffers,
                 const std::string& kernel = "k", int64_t shared = 0) {
    std::string toml = fmt::format(
        "source = \"k.cu\"\nkernel = \"{}\"\ndialect = \"cuda\"\n[launch]\ngrid = [{}]\nblock = [{}]\nshared = {}\n"
        "[variants.main]\nN = 1\n",
        kernel, grid, block, shared);
    for (const TestBuffer& buffer : buffers)
      toml += fmt::format("[[args]]\nname = \"{}\"\ndtype = \"{}\"\nshape = [{}]\noutput = true\ninit = {}\n",
                          buffer.name, buffer.dtype, buffer.elements, buffer.init);
    EXPECT_TRUE(write_file_atomic(folder_.path() / "k.cu", source));
    auto the_case = parse_case(toml, folder_.path() / "case.toml");
    if (!the_case) throw std::runtime_error(describe(the_case.error()));
    return *the_case;
  }

  Expected<FullRun> run(const Case& the_case, int64_t lanes = 32, const TraceLimits& limits = {}) {
    const auto info = analyse_source(the_case);
    if (!info) return tl::unexpected(info.error());
    const auto kernel = TracedKernel::compile(the_case, *info, info->source);
    if (!kernel) return tl::unexpected(kernel.error());
    return run_grid(*kernel, the_case.instance(the_case.default_variant).value(), lanes, limits);
  }

  Expected<TracedTile> trace(const Case& the_case, int64_t tile = 0, int64_t lanes = 32) {
    const auto info = analyse_source(the_case);
    if (!info) return tl::unexpected(info.error());
    const auto kernel = TracedKernel::compile(the_case, *info, info->source);
    if (!kernel) return tl::unexpected(kernel.error());
    auto tiles = trace_tiles(*kernel, the_case.instance(the_case.default_variant).value(),
                             {.tiles = {tile}, .wave_lanes = lanes});
    if (!tiles) return tl::unexpected(tiles.error());
    return tiles->front();
  }

  TemporaryFolder folder_;
};

// The elements of an output.
template <class T>
std::vector<T> elements(const std::string& bytes) {
  std::vector<T> result(bytes.size() / sizeof(T));
  std::memcpy(result.data(), bytes.data(), result.size() * sizeof(T));
  return result;
}

}  // namespace swizzleperf
