// SPDX-License-Identifier: MIT
#include "tests/fuzz/targets.h"

#include <charconv>
#include <cmath>
#include <fstream>

#include "platforms/disk/config.h"
#include "platforms/disk/run.h"
#include "platforms/kit/config.h"
#include "platforms/kit/parameter_table.h"
#include "platforms/machine/run/config.h"
#include "platforms/network/config.h"
#include "platforms/network/run.h"
#include "platforms/network/source.h"
#include "sw/workload/subset/params.h"
#include "sw/workload/trace/params.h"
#include "sw/workload/workload.h"
#include "tests/fuzz/runs.h"
#include "tests/support/places.h"

namespace sunstar::fuzz {

namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

fs::path write(const fs::path& folder, const char* name, const std::string& text) {
  std::ofstream(folder / name, std::ios::binary) << text;
  return folder / name;
}

/// Whatever reads the input may refuse it.
template <class Read>
Outcome refusable(Read&& read_it) {
  try {
    read_it();
  } catch (const ConfigError&) {
    return Outcome::refused;
  }
  return Outcome::accepted;
}

// --- texts that are read ---

/// The names and the defaults of a configuration's parameters.
template <class Config>
Texts words_of() {
  Texts words{
      "null", "{}", "[]", "true", "\"", "\\u0000", "\xef\xbb\xbf", "\xff", "1e400", "//", "\"schema\": \"sunstar/1\","};
  for (const kit::ParameterRow& row : kit::parameter_rows(Config{})) {
    words.push_back("\"" + row.path.substr(row.path.rfind('.') + 1) + "\": ");
    if (!row.preset.empty() && row.preset.size() < 40) words.push_back(row.preset + ",");
  }
  return words;
}

template <class Config>
Target configuration(std::string name, Texts corpus, std::function<void(const Config&)> use) {
  return {std::move(name), "a configuration file in JSON, and the machine that it describes",
          [corpus](Mutator& m) { return m(corpus); }, words_of<Config>(),
          [use](const std::string& input, const fs::path& folder) {
            return refusable([&] {
              std::vector<std::string> unused;
              const auto config = kit::load_config<Config>({write(folder, "c.json", input)}, &unused);
              use(config);
              kit::effective(config);
            });
          }};
}

const Texts torus_corpus{
    R"({"schema": "sunstar/1", "machine": {"compute_processors": 4, "io_processors": 2, "disks": 4, "disk": "barracuda",
 "network": {"shape": [3, 2], "model": "flit"}, "nodes": [{"role": "compute"}, {"role": "io", "disks": ["hp97560"]}]},
 "file_system": {"kind": "enwrich", "enwrich": {"cache_size": "64KiB"}},
 "faults": [{"place": "iop0_scsi0.disk0", "effect": "dead", "trigger": {"kind": "time", "at": "1s"}}],
 "workload": {"kind": "pattern", "pattern": "rcc", "record_size": "8B", "file_size": "1MiB"}, "run": {"trials": 2}})",
    R"({"schema": "sunstar/1", "workload": {"kind": "trace", "trace": "t.csv", "include": "a.*",
 "scale": {"lengths": 0.5, "ranks": 2, "to": "1s"}}})",
    R"({"schema": "sunstar/1", "machine": {"disk": {"rpm": 7200, "zones": [{"cylinders": 100, "sectors_per_track": 50}],
 "seek": {"table": [{"distance": 1, "time": "1ms"}]}}, "bus": {"data_rate": "10MB/s"}, "node": {"clock": "50MHz"},
 "costs": {"copy": 100, "copy_per_byte": 0.5}}, "file_system": {"kind": "disk-directed", "layout": "random-blocks"}})"};
const Texts network_corpus{
    R"({"schema": "sunstar/1", "machine": {"network": {"shape": [4, 4], "topology": "mesh", "model": "flit",
 "router": {"virtual_channels": 2, "buffer_flits": 8}}}, "workload": {"pattern": "transpose", "load": 0.3}})"};
const Texts disk_corpus{
    R"({"schema": "sunstar/1", "machine": {"disk": "atlas10k", "bus_rate": "80MB/s"},
 "workload": {"kind": "synthetic", "read_share": 0.5, "size": "8KiB", "requests": 100}})"};

const Texts trace_corpus{"rank,op,file,offset,length,start,end\n0,w,out.dat,0,4096,0,1\n1,r,\"a,b\",100,8,0.5,2e0\n",
                         "start,end,rank,length,offset,file,op,more\n1,2,0,10,0,f,read,x\n1,3,7,10,99,f,write,y\n"};
const Texts list_corpus{"processor,offset,length\n0,0,100\n1,4096,8\n0,50,2000\n"};
const Texts message_corpus{"time,from,to,bytes\n0,0,1,8\n1.5,3,2,1000000\n0.25,1,0,64\n"};
const Texts csv_words{",",     "\n", "\"",           "rank",     "time", "r,",
                      "1e300", "-1", "\xef\xbb\xbf", "\x1f\x8b", "read", "0,w,f,0,1,0,1\n"};

Target trace() {
  return {"trace", "a trace of calls (CSV, plain or gzip), and the workload made of it",
          [](Mutator& m) {
            std::string input = m(trace_corpus);
            // The first line are the filters.
            static const Texts filters{"", "out", "(a+)+$", "[a-", "((((", "\\", ".*.*.*x", "(?i)A"};
            return filters[m.random().below(filters.size())] + "\n" + input;
          },
          csv_words,
          [](const std::string& input, const fs::path& folder) {
            const std::size_t line = std::min(input.find('\n'), input.size() - 1);
            workload::TraceParams params;
            params.include = input.substr(0, line);
            params.trace = write(folder, "t.csv", input.substr(line + 1));
            params.pacing = static_cast<workload::Pacing>(input.size() % 3);
            if (input.size() % 2 != 0) params.scale.lengths = 0.1, params.scale.files = 1;
            return refusable([&] { workload::make(params, {1 + static_cast<std::uint32_t>(input.size() % 5)}); });
          }};
}

Target piece_list() {
  return {"list", "a list of pieces (CSV, plain or gzip), and the workload made of it",
          [](Mutator& m) { return m(list_corpus); }, csv_words,
          [](const std::string& input, const fs::path& folder) {
            workload::SubsetParams params;
            params.operation = input.size() % 2 == 0 ? requests::Operation::read : requests::Operation::write;
            params.list = write(folder, "l.csv", input);
            return refusable([&] { workload::make(params, {1 + static_cast<std::uint32_t>(input.size() % 5)}); });
          }};
}

Target messages() {
  return {"messages", "a trace of messages (CSV)", [](Mutator& m) { return m(message_corpus); }, csv_words,
          [](const std::string& input, const fs::path& folder) {
            traffic::TraceParams params;
            params.trace = write(folder, "m.csv", input);
            return refusable([&] { traffic::message_trace(params, network::Places::by_number(4)); });
          }};
}

// --- whole runs ---

/// A value that the parameter may have, or nearly: a neighbour of its default, a limit, one of its names.
std::string value_of(const kit::ParameterRow& row, Mutator& m) {
  auto& random = m.random();
  if (random.below(50) == 0) return m.number();
  if (row.type.starts_with("true")) return random.below(2) ? "true" : "false";
  const std::string preset = row.preset.starts_with('"') ? row.preset.substr(1, row.preset.size() - 2) : row.preset;
  double number = 0;
  const auto [end, error] = std::from_chars(preset.data(), preset.data() + preset.size(), number);
  if (error == std::errc{}) {
    const std::string unit(end, preset.data() + preset.size());
    static const double factors[] = {0, 0.1, 0.5, 0.9, 1.1, 2, 3, 10};
    double chosen = number * factors[random.below(8)];
    if (number == 0) chosen = static_cast<double>(random.below(5));
    if (row.type == "whole number" || row.type == "size") chosen = std::floor(chosen);
    char text[40];
    const auto to = std::to_chars(text, text + sizeof text, chosen, std::chars_format::fixed, 3).ptr;
    std::string shown(text, to);
    if (row.type == "whole number" || row.type == "size") shown.resize(shown.find('.'));
    return shown + unit;
  }
  Texts names;
  for (std::size_t at = 0; at < row.range.size();) {
    const std::size_t comma = std::min(row.range.find(", ", at), row.range.size());
    std::string name = row.range.substr(at, comma - at);
    if (const auto either = name.find(" or "); either != std::string::npos) {
      names.push_back(name.substr(0, either));
      name = name.substr(either + 4);
    }
    names.push_back(name);
    at = comma + 2;
  }
  return names.empty() ? "x" : names[random.below(names.size())];
}

/// A few parameters at random, then those that keep the run small; later settings win.
template <class Config>
std::string settings(Mutator& m, const std::function<Texts(RandomStream&)>& small) {
  static const auto rows = [] {
    std::vector<kit::ParameterRow> all;
    for (const kit::ParameterRow& row : kit::parameter_rows(Config{}))
      if (row.path.find('<') == std::string::npos && !row.type.starts_with("section") &&
          !row.type.starts_with("list") && !row.path.starts_with("run.") && !row.path.ends_with("trace"))
        all.push_back(row);
    return all;
  }();
  std::string text;
  for (std::uint64_t n = 1 + m.random().below(6); n > 0; --n) {
    const auto& row = rows[m.random().below(rows.size())];
    text += row.path + "=" + value_of(row, m) + "\n";
  }
  for (const std::string& setting : small(m.random())) text += setting + "\n";
  return text;
}

template <class Config>
Config config_from(const std::string& input) {
  kit::ConfigInput all;
  for (std::size_t at = 0; at < input.size();) {
    const std::size_t end = std::min(input.find('\n', at), input.size());
    all.settings.add(input.substr(at, end - at));
    at = end + 1;
  }
  return kit::load_config<Config>(std::move(all));
}

/// A run may be refused, or be longer than simulated time.
Outcome run_to_its_end(const std::function<void()>& carry_out) {
  try {
    carry_out();
  } catch (const ConfigError&) {
    return Outcome::refused;
  } catch (const SimulationError& error) {
    const std::string text = error.what();
    for (const char* known : {"can be simulated at once", "where Sunstar's clock ends", "the most simulated time"})
      if (text.find(known) != std::string::npos) return Outcome::refused;
    throw;
  }
  return Outcome::accepted;
}

std::string one_of(RandomStream& random, std::initializer_list<const char*> all) {
  return all.begin()[random.below(all.size())];
}

Target torus_run() {
  return {
      "torus-run",
      "a whole run of a small machine with parameters at random",
      [](Mutator& m) {
        return settings<machine::Config>(m, [](RandomStream& random) -> Texts {
          const auto io = 1 + random.below(3);
          const std::uint64_t record = std::initializer_list<std::uint64_t>{8, 100, 512, 8192}.begin()[random.below(4)];
          return {"machine.network.shape=[3,3]",
                  "machine.compute_processors=" + std::to_string(1 + random.below(5)),
                  "machine.io_processors=" + std::to_string(io),
                  "machine.disks=" + std::to_string(io * (1 + random.below(2))),
                  "file_system.kind=" + one_of(random, {"traditional-caching", "disk-directed", "enwrich"}),
                  "workload.kind=pattern",
                  "workload.pattern=" + one_of(random, {"rb", "wb", "rcc", "wcc", "ra", "wbc", "rnb", "wcn"}),
                  "workload.record_size=" + std::to_string(record) + "B",
                  "workload.file_size=" + std::to_string(record * (1 + random.below(60'000 / record))) + "B"};
        });
      },
      {},
      [](const std::string& input, const fs::path&) {
        return run_to_its_end([&] {
          const auto config = config_from<machine::Config>(input);
          const auto trial = machine::run_trial(config, 0);
          require(trial.result.verified, "it is not verified");
          const bool told = !trial.result.warnings.empty();  // of drives too slow for their driver, for example
          require(trial.result.elapsed_s > 0 && (trial.result.bytes_moved > 0 || told),
                  "no byte moved or no time passed");
          check_statistics(trial.statistics);
        });
      },
      true};
}

Target network_run() {
  return {"network-run",
          "a small network alone with parameters at random",
          [](Mutator& m) {
            return settings<traffic::Config>(m, [](RandomStream& random) -> Texts {
              return {"machine.network.shape=" + one_of(random, {"[3,3]", "[4,2]", "[2,2,2]", "[5]"}),
                      "workload.warm_up=200", "workload.measured=1000", "workload.drain=2000"};
            });
          },
          {},
          [](const std::string& input, const fs::path&) {
            return run_to_its_end([&] {
              const auto trial = traffic::run_trial(config_from<traffic::Config>(input), 0, {});
              require(trial.result.verified, "it is not verified");
              check_statistics(trial.statistics);
            });
          },
          true};
}

Target disk_run() {
  return {"disk-run",
          "a drive alone with parameters at random",
          [](Mutator& m) {
            return settings<disk_platform::Config>(m, [](RandomStream& random) -> Texts {
              return {"workload.requests=" + std::to_string(1 + random.below(300))};
            });
          },
          {},
          [](const std::string& input, const fs::path&) {
            return run_to_its_end([&] {
              const auto trial = disk_platform::run_trial(config_from<disk_platform::Config>(input), 0, {});
              check_statistics(trial.statistics);
            });
          },
          true};
}

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all{
      configuration<machine::Config>("configuration", torus_corpus,
                                     [](const machine::Config& c) { machine::blueprint(c); }),
      configuration<traffic::Config>("network-configuration", network_corpus, [](const traffic::Config&) {}),
      configuration<disk_platform::Config>("disk-configuration", disk_corpus, [](const disk_platform::Config&) {}),
      trace(),
      piece_list(),
      messages(),
      torus_run(),
      network_run(),
      disk_run(),
      runs()};
  return all;
}

}  // namespace sunstar::fuzz
