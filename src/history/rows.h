// A try as rows of the tables candidates, proofs and predictions. Private to src/history.
#pragma once

#include "history/database.h"
#include "search/scorer.h"

namespace swizzleperf {

Expected<void> insert_try(Database& database, int64_t run, int64_t number, const Scored& scored);

// All of a run, in order.
Expected<Tries> select_tries(Database& database, int64_t run);

}  // namespace swizzleperf
