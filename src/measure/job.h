// From a case and variants of its source to the job that the runner reads.
#pragma once

#include <string>
#include <vector>

#include "runner/job.h"
#include "workload/case.h"

namespace swizzleperf {

// A kernel in one order.
struct SourceVariant {
  std::string name;
  std::string source;
  bool energy = false;
};

// `original`: the source as it is; it becomes the first variant, "default". Every file that the arguments take their
// contents from is read and travels with the job. User error where one cannot be read.
Expected<runner::Job> make_job(const Case& the_case, const CaseInstance& instance, const std::string& original,
                               const std::vector<SourceVariant>& variants);

}  // namespace swizzleperf
