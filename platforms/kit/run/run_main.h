// SPDX-License-Identifier: MIT
#pragma once
#include <iostream>

#include "platforms/kit/config.h"
#include "platforms/kit/output.h"
#include "platforms/kit/results/document.h"
#include "platforms/kit/run/command_line.h"
#include "platforms/kit/run/progress.h"
#include "platforms/kit/run/trials.h"

// The main() of every executable: command line, configuration, trials, results, exit code. The shortest example is
// platforms/network/main.cpp. The configuration has a section `run` (platforms/kit/run/run_params.h).
//
// Exit codes: 0 success, 2 error in the command line (UsageError), 3 error in the configuration or an output that
// cannot be written (ConfigError), 4 failed simulation (SimulationError, any other exception, or a result that says
// "verified": false).
namespace sunstar::kit {

template <Described Config, FigureSection Result, FigureSection Host = HostFigures>
struct Platform {
  std::string name;         ///< name of the executable
  std::string summary;      ///< its purpose, in a few lines
  std::string example;      ///< a command line
  std::string preset = {};  ///< the base of configurations without one (platforms/kit/config.h)
  /// Builds the machine and throws if it is wrong; may be left out.
  std::function<void(const Config&)> check = {};
  /// Simulates once, in this process, from the seed run.seed + trial. Only the first trial has files to record it. The
  /// result's `warnings` are printed as warnings, behind the warnings about the configuration.
  std::function<Trial<Result, Host>(const Config&, std::uint32_t trial, const Watch&)> run_trial = {};
  /// Expands shorthand (counts into nodes) before anything else sees the configuration; may be left out.
  std::function<Config(Config)> expand = {};
  /// Warnings, without full stops, about legal but hardly meant values of the expanded configuration; may be left out.
  std::function<std::vector<std::string>(const Config&)> warnings = {};
  /// The parts of the expanded configuration's machine, for --print-structure; may be left out.
  std::function<json::object(const Config&)> structure = {};
  /// Whether a result that is not verified is an error; if not, its warnings say what could not be checked.
  bool unverified_fails = true;
};

struct Terminal {
  std::ostream& out = std::cout;
  std::ostream& err = std::cerr;
  bool is_terminal = false;  ///< err is one, so that progress may be shown
};
Terminal standard_terminal();

/// A platform without its type.
struct AnyPlatform {
  std::string name, summary, example;
  std::function<json::object()> schema = {}, result_schema = {};
  std::function<std::string()> parameters = {};
  /// Returns the effective configuration, and keeps it for check and run.
  std::function<json::object(ConfigInput)> load = {};
  std::vector<NamedFile> files = {};       ///< files that the configuration names; load sets them
  std::vector<std::string> warnings = {};  ///< about the configuration, without full stops; load sets them
  std::function<void()> check = {};
  std::function<json::object()> structure = {};
  bool unverified_fails = true;
  /// The files of `first` have temporary names, and are renamed when run() returns or throws a SimulationError, whose
  /// cause they show. All must be closed by then.
  std::function<json::object(const Watch& first, Progress&)> run = {};
};
int run_main(int argc, const char* const* argv, const AnyPlatform&, Terminal);

/// The file and the settings on the command line. Throws a UsageError.
ConfigInput config_input(const CommandLine&);

/// Runs all trials and watches the first. Returns the part of the result file after the effective configuration.
template <class Config, class Result, class Host>
json::object run_all_trials(const Platform<Config, Result, Host>& p, const Config& config, const Watch& first,
                            Progress& progress) {
  const std::uint32_t trials = config.run.trials;
  auto all = run_trials(
      trials, config.run.jobs,
      [&](std::uint32_t trial, const Done& done) {
        Watch watch = trial == 0 ? first : Watch{};
        watch.progress = done;
        auto outcome = p.run_trial(config, trial, watch);
        if (trial != 0) outcome.statistics = {};  // the document has the first trial's only
        return to_json(std::move(outcome));
      },
      progress.of_trials(trials));
  return run_document<Result, Host>(config.run.seed, std::move(all));
}

template <class Config, class Result, class Host>
int run_main(int argc, const char* const* argv, const Platform<Config, Result, Host>& p,
             Terminal terminal = standard_terminal()) {
  Config config{};
  AnyPlatform any{p.name, p.summary, p.example};
  const auto defaults = [&] {
    ConfigInput nothing;
    nothing.preset = p.preset;
    return load_config<Config>(std::move(nothing));
  };
  any.schema = [&] { return json_schema(p.name, defaults()); };
  any.result_schema = [&] { return result_schema<Config, Result, Host>(p.name); };
  any.parameters = [&] { return markdown(parameter_rows(defaults())); };
  any.load = [&](ConfigInput input) {
    input.preset = p.preset;
    config = load_config<Config>(std::move(input), &any.warnings);
    if (p.expand) config = p.expand(std::move(config));
    if (p.warnings)
      for (auto& sentence : p.warnings(config)) any.warnings.push_back(std::move(sentence));
    any.files.clear();
    add_files(config, "", any.files);
    return effective(config);
  };
  any.check = [&] {
    if (p.check) p.check(config);
  };
  if (p.structure) any.structure = [&] { return p.structure(config); };
  any.unverified_fails = p.unverified_fails;
  any.run = [&](const Watch& first, Progress& progress) { return run_all_trials(p, config, first, progress); };
  return run_main(argc, argv, any, terminal);
}

/// Many effective configurations in one call, for programs that explore designs. Reads points: on each line a JSON
/// array of settings, ["workload.pattern=rb", "run.seed=3"], which add to those of the command line. Prints a line for
/// each: {"config": the effective configuration}, or {"error": the sentence}.
void print_points(std::istream& points, const CommandLine&, const AnyPlatform&, const Terminal&);

}  // namespace sunstar::kit
