// swizzleperf-runner: reads a job on stdin, runs its kernels on a GPU, writes one JSON object on stdout. A process of
// its own, so that a fault or a hang of a kernel ends this process and nothing more. Exit code: 0 when the answer has
// results, 1 when it has an "error".
#include <unistd.h>

#include <cstdio>
#include <future>
#include <iostream>
#include <iterator>

#include "runner/arguments.h"
#include "runner/compile.h"
#include "runner/driver.h"
#include "runner/failure.h"
#include "runner/job.h"
#include "runner/json.h"
#include "runner/power.h"
#include "runner/timing.h"

namespace swizzleperf::runner {
namespace {

// One variant on its way through the run.
struct Entrant {
  const JobVariant* variant = nullptr;
  CompiledKernel compiled;
  Kernel kernel;
  std::vector<std::string> checks;  // JSON
  bool equal = true;
  std::string outputs = "[]";  // JSON, where they are asked for
};

class Run {
 public:
  explicit Run(const Job& job)
      : job_(job), device_(job.api, job.device), meter_(device_), compiler_(device_), staging_(device_) {}

  std::string answer() {
    const std::string before = meter_.state();
    compile();
    allocate();
    JsonObject result;
    result.integer("format", 1).raw("device", device_json()).text("compiler", compiler_.library());
    if (job_.task != Task::kMeasure) {
      run_once();
    } else {
      measure();
      result.integer("flush_bytes", timing_.flush_bytes).integer("buffer_sets", timing_.sets);
      result.raw("clock_mhz", json_list(timing_.clock_mhz));
    }
    result.raw("before", before).raw("after", meter_.state());
    std::vector<std::string> variants;
    for (size_t i = 0; i < entrants_.size(); ++i) variants.push_back(entrant_json(i));
    result.raw("variants", json_list(variants));
    if (!job_.note.empty()) result.raw("note", job_.note);
    return result.print();
  }

 private:
  void compile() {
    std::vector<std::future<CompiledKernel>> running;
    for (const JobVariant& variant : job_.variants) {
      entrants_.push_back({.variant = &variant});
      running.push_back(std::async(std::launch::async, [&] { return compiler_.compile(job_, variant.source); }));
    }
    for (size_t i = 0; i < entrants_.size(); ++i) {
      Entrant& entrant = entrants_[i];
      entrant.compiled = running[i].get();
      if (entrant.compiled.image.empty()) throw Failure("compile", entrant.compiled.log, entrant.variant->name);
      entrant.kernel = device_.load(entrant.compiled.image, entrant.compiled.symbol, job_);
    }
  }

  // Two sets for the launches, where they fit, and one for the reference.
  void allocate() {
    sets_.reserve(2);
    sets_.emplace_back(device_, job_);
    if (job_.task != Task::kMeasure) return;
    reference_.emplace(device_, job_);
    if (device_.free_bytes() > sets_.front().bytes() + (int64_t{2} << 30)) sets_.emplace_back(device_, job_);
  }

  void run_once() {
    sets_.front().fill(staging_, 0);
    for (Entrant& entrant : entrants_) {
      sets_.front().fill_outputs(staging_, 0);
      launch(entrant, sets_.front());
      if (job_.task == Task::kRead) entrant.outputs = sets_.front().outputs_json(staging_);
    }
  }

  void measure() {
    for (int seed = 0; seed < job_.seeds; ++seed) check(seed, "before");
    sets_.front().fill(staging_, 0);
    for (size_t i = 1; i < sets_.size(); ++i) sets_[i].copy_from(sets_.front());
    // Kernels with wrong outputs are not timed: a time of less work compares with nothing.
    std::vector<Kernel> kernels;
    std::vector<bool> with_energy;
    for (const Entrant& entrant : entrants_) {
      if (!entrant.equal) continue;
      kernels.push_back(entrant.kernel);
      with_energy.push_back(entrant.variant->energy);
    }
    timing_ = time_kernels(device_, meter_, job_, kernels, with_energy, sets_);
    check(0, "after");
  }

  void launch(const Entrant& entrant, ArgumentSet& set) {
    try {
      device_.launch(entrant.kernel, job_, set.pointers());
      device_.wait();
    } catch (const Failure& failure) {
      throw Failure(failure.kind, failure.what(), entrant.variant->name);
    }
  }

  // Every variant's outputs against the original's, from the same contents.
  void check(int seed, const char* when) {
    reference_->fill(staging_, seed);
    launch(entrants_.front(), *reference_);
    sets_.front().fill(staging_, seed);
    for (size_t i = 1; i < entrants_.size(); ++i) {
      Entrant& entrant = entrants_[i];
      sets_.front().fill_outputs(staging_, seed);
      launch(entrant, sets_.front());
      const auto difference = sets_.front().compare(staging_, *reference_);
      JsonObject result;
      result.text("when", when).integer("seed_shift", seed).boolean("equal", !difference);
      if (difference)
        result.text("argument", difference->argument)
            .integer("differing", difference->elements)
            .integer("first", difference->first)
            .text("reference", difference->reference)
            .text("found", difference->found);
      entrant.checks.push_back(result.print());
      // What was timed stays timed; a difference that shows only later is in the answer.
      if (difference && std::string(when) == "before") entrant.equal = false;
    }
  }

  std::string device_json() const {
    const DeviceFacts& facts = device_.facts();
    JsonObject result;
    result.text("name", facts.name).text("api", job_.api == Api::kCuda ? "cuda" : "hip");
    result.integer("driver_api", facts.driver_version).integer("compute_units", facts.compute_units);
    result.integer("l2_bytes", facts.l2_bytes).integer("memory_bytes", facts.memory_bytes);
    return result.print();
  }

  std::string entrant_json(size_t index) const {
    const Entrant& entrant = entrants_[index];
    JsonObject result;
    result.text("name", entrant.variant->name).integer("registers", entrant.kernel.registers);
    result.integer("static_shared_bytes", entrant.kernel.shared_bytes).integer("occupancy", entrant.kernel.occupancy);
    if (job_.task == Task::kRead) result.raw("outputs", entrant.outputs);
    if (job_.task != Task::kMeasure) return result.print();
    result.raw("checks", json_list(entrant.checks));
    size_t timed = 0;
    for (size_t i = 0; i < index; ++i) timed += entrants_[i].equal ? 1 : 0;
    const Samples samples = entrant.equal ? timing_.samples[timed] : Samples{};
    result.raw("cold_ms", json_list(samples.cold_ms)).raw("warm_ms", json_list(samples.warm_ms));
    return result.raw("energy_mj", json_list(samples.energy_mj)).print();
  }

  const Job& job_;
  Device device_;
  PowerMeter meter_;
  Compiler compiler_;
  Staging staging_;
  std::vector<Entrant> entrants_;
  std::vector<ArgumentSet> sets_;
  std::optional<ArgumentSet> reference_;
  Timing timing_;
};

int answer(const std::string& json, int code) {
  std::fputs((json + "\n").c_str(), stdout);
  std::fflush(stdout);
  return code;
}

int serve() {
  const std::string text{std::istreambuf_iterator<char>(std::cin), std::istreambuf_iterator<char>()};
  try {
    const Job job = parse_job(text);
    return answer(Run(job).answer(), 0);
  } catch (const Failure& failure) {
    JsonObject error;
    error.text("kind", failure.kind).text("message", failure.what()).text("variant", failure.variant);
    return answer(JsonObject().integer("format", 1).raw("error", error.print()).print(), 1);
  }
}

}  // namespace
}  // namespace swizzleperf::runner

int main() {
  const int code = swizzleperf::runner::serve();
  // After an error of the device the driver's exit handlers may hang.
  ::_exit(code);
}
