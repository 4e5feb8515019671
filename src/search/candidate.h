// Candidate: a map that is proven and predicted, as it is ranked, printed and released.
#pragma once

#include <string>

#include "model/prediction.h"
#include "swizzle/swizzle.h"

namespace swizzleperf {

struct Candidate {
  std::string name;      // family name, or "user"
  std::string proposer;  // "families", "user", "evolution", ...
  Swizzle swizzle;
  bool every_grid = false;
  int instructions = 0;  // that the map adds to every wave
  Prediction prediction;
  std::string why = {};  // the proposer's reason; mostly empty
};

}  // namespace swizzleperf
