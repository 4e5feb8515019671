#include "measure/rocprof.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "measure/plausible.h"

namespace swizzleperf {
namespace {

using Json = nlohmann::json;

constexpr const char* kTime = "duration_ns";  // ours: end minus start
constexpr double kKilobyte = 1024;            // FETCH_SIZE and WRITE_SIZE count these

// "TCC_HIT[3]" and "TCC_HIT" are the same counter of one channel and of all.
std::string bare_counter(const std::string& name) {
  return name.substr(0, name.find('['));
}

size_t column(const std::vector<std::string>& names, const char* name) {
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

void add_time(ProfiledLaunch& launch, std::optional<double> start, std::optional<double> end) {
  if (start && end && *end > *start) launch.figures[kTime] = *end - *start;
}

// One row a launch and counter.
class LongTable {
 public:
  explicit LongTable(std::vector<std::string> names) : names_(std::move(names)) {}

  void add(const std::vector<std::string>& cells, std::vector<ProfiledLaunch>& launches) {
    const auto cell = [&](const char* name) {
      const size_t at = column(names_, name);
      return at < cells.size() ? cells[at] : std::string();
    };
    const auto value = profiler_number(cell("Counter_Value"));
    const std::string id = cell("Dispatch_Id");
    if (!value || id.empty()) return;
    const auto known = index_.find(id);
    const size_t index = known != index_.end() ? known->second : index_.emplace(id, index_.size()).first->second;
    if (index >= launches.size()) launches.push_back({.kernel = cell("Kernel_Name")});
    ProfiledLaunch& launch = launches[index];
    launch.figures[bare_counter(cell("Counter_Name"))] += *value;
    add_time(launch, profiler_number(cell("Start_Timestamp")), profiler_number(cell("End_Timestamp")));
  }

 private:
  std::vector<std::string> names_;
  std::map<std::string, size_t> index_;  // launch by Dispatch_Id
};

// One row a launch, one column a counter.
ProfiledLaunch read_wide(const std::vector<std::string>& names, const std::vector<std::string>& cells, size_t kernel) {
  ProfiledLaunch launch{.kernel = cells[kernel]};
  for (size_t c = 0; c < cells.size(); ++c) {
    const auto value = profiler_number(cells[c]);
    if (value && c != kernel) launch.figures[bare_counter(names[c])] += *value;
  }
  if (const auto time = launch.figure("DurationNs")) launch.figures[kTime] = *time;
  add_time(launch, launch.figure("BeginNs"), launch.figure("EndNs"));
  return launch;
}

Expected<std::vector<ProfiledLaunch>> parse_csv(const std::string& text) {
  std::vector<ProfiledLaunch> launches;
  std::optional<LongTable> table;
  std::vector<std::string> names;
  size_t wide_kernel = 0, wide_row = 0;
  for (const std::string_view line : split_lines(text)) {
    const auto cells = split_csv_line(line);
    const bool is_long = column(cells, "Counter_Name") < cells.size();
    const size_t kernel = std::min(column(cells, "KernelName"), column(cells, "Kernel_Name"));
    if (is_long || kernel < cells.size()) {  // a header; another one begins another pass
      names = cells;
      table.reset();
      if (is_long) table.emplace(cells);
      wide_kernel = kernel;
      wide_row = 0;
    } else if (table && cells.size() == names.size()) {
      table->add(cells, launches);
    } else if (!names.empty() && cells.size() == names.size()) {
      ProfiledLaunch launch = read_wide(names, cells, wide_kernel);
      if (wide_row++ < launches.size())
        launches[wide_row - 1].figures.merge(launch.figures);
      else
        launches.push_back(std::move(launch));
    }
  }
  if (launches.empty())
    return user_error("there is no table of counters of rocprofv3 in this text", {},
                      "look at what rocprofv3 printed: the counters may not exist on this GPU, or no kernel matched");
  return launches;
}

Expected<std::vector<ProfiledLaunch>> parse_json(const std::string& text) {
  std::vector<ProfiledLaunch> launches;
  try {
    const Json json = Json::parse(text);
    for (const Json& process : json.at("rocprofiler-sdk-tool")) {
      std::map<int64_t, std::string> counters, kernels;
      for (const Json& counter : process.at("counters"))
        counters[counter.at("id").at("handle").get<int64_t>()] = counter.at("name");
      for (const Json& symbol : process.at("kernel_symbols"))
        kernels[symbol.at("kernel_id").get<int64_t>()] = symbol.value("formatted_kernel_name", "");
      for (const Json& record : process.at("callback_records").at("counter_collection")) {
        const Json& data = record.at("dispatch_data");
        ProfiledLaunch launch{.kernel = kernels[data.at("dispatch_info").at("kernel_id").get<int64_t>()]};
        for (const Json& one : record.at("records"))
          launch.figures[counters[one.at("counter_id").at("handle").get<int64_t>()]] += one.at("value").get<double>();
        if (data.contains("start_timestamp") && data.contains("end_timestamp"))
          add_time(launch, data.at("start_timestamp").get<double>(), data.at("end_timestamp").get<double>());
        launches.push_back(std::move(launch));
      }
    }
  } catch (const Json::exception& error) {
    return user_error(std::string("the JSON is not of rocprofv3: ") + error.what());
  }
  if (launches.empty()) return user_error("rocprofv3 counted no launch");
  return launches;
}

}  // namespace

std::vector<std::string> rocprof_arguments(const std::string& kernel, const std::filesystem::path& folder) {
  return {"--pmc",         "TCC_HIT_sum",
          "TCC_MISS_sum",  "FETCH_SIZE",
          "WRITE_SIZE",    "--kernel-include-regex",
          kernel,          "--output-format",
          "csv",           "--output-directory",
          folder.string(), "--output-file",
          "counters",      "--"};
}

Expected<std::vector<ProfiledLaunch>> parse_rocprof(const std::string& text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && text[first] == '{' ? parse_json(text) : parse_csv(text);
}

Counters counters_of_rocprof(const ProfiledLaunch& launch) {
  const auto either = [&](const char* sum, const char* listed) {
    return launch.figure(sum) ? launch.figure(sum) : launch.figure(listed);
  };
  Counters counters;
  if (const auto time = launch.figure(kTime)) counters.time_ms = *time * 1e-6;
  const auto hits = either("TCC_HIT_sum", "TCC_HIT"), misses = either("TCC_MISS_sum", "TCC_MISS");
  counters.l2_hits = whole(hits);
  if (hits && misses) counters.l2_requests = whole(*hits + *misses);
  const auto fetched = launch.figure("FETCH_SIZE"), written = launch.figure("WRITE_SIZE");
  if (fetched && written) counters.l2_miss_bytes = whole((*fetched + *written) * kKilobyte);
  drop_impossible(counters, 0);
  return counters;
}

}  // namespace swizzleperf
