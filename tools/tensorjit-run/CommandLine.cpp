#include "CommandLine.h"

#include <CLI/CLI.hpp>

namespace tensorjit::run {

std::optional<int> parseCommandLine(int argc, char **argv, Options &options) {
  CLI::App app("Runs a function of tj ops, or a file of op cases");
  app.add_option("model", options.model, ".mlir file");
  app.add_option("--function", options.function, "function to run")->capture_default_str();
  app.add_option("--input", options.inputs, "2x2xf32=1,2,3,4 or @x.npy, once for each argument")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("--expected_output", options.expected, "as --input, once for each result")->allow_extra_args(false);
  app.add_option("--output", options.outputs, ".npy file to write, once for each result")->allow_extra_args(false);
  app.add_option("--rtol", options.rtol, "relative difference that is accepted; 0 and --atol 0: equal bits");
  app.add_option("--atol", options.atol, "absolute difference that is accepted");
  app.add_option("--mode", options.mode, "how to run")
      ->check(CLI::IsMember({"eager", "no-fuse", "compiled"}))
      ->capture_default_str();
  app.add_option("--device", options.device, "where to run: cpu, cuda, cuda:N")->capture_default_str();
  app.add_option("--cases", options.cases.file, "JSON file of op cases to run instead of a model");
  app.add_option("--filter", options.cases.filter, "extended POSIX regular expression for the ids of cases");
  app.add_option("--json", options.cases.jsonOut, "file for the outcome of every case");
  app.add_flag("--verbose", options.cases.verbose, "name each case before it runs");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    return app.exit(e);
  }
  options.cases.compiled = options.mode != "eager";
  options.cases.device = options.device;
  return std::nullopt;
}

} // namespace tensorjit::run
