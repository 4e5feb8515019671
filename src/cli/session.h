// What every verb that works on a case does first: read the case and the GPU, understand the kernel, build the model.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frontend/clike/trace.h"
#include "frontend/triton/kernel.h"
#include "model/model.h"
#include "workload/case.h"

namespace swizzleperf {

// A case at one of its sizes, and the GPU; the kernel is not looked at yet.
struct OpenCase {
  Case the_case;
  CaseInstance instance;
  GpuSpec gpu;
  Sizes map_sizes;  // the case's sizes and num_xcds, cus_per_xcd: what a map may name
};

// Everything known about one case on one GPU. Immutable after open_session().
struct Session {
  Case the_case;
  CaseInstance instance;
  GpuSpec gpu;
  std::optional<KernelInfo> kernel;    // none for a declared case, which has no source, nor for a Triton case
  std::optional<TracedKernel> traced;  // likewise
  std::optional<TritonKernel> triton;  // of a Triton case
  Workload workload;
  Model model;
  Sizes map_sizes;  // as in OpenCase
};

// Told the name of each stage as it begins.
using StageCallback = std::function<void(const std::string& stage)>;

// What the user asked for: a case file, a GPU, one size of the case.
struct Request {
  std::string case_file;
  std::string gpu;                      // name or file
  std::string variant;                  // empty: the case's default
  std::vector<std::string> sizes = {};  // "NAME=VALUE": instead of the variant's own
};

// Adds the case, --gpu, --variant and --size to a verb.
void add_request_options(CLI::App& verb, Request& request);

Expected<OpenCase> open_case(const Request& request, const StageCallback& on_stage);

// The kernel's source, with its arguments checked against the case's.
Expected<KernelInfo> read_source(const Case& the_case, const StageCallback& on_stage);

// `same_source`: an earlier session of the same case file and GPU, whose compiled kernel serves again.
Expected<Session> open_session(const Request& request, const StageCallback& on_stage,
                               const Session* same_source = nullptr);

// "NAME=VALUE" as the user gives them.
Expected<Sizes> parse_sizes(const std::vector<std::string>& texts);

// The workload of a declared case, with its occupancy.
Expected<Workload> declared_workload(const Case& the_case, const CaseInstance& instance, const GpuSpec& gpu);

// num_xcds and cus_per_xcd of the GPU.
Sizes gpu_sizes(const GpuSpec& gpu);

// The order that a map gives on a grid, bijective or not; the launch order for an empty text. `name` is the map's in
// errors.
Expected<Order> order_of(const std::string& map, const std::string& name, const Grid& grid, const Sizes& sizes);

// Prints the error to stderr and returns its exit code.
int report_error(const Error& error);

// Shows the current stage on stderr while it is a terminal; silent otherwise. Clear it before printing to stdout;
// the destructor clears it too.
class StageLine {
 public:
  explicit StageLine(bool enabled);
  ~StageLine();
  StageLine(const StageLine&) = delete;
  StageLine& operator=(const StageLine&) = delete;
  void show(const std::string& stage);
  void clear();

 private:
  bool enabled_;
};

}  // namespace swizzleperf
