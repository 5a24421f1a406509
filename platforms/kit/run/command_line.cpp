// SPDX-License-Identifier: MIT
#include "platforms/kit/run/command_line.h"

#include <boost/program_options.hpp>
#include <sstream>

#include "platforms/kit/quantity_text.h"

namespace sunstar::kit {
namespace po = boost::program_options;
namespace {

po::options_description description() {
  po::options_description all("Options", 110, 60);
  const auto text = [](const char* name) { return po::value<std::string>()->value_name(name); };
  all.add_options()("config", text("FILE"), "the configuration file; without one, every parameter has its default")(
      "set", po::value<std::vector<std::string>>()->value_name("PATH=VALUE")->composing(),
      "set one parameter, as in --set run.trials=3; may be repeated")("seed", text("N"), "set run.seed")(
      "trials", text("N"), "set run.trials")("output", text("FILE.json"),
                                             "write the result to this file; - is the standard output")(
      "vcd", text("FILE.vcd"), "write the waveforms to this file; FILE.fst converts them with vcd2fst")(
      "vcd-scope", text("NAMES"), "only waveforms of these instances and those within them, as in iop0*,cp3")(
      "vcd-window", text("FROM,TO"), "only waveforms between these times, as in 2ms,5ms; either may be left out")(
      "timeline", text("FILE.json"),
      "write the timeline of the machine's parts to this file; FILE.json.gz is compressed, FILE.ftr in FTR")(
      "timeline-scope", text("NAMES"), "record only these instances and those within them, as in iop0*,cp3")(
      "timeline-window", text("FROM,TO"), "record only between these times, as in 2ms,5ms; either may be left out")(
      "timeline-limit", text("SIZE"), "the most that the timeline may take before compression; 64MiB if left out")(
      "timeline-interval", text("TIME"), "its counters have a value for each interval; 10ms if left out")(
      "log", text("FILE.log"), "write each event as a line to this file; - is the standard output")(
      "log-level", text("LEVEL"), (std::string(log_levels) + "; info if left out").c_str())(
      "log-scope", text("NAMES"), "log only these instances and those within them, as in iop0*,cp3")(
      "log-window", text("FROM,TO"), "log only between these times, as in 2ms,5ms; either may be left out")(
      "log-limit", text("SIZE"), "the most that the log may take before compression; 256MiB if left out")(
      "explain", "explain the first trial's time, name changes that would shorten it, and write both to the result")(
      "print-config", "print the effective configuration and exit")(
      "print-structure", "print the parts of the machine, by their names, in JSON and exit")(
      "print-points", text("FILE"),
      "print the effective configuration of each point in this file, and exit; a point is a line with an array of "
      "settings, [\"run.trials=3\"]; - is the standard input")("schema",
                                                               "print the JSON Schema of the configuration and exit")(
      "result-schema", "print the JSON Schema of the result file and exit")(
      "parameters", "print a table of all parameters in Markdown and exit")(
      "check", "read the configuration and build the machine, but do not run it")(
      "verbose", "print figures that are 0, too")("quiet", "print nothing but warnings and errors")(
      "version", "print the version and exit")("help,h", "print this and exit");
  return all;
}

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  const auto all = description();
  for (const auto& o : all.options()) names.push_back("--" + o->long_name());
  return names;
}

std::optional<std::uint64_t> whole(const po::variables_map& given, const char* option) {
  if (!given.count(option)) return std::nullopt;
  const auto& text = given[option].as<std::string>();
  std::uint64_t n = 0;
  if (!is_number(text, n))
    throw UsageError("--" + std::string(option) + " is " + in_quotes(text) + "; it must be a whole number" +
                     (option == std::string_view("trials") ? " between 1 and 10000." : ", at least 0."));
  return n;
}

template <class Q>
void read_quantity(const po::variables_map& given, const std::string& option, const char* least, Q& into) {
  if (!given.count(option)) return;
  const auto& text = given[option].as<std::string>();
  if (const auto why = kit::parse(text, into); !why.empty())
    throw UsageError("--" + option + " is " + in_quotes(text) + "; " + why + ".");
  if (into == Q{}) throw UsageError("--" + option + " is " + in_quotes(text) + "; it must be at least " + least + ".");
}

/// The options of a file that records the run: "vcd", "timeline" or "log".
template <class Options>
Options recording_options(const po::variables_map& given, const std::string& file) {
  Options o;
  for (const char* part : {"-scope", "-window", "-limit", "-interval", "-level"})
    if (const auto option = file + part; given.count(option) && !given.count(file))
      throw UsageError("--" + option + " needs --" + file + ", the file that it is about.");
  const auto text = [&](const std::string& option) { return given[option].as<std::string>(); };
  if (const auto option = file + "-window"; given.count(option)) o.window = parse_window("--" + option, text(option));
  if (const auto option = file + "-scope"; given.count(option)) o.scope = parse_scope("--" + option, text(option));
  Bytes limit{o.limit};
  read_quantity(given, file + "-limit", "1B", limit);
  o.limit = limit.count;
  return o;
}

void check_paths(const CommandLine& c) {
  const std::pair<const char*, const std::optional<std::filesystem::path>*> paths[] = {{"--config", &c.config},
                                                                                       {"--output", &c.output},
                                                                                       {"--vcd", &c.vcd},
                                                                                       {"--timeline", &c.timeline},
                                                                                       {"--log", &c.log}};
  const auto real = [](const std::filesystem::path& path) {
    std::error_code error;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  for (const auto& [name, path] : paths) {
    if (!*path) continue;
    if ((*path)->empty()) throw UsageError(std::string(name) + " needs the name of a file.");
    if (**path == "-" && path != &c.output && path != &c.log)
      throw UsageError(std::string(name) +
                       " is -, the standard output, which only --output and --log accept; it must be the name of a "
                       "file (./- for a file called -).");
    for (const auto& [other_name, other] : paths) {
      if (other == path) break;
      if (*other && **other == "-" && **path == "-")
        throw UsageError(std::string(other_name) + " and " + name +
                         " are both -, the standard output; give one of them the name of a file.");
      std::error_code error;
      if (*other && real(**other) == real(**path) &&
          (std::filesystem::is_regular_file(**path, error) || !std::filesystem::exists(**path, error)))
        throw UsageError(std::string(other_name) + " and " + name + " name the same file, " + (*path)->string() + ".");
    }
  }
}

Timeline::Options timeline_options(const po::variables_map& given) {
  auto o = recording_options<Timeline::Options>(given, "timeline");
  read_quantity(given, "timeline-interval", "1ps", o.interval);
  if (given.count("timeline-interval") && given["timeline"].as<std::string>().ends_with(".ftr"))
    throw UsageError("--timeline-interval is about counters, which an FTR file does not have; leave it out.");
  return o;
}

EventLog::Options log_options(const po::variables_map& given) {
  auto o = recording_options<EventLog::Options>(given, "log");
  if (!given.count("log-level")) return o;
  const auto& level = given["log-level"].as<std::string>();
  if (!boost::describe::enum_from_string(level.c_str(), o.level))
    throw UsageError("--log-level is " + in_quotes(level) + "; it must be info, debug or trace.");
  return o;
}

po::variables_map parse_tokens(int argc, const char* const* argv) {
  auto all = description();
  all.add_options()("unexpected", po::value<std::vector<std::string>>(), "");
  po::positional_options_description rest;
  rest.add("unexpected", -1);
  po::variables_map given;
  using namespace po::command_line_style;
  const int style =
      allow_long | long_allow_adjacent | long_allow_next | allow_short | allow_dash_for_short | short_allow_next;
  try {
    po::store(po::command_line_parser(argc, argv).options(all).positional(rest).style(style).run(), given);
  } catch (const po::unknown_option& e) {
    const auto name = e.get_option_name();
    const auto near = suggestion(name, option_names());
    throw UsageError("There is no option " + name + (near.empty() ? "." : near));
  } catch (const po::multiple_occurrences& e) {
    throw UsageError(e.get_option_name() + " is given more than once.");
  } catch (const po::invalid_syntax& e) {
    const bool extra = e.kind() == po::invalid_syntax::extra_parameter;
    throw UsageError(e.get_option_name() + (extra ? " takes no value." : " needs a value."));
  } catch (const po::error& e) {
    throw UsageError(std::string(e.what()) + ".");
  }
  if (given.count("unexpected")) {
    const auto word = given["unexpected"].as<std::vector<std::string>>().front();
    const auto option = nearest("--" + word, option_names());
    throw UsageError(in_quotes(word) + " belongs to no option" +
                     (option                    ? "; did you mean " + *option + "?"
                      : word.ends_with(".json") ? "; did you mean --config " + word + "?"
                                                : "."));
  }
  return given;
}

}  // namespace

CommandLine parse_command_line(int argc, const char* const* argv) {
  const auto given = parse_tokens(argc, argv);
  const auto path = [&](const char* option) {
    return given.count(option) ? std::optional<std::filesystem::path>(given[option].as<std::string>()) : std::nullopt;
  };
  CommandLine c;
  c.config = path("config"), c.output = path("output"), c.vcd = path("vcd"), c.timeline = path("timeline"),
  c.log = path("log");
  c.seed = whole(given, "seed"), c.trials = whole(given, "trials"), c.points = path("print-points");
  c.watch.waves = recording_options<WaveFile::Options>(given, "vcd");
  if (given.count("vcd-scope")) c.vcd_scope = given["vcd-scope"].as<std::string>();
  c.watch.timeline_options = timeline_options(given);
  c.watch.log_options = log_options(given);
  if (given.count("set")) c.settings = given["set"].as<std::vector<std::string>>();
  const auto flag = [&](const char* option) { return given.count(option) != 0; };
  c.watch.explain = flag("explain"), c.print_config = flag("print-config"), c.structure = flag("print-structure"),
  c.schema = flag("schema"), c.result_schema = flag("result-schema"), c.parameters = flag("parameters"),
  c.check = flag("check");
  c.verbose = flag("verbose"), c.quiet = flag("quiet"), c.version = flag("version"), c.help = flag("help");
  check_paths(c);
  return c;
}

Window parse_window(const std::string& option, const std::string& text) {
  const auto fail = [&](const std::string& why) { throw UsageError(option + " is " + in_quotes(text) + "; " + why); };
  const auto comma = text.find(',');
  if (comma == std::string::npos || text.size() == 1)
    fail("it must be two times with a comma between them, as in 2ms,5ms.");
  Window window;
  const auto read = [&](const std::string& part, Time& into) {
    if (part.empty()) return;
    Duration time{};
    if (const auto why = kit::parse(part, time); !why.empty()) fail(why + ".");
    into = Time{time};
  };
  read(text.substr(0, comma), window.from);
  read(text.substr(comma + 1), window.to);
  if (window.from >= window.to) fail("its end must be after its beginning.");
  return window;
}

Scope parse_scope(const std::string& option, const std::string& text) {
  if (text.empty() || text.front() == ',' || text.back() == ',' || text.find(",,") != std::string::npos)
    throw UsageError(option + " is " + in_quotes(text) +
                     "; it must be names of instances with commas between them, as in iop0*,cp3.");
  return Scope(text);
}

std::string options_text() {
  std::ostringstream text;
  text << description();
  return text.str();
}

}  // namespace sunstar::kit
