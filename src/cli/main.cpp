// swizzleperf: assembles the verbs, turns their outcome into an exit code. Exit codes: docs/cli.md.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "base/process.h"
#include "cli/accuracy.h"
#include "cli/analyze.h"
#include "cli/check.h"
#include "cli/doctor.h"
#include "cli/gpus.h"
#include "cli/history.h"
#include "cli/init.h"
#include "cli/mcp.h"
#include "cli/measure.h"
#include "cli/optimize.h"
#include "cli/predict.h"
#include "cli/print.h"
#include "cli/probe.h"
#include "cli/profile.h"
#include "cli/rewrite.h"

namespace {

constexpr int kBadInput = 2;
constexpr int kInternal = 4;
constexpr int kInterrupted = 130;  // 128 + SIGINT, as shells report it

int run(int argc, char** argv) {
  CLI::App app(
      "SwizzlePerf: finds, proves and inserts the workgroup order that makes the best use of a GPU's L2 caches.",
      "swizzleperf");
  app.set_version_flag("--version", std::string("swizzleperf ") + SWIZZLEPERF_VERSION);
  app.require_subcommand(1);
  int exit_code = 0;
  swizzleperf::add_optimize(app, exit_code);
  swizzleperf::add_analyze(app, exit_code);
  swizzleperf::add_predict(app, exit_code);
  swizzleperf::add_check(app, exit_code);
  swizzleperf::add_print(app, exit_code);
  swizzleperf::add_rewrite(app, exit_code);
  swizzleperf::add_gpus(app, exit_code);
  swizzleperf::add_init(app, exit_code);
  swizzleperf::add_accuracy(app, exit_code);
  swizzleperf::add_mcp(app, exit_code);
  swizzleperf::add_measure(app, exit_code);
  swizzleperf::add_profile(app, exit_code);
  swizzleperf::add_probe(app, exit_code);
  swizzleperf::add_doctor(app, exit_code);
  swizzleperf::add_history(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const int code = app.exit(error);  // prints help, the version or what is wrong with the command line
    return code == 0 ? 0 : kBadInput;
  }
  return swizzleperf::interrupted() ? kInterrupted : exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  swizzleperf::install_interrupt_handler();
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    // Only a bug of ours, or memory that ran out, arrives here: the library reports errors as values.
    std::fprintf(stderr, "internal error: %s\n", error.what());
    return kInternal;
  }
}
