// Declared workloads: a case whose kernel is given as the tiles that it reads and writes, instead of a source.
// Reference of the format: docs/declared.md.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/toml.h"
#include "workload/workload.h"

namespace swizzleperf {

struct CaseInstance;

// The fields `program`, `arrays` and `tables` of a case file as they stand there; expressions are not yet evaluated.
class DeclaredKernel {
 public:
  // True when the case is a declared one.
  static bool in(const toml::table& root) { return root.contains("program"); }
  // User error with line and field for what is missing, unknown, or of the wrong type.
  static Expected<std::shared_ptr<const DeclaredKernel>> read(const toml::table& root, const std::string& file);

  // The workload of one variant. `wave_lanes` of the GPU decides how gathers coalesce. User error with line for a
  // mistake in the program (syntax, unknown names, faults, an access that never lies in its array) and for workloads
  // beyond the limits (docs/declared.md), `max_steps` of the program among them. The occupancy is left to the caller.
  Expected<Workload> workload(const CaseInstance& instance, int64_t wave_lanes,
                              int64_t max_steps = int64_t{1} << 30) const;

  struct Text;

 private:
  explicit DeclaredKernel(std::shared_ptr<const Text> text) : text_(std::move(text)) {}
  std::shared_ptr<const Text> text_;
};

}  // namespace swizzleperf
