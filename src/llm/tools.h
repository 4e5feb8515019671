// The tools that a model may call while it thinks: predict(map), check(map), footprint(array), gpu_facts(). Read-only:
// nothing that a model calls writes, runs code or leaves this process.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "llm/chat.h"
#include "search/scorer.h"

namespace swizzleperf {

class Tools {
 public:
  // Descriptions from data/prompts/tools.json.
  static Expected<Tools> create(Scorer& scorer, const Prediction& baseline, bool counters);
  const std::vector<ToolSpec>& specs() const { return specs_; }
  // Always words for the model, also for an unknown tool and for arguments that are none.
  std::string answer(const ToolCall& call);

 private:
  Tools(Scorer& scorer, Prediction baseline, bool counters, std::vector<ToolSpec> specs)
      : scorer_(scorer), baseline_(std::move(baseline)), counters_(counters), specs_(std::move(specs)) {}
  std::string predict(const std::string& map);
  std::string check(const std::string& map) const;
  Scorer& scorer_;
  Prediction baseline_;
  bool counters_;  // with hit rates and bytes, as the context has them
  std::vector<ToolSpec> specs_;
};

}  // namespace swizzleperf
