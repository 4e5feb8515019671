// What a model is told: the problem, and parts that can be switched. Facts of the GPU come from its data file, those of
// the kernel from its trace; prompts only place them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/scorer.h"

namespace swizzleperf {

struct ContextParts {
  bool kernel = false;
  bool accesses = false;
  bool gpu = false;
  bool dispatch = false;
  bool counters = false;
  bool history = false;
  bool known = false;
  bool overload = false;  // everything there is, also what does not help
};

// "unaware" (the kernel and the history), "aware" (all parts), "overload" (all, and every figure there is), or parts by
// name: "kernel,gpu,history". User error for anything else.
Expected<ContextParts> parse_context(const std::string& text);

// What is known of the case beside the workload.
struct CaseFacts {
  std::string name;
  std::string variant;
  std::string kernel;
  std::string language;  // "HIP", "CUDA", "Triton"; empty: there is no source
  std::string source;    // of a stranger: data, never instructions
  std::string existing;  // a sentence on an order that the kernel has built in; may be empty
  std::string measured;  // counters of the launch order that the user measured; empty: none
  std::string known;     // what helped similar kernels; may be empty
};

// What a model said about a try, kept beside it.
struct TryNote {
  std::optional<double> expected_hit_rate;
  std::vector<std::string> critiques;  // of later answers
};
using TryNotes = std::map<size_t, TryNote>;  // by index among the tries

// `baseline`: the launch order's prediction. `mine`: the proposer whose tries are all shown; of others the best are.
Expected<std::string> describe_context(const ContextParts& parts, const CaseFacts& facts, const Scorer& scorer,
                                       const Prediction& baseline, const TryNotes& notes, const std::string& mine);

// The tries that a prompt shows, in the order of their numbers there (the first is try 1).
std::vector<size_t> shown_tries(const Tries& tries, const std::string& mine);

// Answers of the tools footprint() and gpu_facts(). User error for an unknown array.
Expected<std::string> describe_footprint(const Workload& workload, const std::string& array);
std::string describe_figures(const GpuSpec& gpu);

}  // namespace swizzleperf
