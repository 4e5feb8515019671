// The IR samples of tests/data/ttir, and cases around them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/file.h"
#include "frontend/triton/kernel.h"
#include "workload/case.h"

namespace swizzleperf {

inline std::string sample(const std::string& name, const std::string& version = "3.9") {
  return fmt::format("{}/tests/data/ttir/{}/{}.ttir", SWIZZLEPERF_SOURCE_DIR, version, name);
}

// A Triton case of the kernel, with the IR in `file`. `arguments` in the syntax of [[args]].
inline Case triton_case(const std::string& kernel, const std::string& file, const std::string& grid,
                        const std::string& arguments, const std::string& sizes = "N = 1") {
  const std::string text = fmt::format(
      "name = \"t\"\nkernel = \"{}\"\nir = \"{}\"\n[launch]\ngrid = {}\nwarps = 4\n[variants]\nmain = {{ {} }}\n{}",
      kernel, file, grid, sizes, arguments);
  auto the_case = parse_case(text, std::string(SWIZZLEPERF_SOURCE_DIR) + "/t.toml");
  EXPECT_TRUE(the_case) << (the_case ? "" : describe(the_case.error()));
  return *the_case;
}

inline std::string buffer(const std::string& name, const std::string& dtype, const std::string& elements,
                          const std::string& more = "") {
  return fmt::format("[[args]]\nname = \"{}\"\ndtype = \"{}\"\nshape = [\"{}\"]\n{}\n", name, dtype, elements, more);
}
inline std::string scalar(const std::string& name, const std::string& value, const std::string& dtype = "int32") {
  return fmt::format("[[args]]\nname = \"{}\"\ndtype = \"{}\"\nvalue = \"{}\"\n", name, dtype, value);
}

// The workload of every program, as one GPU with waves of 64 lanes sees it.
inline GpuSpec small_gpu() {
  GpuSpec gpu;
  gpu.arch = "gfx942";
  gpu.wave_lanes = 64;
  gpu.max_waves_per_cu = 32;
  return gpu;
}

inline Expected<Workload> workload_of(const Case& the_case, const std::string& variant = "main") {
  const auto instance = the_case.instance(variant);
  if (!instance) return tl::unexpected(instance.error());
  const auto kernel = TritonKernel::open(the_case, variant);
  if (!kernel) return tl::unexpected(kernel.error());
  return triton_workload(*kernel, *instance, small_gpu());
}

// "load x 0+1024; store y 0+1024": the accesses of a tile, one phase a line, segments as first byte + length.
inline std::string in_words(const Workload& workload, int64_t tile) {
  std::string text;
  for (int64_t p = workload.tile_begin.at(static_cast<size_t>(tile));
       p < workload.tile_begin.at(static_cast<size_t>(tile) + 1); ++p) {
    for (int64_t a = workload.phase_begin[static_cast<size_t>(p)]; a < workload.phase_begin[static_cast<size_t>(p) + 1];
         ++a) {
      const Access& access = workload.accesses[static_cast<size_t>(a)];
      const char* const kinds[] = {"load", "scalar", "store", "atomic"};
      text += fmt::format("{} {}", kinds[static_cast<size_t>(access.kind)],
                          workload.arrays[static_cast<size_t>(access.array)].name);
      // What one wave instruction goes on where another stopped is one stretch.
      std::vector<Segment> stretches;
      for (const Segment& s : workload.patterns[static_cast<size_t>(access.pattern)].segments) {
        Segment* const last = stretches.empty() ? nullptr : &stretches.back();
        if (last != nullptr && last->offset + last->bytes == s.offset && last->repeat == s.repeat) {
          last->bytes += s.bytes;
        } else {
          stretches.push_back(s);
        }
      }
      for (const Segment& s : stretches)
        text += fmt::format(" {}+{}{}", access.origin + s.offset, s.bytes,
                            s.repeat > 1 ? fmt::format("x{}", s.repeat) : "");
      text += "; ";
    }
    text += "\n";
  }
  return text;
}

}  // namespace swizzleperf
