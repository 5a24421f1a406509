// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <iostream>
#include <string>

#include "platforms/kit/command_line.h"
#include "platforms/kit/json_schema.h"
#include "platforms/kit/named_files.h"
#include "platforms/kit/parameter_table.h"
#include "platforms/kit/progress.h"
#include "platforms/kit/unused.h"

// What main() of every executable does: command line, configuration, run, results, exit code.
//
//   int main(int argc, char** argv) {
//     return kit::run_main<TorusConfig>(argc, argv, {
//         .name = "sunstar-torus", .summary = "Runs a file system on a torus of processors.",
//         .example = "sunstar-torus --config examples/dm1996.json --trials 3 --output result.json",
//         .check = [](const TorusConfig& c) { Machine machine(c); },
//         .run = [](const TorusConfig& c, Session& s) { return run_trials(c, s); }});
//   }
//
// Exit codes: 0 done, 2 the command line, 3 the configuration or an output that cannot be written (ConfigError), 4 the
// simulation failed (SimulationError, any other exception, or a result that says "verified": false).
namespace sunstar::kit {

/// What a run may use of its surroundings.
struct Session {
  const CommandLine& options;
  Progress& progress;
  /// Where to write waveforms and timeline: temporary names, renamed when run() returns or throws a SimulationError,
  /// since they show how it came to fail. Both files must be closed by then.
  std::optional<std::filesystem::path> vcd, timeline;
};

template <Described T>
struct Platform {
  std::string name;     ///< of the executable
  std::string summary;  ///< what it does, a few lines
  std::string example;  ///< a command line
  /// Builds the machine and throws what is wrong with it; may be left out.
  std::function<void(const T&)> check = {};
  /// Returns what goes into the result file below the effective configuration: at least {"result": {...}}, perhaps
  /// {"trials": [...], "statistics": {...}, "host": {"kernel_events": n}}. Sentences in "warnings" of the result are
  /// printed as such; those about the configuration are put before them.
  std::function<json::object(const T&, Session&)> run;
  /// Spells out shorthand (counts into nodes) before anything else sees the configuration; may be left out.
  std::function<T(T)> expand = {};
};

/// Where a program talks to people.
struct Terminal {
  std::ostream& out = std::cout;
  std::ostream& err = std::cerr;
  bool is_terminal = false;  ///< err is one, so that progress may be shown
};
Terminal standard_terminal();

/// A platform without its type.
struct AnyPlatform {
  std::string name, summary, example;
  std::function<json::object()> schema = {};
  std::function<std::string()> parameters = {};
  std::function<json::object(ConfigInput)> load =
      {};                                  ///< gives the effective configuration and keeps it for check and run
  std::vector<NamedFile> files = {};       ///< that the configuration names; by load
  std::vector<std::string> warnings = {};  ///< about the configuration, without full stops; by load
  std::function<void()> check = {};
  std::function<json::object(Session&)> run = {};
};
int run_main(int argc, const char* const* argv, const AnyPlatform&, Terminal);

template <Described T>
int run_main(int argc, const char* const* argv, const Platform<T>& p, Terminal terminal = standard_terminal()) {
  T config{};
  AnyPlatform any{p.name, p.summary, p.example};
  any.schema = [&] { return json_schema<T>(p.name); };
  any.parameters = [] { return markdown(parameter_rows<T>()); };
  any.load = [&](ConfigInput input) {
    const Settings options = input.settings;
    config = load_config<T>(std::move(input));
    any.warnings = unused_settings(config, options);
    if (p.expand) config = p.expand(std::move(config));
    any.files.clear();
    add_files(config, "", any.files);
    return effective(config);
  };
  any.check = [&] {
    if (p.check) p.check(config);
  };
  any.run = [&](Session& s) { return p.run(config, s); };
  return run_main(argc, argv, any, terminal);
}

}  // namespace sunstar::kit
