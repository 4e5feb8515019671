#include "runner/job.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "runner/failure.h"

namespace swizzleperf::runner {
namespace {

constexpr const char* kMagic = "swizzleperf-job 1";
constexpr std::array<const char*, 4> kInits = {"random", "zeros", "iota", "data"};  // by ContentsRule::Kind

std::string number(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

std::string blob(const std::string& bytes) {
  return std::to_string(bytes.size()) + "\n" + bytes + "\n";
}

std::string print_argument(const JobArgument& a) {
  if (!a.buffer) return "value " + blob(a.bytes);
  std::string line = "buffer " + to_string(a.dtype) + " " + std::to_string(a.elements) + " " +
                     (a.output ? a.poisoned ? "poisoned" : "output" : "input") + " " + number(a.tolerance) + " " +
                     kInits.at(static_cast<size_t>(a.init.kind));
  if (a.init.kind == ContentsRule::Kind::kRandom)
    line += " " + std::to_string(a.init.seed) + " " + number(a.init.low) + " " + number(a.init.high);
  return a.init.kind == ContentsRule::Kind::kData ? line + " " + blob(a.bytes) : line + "\n";
}

// Reads the text word by word; a fault names the line.
class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  bool at_end() const { return at_ >= text_.size(); }

  std::string line() {
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    std::string result = text_.substr(at_, end - at_);
    next_line(end);
    return result;
  }

  // The next word of this line; empty at its end.
  std::string word() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const size_t end = std::min(text_.find_first_of(" \n", at_), text_.size());
    std::string result = text_.substr(at_, end - at_);
    at_ = end;
    return result;
  }

  template <class T>
  T figure(T low, T high) {
    const std::string text = word();
    T value{};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !(value >= low && value <= high))
      fail("'" + text + "' is no number from " + std::to_string(low) + " to " + std::to_string(high));
    return value;
  }

  void end_line() {
    if (at_ < text_.size() && text_[at_] != '\n') fail("more on the line than expected");
    next_line(at_);
  }

  // A length, the end of the line, so many bytes, the end of a line.
  std::string bytes() {
    const auto size = figure<uint64_t>(0, uint64_t{1} << 40);
    end_line();
    if (size > text_.size() - std::min(at_, text_.size())) fail("the text ends within a block of bytes");
    std::string result = text_.substr(at_, size);
    line_ += static_cast<int>(std::count(result.begin(), result.end(), '\n'));
    at_ += size;
    end_line();
    return result;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw Failure("job", "line " + std::to_string(line_) + ": " + message);
  }

 private:
  void next_line(size_t end) {
    at_ = end < text_.size() ? end + 1 : end;
    ++line_;
  }

  const std::string& text_;
  size_t at_ = 0;
  int line_ = 1;
};

JobArgument read_buffer(Reader& reader) {
  JobArgument a{.buffer = true};
  const auto dtype = dtype_named(reader.word());
  if (!dtype) reader.fail("unknown dtype");
  a.dtype = *dtype;
  a.elements = reader.figure<int64_t>(1, (int64_t{1} << 40) / size_of(a.dtype));
  const std::string use = reader.word();
  if (use != "input" && use != "output" && use != "poisoned") reader.fail("'" + use + "' is no use of a buffer");
  a.output = use != "input";
  a.poisoned = use == "poisoned";
  a.tolerance = reader.figure<double>(0, 1e300);
  const std::string init = reader.word();
  const auto* found = std::find(kInits.begin(), kInits.end(), init);
  if (found == kInits.end()) reader.fail("unknown contents '" + init + "'");
  a.init.kind = static_cast<ContentsRule::Kind>(found - kInits.begin());
  if (a.init.kind == ContentsRule::Kind::kData) {
    a.bytes = reader.bytes();
    if (static_cast<int64_t>(a.bytes.size()) != a.elements * size_of(a.dtype))
      reader.fail("the data does not fill the buffer");
    return a;
  }
  if (a.init.kind == ContentsRule::Kind::kRandom) {
    a.init.seed = reader.figure<uint64_t>(0, UINT64_MAX);
    a.init.low = reader.figure<double>(-1e300, 1e300);
    a.init.high = reader.figure<double>(-1e300, 1e300);
  }
  reader.end_line();
  return a;
}

std::array<int64_t, 3> read_axes(Reader& reader) {
  std::array<int64_t, 3> axes{};
  for (int64_t& axis : axes) axis = reader.figure<int64_t>(1, (int64_t{1} << 31) - 1);
  reader.end_line();
  return axes;
}

template <class T>
T read_figure(Reader& reader, T low, T high) {
  const T value = reader.figure<T>(low, high);
  reader.end_line();
  return value;
}

template <class Enum, size_t N>
Enum read_choice(Reader& reader, const std::array<const char*, N>& names) {
  const std::string name = reader.line();
  for (size_t i = 0; i < names.size(); ++i) {
    if (name == std::string(" ") + names.at(i)) return static_cast<Enum>(i);
  }
  reader.fail("unknown choice '" + name + "'");
}

constexpr std::array<const char*, 2> kApis = {"cuda", "hip"};
constexpr std::array<const char*, 3> kTasks = {"measure", "profile", "read"};

// One entry of the job, by its first word.
void read_entry(Reader& reader, const std::string& key, Job& job) {
  constexpr int64_t kHour = 3'600'000;
  if (key == "api") {
    job.api = read_choice<Api>(reader, kApis);
  } else if (key == "task") {
    job.task = read_choice<Task>(reader, kTasks);
  } else if (key == "device") {
    job.device = read_figure(reader, 0, 1023);
  } else if (key == "file") {
    job.file = reader.bytes();
  } else if (key == "kernel") {
    job.kernel = reader.bytes();
  } else if (key == "option") {
    job.options.push_back(reader.bytes());
  } else if (key == "grid") {
    job.grid = read_axes(reader);
  } else if (key == "block") {
    job.block = read_axes(reader);
  } else if (key == "shared") {
    job.shared_bytes = read_figure<int64_t>(reader, 0, int64_t{1} << 20);
  } else if (key == "seeds") {
    job.seeds = read_figure(reader, 1, 16);
  } else if (key == "rounds") {
    job.min_rounds = reader.figure(1, 10000);
    job.max_rounds = read_figure(reader, job.min_rounds, 10000);
  } else if (key == "budget_ms") {
    job.budget_ms = read_figure<int64_t>(reader, 1, kHour);
  } else if (key == "energy_ms") {
    job.energy_ms = read_figure<int64_t>(reader, 0, kHour);
  } else if (key == "note") {
    job.note = reader.bytes();
  } else if (key == "value") {
    job.arguments.push_back({.bytes = reader.bytes()});
  } else if (key == "buffer") {
    job.arguments.push_back(read_buffer(reader));
  } else if (key == "variant") {
    JobVariant variant{.name = reader.bytes()};
    variant.energy = reader.figure(0, 1) == 1;
    variant.source = reader.bytes();
    job.variants.push_back(std::move(variant));
  } else {
    reader.fail("unknown entry '" + key + "'");
  }
}

std::string axes_line(const char* key, const std::array<int64_t, 3>& axes) {
  std::string line = key;
  for (const int64_t axis : axes) line += " " + std::to_string(axis);
  return line + "\n";
}

}  // namespace

std::string print_job(const Job& job) {
  std::string text = std::string(kMagic) + "\napi " + kApis.at(static_cast<size_t>(job.api)) + "\ntask " +
                     kTasks.at(static_cast<size_t>(job.task)) + "\ndevice " + std::to_string(job.device) + "\n";
  text += "file " + blob(job.file) + "kernel " + blob(job.kernel);
  for (const std::string& option : job.options) text += "option " + blob(option);
  text += axes_line("grid", job.grid) + axes_line("block", job.block);
  text += "shared " + std::to_string(job.shared_bytes) + "\nseeds " + std::to_string(job.seeds) + "\nrounds " +
          std::to_string(job.min_rounds) + " " + std::to_string(job.max_rounds) + "\nbudget_ms " +
          std::to_string(job.budget_ms) + "\nenergy_ms " + std::to_string(job.energy_ms) + "\n";
  if (!job.note.empty()) text += "note " + blob(job.note);
  for (const JobArgument& argument : job.arguments) text += print_argument(argument);
  for (const JobVariant& variant : job.variants)
    text += "variant " + blob(variant.name) + (variant.energy ? "1 " : "0 ") + blob(variant.source);
  return text;
}

Job parse_job(const std::string& text) {
  Reader reader(text);
  if (reader.line() != kMagic) throw Failure("job", std::string("the text does not begin with '") + kMagic + "'");
  Job job;
  while (!reader.at_end()) read_entry(reader, reader.word(), job);
  if (job.kernel.empty() || job.variants.empty()) throw Failure("job", "the job has no kernel or no variants");
  return job;
}

}  // namespace swizzleperf::runner
