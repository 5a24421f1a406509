// SPDX-License-Identifier: MIT
#include "platforms/kit/run/run_main.h"

#include <unistd.h>
#include <istream>
#include <systemc>

#include "platforms/kit/explain/explanation.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/fst.h"
#include "platforms/kit/text_table.h"

// SystemC's library has a main() that prints a banner and calls sc_main(). A program's own main() takes its place, but
// the linker still wants an sc_main().
[[gnu::weak]] int sc_main(int, char**) { return 0; }

namespace sunstar::kit {

namespace {

std::vector<std::string> settings_of(const std::string& line) {
  std::vector<std::string> settings;
  boost::system::error_code error;
  const auto value = json::parse(line, error);
  const auto* array = error ? nullptr : value.if_array();
  for (std::size_t i = 0; array && i < array->size(); ++i) {
    const auto* text = (*array)[i].if_string();
    if (!text) array = nullptr;
    else settings.emplace_back(*text);
  }
  if (!array)
    throw ConfigError("The point " + in_quotes(line) +
                      R"( cannot be read; it must be an array of settings, as in ["run.trials=3"].)");
  return settings;
}

json::object answer(const std::string& line, CommandLine options, const AnyPlatform& platform) {
  try {
    for (auto& text : settings_of(line)) options.settings.push_back(std::move(text));
    json::object config = platform.load(config_input(options));
    return {{"config", std::move(config)},
            {"warnings", json::array(platform.warnings.begin(), platform.warnings.end())}};
  } catch (const std::runtime_error& error) {  // of the configuration, or a setting without a value
    return {{"error", error.what()}};
  }
}

std::string help(const AnyPlatform& p) {
  return p.name + ": " + p.summary + "\n\nUsage: " + p.name + " [options]\n\n" + options_text() + "\nExample:\n  " +
         p.example +
         "\n\nExit codes: 0 success, 2 error in the command line, 3 error in the configuration or in an output, 4 "
         "failed simulation.\n";
}

/// Adds a row for each figure of a result, with its path. Counts are exact; other numbers are rounded to the digits
/// that a reader can use.
void add_figures(const json::value& v, const std::string& path, std::vector<std::vector<std::string>>& rows) {
  if (const auto* object = v.if_object()) {
    for (const auto& [key, value] : *object) add_figures(value, json_path(path, key), rows);
  } else if (!v.is_array()) {
    rows.push_back({path, v.is_double()   ? short_number_text(v.get_double())
                          : v.is_string() ? std::string(v.get_string())
                                          : json::serialize(v)});
  }
}

void warn(const Terminal& t, std::string_view sentence) { t.err << "Warning: " << sentence << "." << std::endl; }

/// Prints the result's own warnings, and puts the warnings about the configuration, which were printed before the run,
/// in front of them in the result.
void gather_warnings(json::object& figures, const std::vector<std::string>& before, const Terminal& t) {
  json::object& result = figures.at("result").as_object();
  json::array all(before.begin(), before.end());
  const auto* own = result.if_contains("warnings");
  if (own)
    for (const auto& sentence : own->as_array()) {
      warn(t, sentence.as_string());
      all.push_back(sentence);
    }
  if (own || !all.empty()) result["warnings"] = std::move(all);
}

/// Warns on the terminal, too, if a recording ends early.
void warn_of_cut_recordings(const json::object& figures, const Terminal& t) {
  const auto* watched = figures.at("host").as_object().if_contains("watched");
  if (!watched || watched->is_null()) return;
  for (const char* file : {"vcd", "timeline", "log"}) {
    const auto* why = watched->as_object().if_contains(file);
    if (!why || why->is_null()) continue;
    std::string sentence(why->as_string());
    if (sentence.ends_with('.')) sentence.pop_back();
    warn(t, sentence);
  }
}

json::object result_file(const AnyPlatform& p, const json::object& config, json::object figures, double host_seconds) {
  json::object all{{"schema", schema_name}, {"platform", p.name}, {"version", SUNSTAR_VERSION}};
  all["seed"] = config.at("run").at("seed");
  all["config"] = config;
  json::value host = std::move(figures.at("host"));
  host.as_object()["seconds"] = host_seconds;
  for (auto& [key, value] : figures)
    if (key != "host") all[key] = std::move(value);
  all["host"] = std::move(host);
  return all;
}

/// A recording's comment on its run.
std::string origin(const AnyPlatform& p, const CommandLine& options) {
  std::string text = p.name + " " + SUNSTAR_VERSION;
  text += "\nconfiguration: " + (options.config ? options.config->string() : std::string("the defaults"));
  for (const auto& setting : options.settings) text += "\nset: " + setting;
  if (options.seed) text += "\nset: run.seed=" + std::to_string(*options.seed);
  if (!options.vcd_scope.empty()) text += "\nscope: " + options.vcd_scope;
  return text;
}

/// The ending of a timeline's name, which chooses its format; empty if it chooses none.
std::string timeline_form(const std::filesystem::path& path) {
  for (const char* end : {".json", ".json.gz", ".ftr"})
    if (path.string().ends_with(end)) return end;
  return "";
}

int simulate(const AnyPlatform& p, const CommandLine& options, const json::object& config, const Terminal& t) {
  const bool to_stdout = options.output && *options.output == "-";
  std::vector<NamedFile> files = p.files;
  if (options.output && !to_stdout) files.push_back({"--output", *options.output});
  if (options.vcd) files.push_back({"--vcd", *options.vcd});
  if (options.timeline) files.push_back({"--timeline", *options.timeline});
  const bool log_to_stdout = options.log && *options.log == "-";
  if (options.log && !log_to_stdout) files.push_back({"--log", *options.log});
  require_distinct(files);
  if (options.output && !to_stdout) probe_output(*options.output);
  std::optional<TemporaryOutput> vcd, fst, timeline, log;
  if (options.vcd) vcd.emplace(*options.vcd, ".vcd");
  if (options.vcd && is_fst(*options.vcd)) {
    require_fst_converter(*options.vcd);
    fst.emplace(*options.vcd, ".fst");
  }
  if (options.timeline) {
    const std::string form = timeline_form(*options.timeline);
    timeline.emplace(*options.timeline, form);
    if (form.empty())
      throw ConfigError(options.timeline->string(),
                        " cannot be written: the name of a timeline must end in .json, .json.gz or .ftr.");
  }
  if (options.log && !log_to_stdout) log.emplace(*options.log, options.log->extension() == ".gz" ? ".log.gz" : ".log");
  const auto commit_traces = [&] {
    if (fst) {
      convert_to_fst(vcd->temporary(), fst->temporary());
      fst->commit();
    } else if (vcd) {
      vcd->commit();
    }
    if (timeline) timeline->commit();
    if (log) log->commit();
  };
  Progress progress(t.err, !options.quiet && !log_to_stdout, t.is_terminal);
  Watch watch = options.watch;
  watch.waves.comment = origin(p, options);
  if (vcd) watch.vcd = vcd->temporary();
  if (timeline) watch.timeline = timeline->temporary();
  if (log) watch.log = log->temporary();
  if (log_to_stdout) watch.log_stream = &t.out;

  const auto start = std::chrono::steady_clock::now();
  json::object figures;
  try {
    figures = p.run(watch, progress);
  } catch (const SimulationError&) {
    progress.clear();
    commit_traces();
    throw;
  } catch (const ConfigError& error) {  // a file of waveforms may not be writable any more
    progress.clear();
    throw ConfigError(with_real_names(error.what()));
  }
  progress.clear();
  gather_warnings(figures, p.warnings, t);
  warn_of_cut_recordings(figures, t);
  const auto all = result_file(p, config, std::move(figures),
                               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  commit_traces();
  if (to_stdout) print_text(t.out, pretty(all));
  else if (options.output) write_file(*options.output, pretty(all));
  const json::object& result = all.at("result").as_object();
  if (!options.quiet && !to_stdout) {
    std::vector<std::vector<std::string>> rows;
    add_figures(result, "result", rows);
    std::istringstream lines(text_table(rows));  // columns are as wide with --verbose as without
    std::size_t zeros = 0;
    for (const auto& row : rows) {
      std::string line;
      std::getline(lines, line);
      const bool zero = row.back() == "0" && !options.verbose;
      zeros += zero;
      if (!zero) print_text(t.out, line + "\n");
    }
    if (zeros > 0) print_text(t.out, "figures that are 0, which --verbose shows: " + std::to_string(zeros) + "\n");
    if (const auto* why = all.if_contains("explain"))
      print_text(t.out, explanation_text(why->as_object(), options.verbose));
  }
  if (const auto* verified = result.if_contains("verified"); verified && *verified == false && p.unverified_fails)
    throw SimulationError("The received bytes differ from the sent bytes: result.verified is false.");
  return 0;
}

void points(const AnyPlatform& p, const CommandLine& options, const Terminal& t) {
  if (*options.points == "-") return print_points(std::cin, options, p, t);
  std::ifstream file(*options.points);
  if (!file) throw ConfigError(options.points->string(), " cannot be read.");
  print_points(file, options, p, t);
}

int execute(const AnyPlatform& p, const CommandLine& options, const Terminal& t) {
  if (options.help) return print_text(t.out, help(p)), 0;
  if (options.version) return print_text(t.out, p.name + " " + SUNSTAR_VERSION + "\n"), 0;
  if (options.result_schema) return print_text(t.out, pretty(p.result_schema())), 0;
  if (options.schema) return print_text(t.out, pretty(p.schema())), 0;
  if (options.parameters) return print_text(t.out, p.parameters()), 0;
  if (options.points) return points(p, options, t), 0;
  const auto config = p.load(config_input(options));
  for (const auto& sentence : p.warnings) warn(t, sentence);
  if (options.print_config) return print_text(t.out, pretty(config)), 0;
  if (options.structure) {
    if (!p.structure) throw UsageError("--print-structure shows machines; " + p.name + " has none.");
    return print_text(t.out, pretty(p.structure())), 0;
  }
  if (options.check) {
    p.check();
    if (!options.quiet) print_text(t.out, p.name + ": the configuration is in order.\n");
    return 0;
  }
  return simulate(p, options, config, t);
}

}  // namespace

void print_points(std::istream& points, const CommandLine& options, const AnyPlatform& platform, const Terminal& t) {
  for (std::string line; std::getline(points, line);) {
    t.out << json::serialize(answer(line, options, platform)) << '\n';
    if (!t.out) break;
  }
  print_text(t.out, "");
}

ConfigInput config_input(const CommandLine& options) {
  ConfigInput input{options.config};
  for (const auto& s : options.settings)
    if (!input.settings.add(s))
      throw UsageError("--set is " + in_quotes(s) + "; it must be PATH=VALUE, as in --set run.trials=3.");
  const auto add = [&](const char* option, const char* path, std::optional<std::uint64_t> value) {
    if (!value) return;
    const auto given = std::string(option) + " " + std::to_string(*value);
    if (input.settings.concern(path))
      throw UsageError(given + " and --set " + path + " set the same parameter; leave one of them out.");
    input.settings.add(path, *value, given);
  };
  add("--seed", "run.seed", options.seed);
  add("--trials", "run.trials", options.trials);
  return input;
}

Terminal standard_terminal() {
  remove_temporaries_on_interrupt();
  return {std::cout, std::cerr, ::isatty(STDERR_FILENO) == 1};
}

int run_main(int argc, const char* const* argv, const AnyPlatform& p, Terminal t) {
  const auto fail = [&](const std::string& sentence, int code) {
    t.err << sentence << std::endl;
    return code;
  };
  try {
    return execute(p, parse_command_line(argc, argv), t);
  } catch (const UsageError& e) {
    return fail(p.name + ": " + e.what() + "\nAll options: " + p.name + " --help", 2);
  } catch (const ConfigError& e) {
    return fail(e.what(), 3);
  } catch (const SimulationError& e) {
    return fail(std::string("The simulation failed: ") + e.what(), 4);
  } catch (const std::bad_alloc&) {
    return fail("The simulation failed: " + out_of_memory() + ".", 4);
  } catch (const std::exception& e) {
    return fail(std::string("The simulation failed: ") + e.what(), 4);
  }
}

}  // namespace sunstar::kit
