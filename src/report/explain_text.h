// Why an order costs what it costs, in words and numbers.
#pragma once

#include <string>
#include <vector>

#include "model/explain.h"
#include "report/json.h"
#include "workload/site_reuse.h"

namespace swizzleperf {

// The kernel's code, where it is known: what its places do, and what they are called, by site.
struct CodePlaces {
  std::vector<SiteReuse> reuse;
  std::vector<std::string> names;
};

// A table of the arrays and a sentence for everything in it that costs: lines fetched by several L2s or several times
// by one, accesses that pile up on few channels, arrays that nothing reuses; then what each place of the code does.
std::string format_explanation(const std::vector<ArrayTraffic>& arrays, const CodePlaces& code,
                               const Workload& workload, const GpuSpec& gpu);

Json to_json(const std::vector<ArrayTraffic>& arrays);
Json to_json(const CodePlaces& code, const Workload& workload);

}  // namespace swizzleperf
