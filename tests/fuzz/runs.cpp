// SPDX-License-Identifier: MIT
#include "tests/fuzz/runs.h"

#include <cmath>
#include <map>
#include <stdexcept>

#include "platforms/disk/config.h"
#include "platforms/machine/run/config.h"
#include "platforms/network/config.h"
#include "tests/fuzz/draw.h"
#include "tests/support/json_schema.h"
#include "tests/support/program.h"

namespace sunstar::fuzz {
namespace {

namespace json = boost::json;
using Words = std::vector<std::string>;

constexpr rlim_t most_seconds = 50;  // of processor time, with sanitizers

std::string line_of(RandomStream& random, std::initializer_list<std::uint64_t> below) {
  std::string line;
  for (const std::uint64_t n : below) line += "," + std::to_string(random.below(n));
  return line;
}

std::string calls(RandomStream& random) {
  std::string text = "rank,op,file,offset,length,start_s,end_s\n";
  for (std::uint64_t i = 1 + random.below(30); i > 0; --i) {
    const bool at_once = random.below(2) == 0;
    text += std::to_string(random.below(8)) + (random.below(2) ? ",read,f" : ",write,f") +
            std::to_string(random.below(3)) + "," + std::to_string(random.below(3) * random.below(100'000)) + "," +
            std::to_string(1 + random.below(random.below(2) ? 20'000 : 100)) +
            (at_once ? ",0,0.001\n" : "," + std::to_string(random.below(20)) + ",20\n");
  }
  return text;
}
std::string messages(RandomStream& random) {
  std::string text = "time,from,to,bytes\n";
  for (std::uint64_t i = 1 + random.below(50); i > 0; --i)
    text += "0.00" + std::to_string(random.below(1000)) + line_of(random, {4, 4, 3000}) + "\n";
  return text;
}
std::string requests(RandomStream& random) {
  std::string text;
  for (std::uint64_t i = 1 + random.below(50); i > 0; --i)
    text += std::string(random.below(2) ? "R" : "W") + " - " + std::to_string(16 * random.below(10'000)) + " " +
            std::to_string(16 * (1 + random.below(8))) + " 0 " + std::to_string(random.below(5000)) + "\n";
  return text;
}

struct Kind {
  std::string program;
  Drawn (*draw)(RandomStream&);
};
template <class Config, std::string (*trace)(RandomStream&)>
Drawn draw_for(RandomStream& random) {
  Config defaults;
  return draw(defaults, random, trace);
}
const std::vector<Kind> kinds{{"sunstar-torus", draw_for<machine::Config, calls>},
                              {"sunstar-sp2", draw_for<machine::Config, calls>},
                              {"sunstar-cluster", draw_for<machine::Config, calls>},
                              {"sunstar-network", draw_for<traffic::Config, messages>},
                              {"sunstar-disk", draw_for<disk_platform::Config, requests>}};

/// Options of recordings; FOLDER stands for the run's own.
json::array recordings(RandomStream& random) {
  json::array options;
  const auto add = [&](std::initializer_list<const char*> words) {
    for (const char* word : words) options.emplace_back(word);
  };
  if (random.below(2)) add({"--explain"});
  if (random.below(2)) {
    add({"--log", random.below(4) ? "FOLDER/l.log" : "FOLDER/l.log.gz", "--log-level"});
    options.emplace_back(std::vector{"info", "debug", "trace"}[random.below(3)]);
    if (random.below(3) == 0) add({"--log-limit", "100KiB"});
    if (random.below(3) == 0) add({"--log-window", "1ms,50ms"});
  }
  if (random.below(2)) {
    add({"--timeline",
         std::vector{"FOLDER/t.json.gz", "FOLDER/t.json", "FOLDER/t.ftr", "FOLDER/t.ftr"}[random.below(4)]});
    if (random.below(3) == 0) add({"--timeline-limit", "100KiB"});
    if (random.below(3) == 0) add({"--timeline-window", "1ms,50ms"});
  }
  if (random.below(2)) {
    add({"--vcd", "FOLDER/w.vcd"});
    if (random.below(3) == 0) add({"--vcd-window", "0ms,1ms"});
  }
  return options;
}

std::string make_run(Mutator& m) {
  RandomStream& random = m.random();
  // The machines are most of what can go wrong.
  const Kind& kind = kinds[random.below(8) < 7 ? random.below(3) : 3 + random.below(2)];
  Drawn drawn = kind.draw(random);
  return json::serialize(json::object{{"program", kind.program},
                                      {"config", std::move(drawn.config)},
                                      {"files", std::move(drawn.files)},
                                      {"recordings", recordings(random)}});
}

json::value schema_of(const std::string& program) {
  static std::map<std::string, json::value> known;
  auto& schema = known[program];
  if (schema.is_null()) {
    test::Program run(test::binary_folder() / program);
    require(run({"--result-schema"}) == 0, "--result-schema: " + run.err);
    json::parse_options deep;
    deep.max_depth = 1000;
    schema = json::parse(run.out, {}, deep);
  }
  return schema;
}

bool would_last_too_long(const std::string& sentence) {
  for (const char* known : {"can be simulated at once", "where Sunstar's clock ends", "the most simulated time",
                            "simulated time would pass", "the host gives no more memory"})
    if (sentence.find(known) != std::string::npos) return true;
  return false;
}

/// The result, or nothing if the run is refused.
std::optional<json::object> result_of(const std::string& program, const std::filesystem::path& folder,
                                      const Words& more) {
  test::Program run(test::binary_folder() / program);
  run.limits = {{RLIMIT_CPU, most_seconds}, {RLIMIT_CORE, 0}};
  const auto file = folder / "result.json";
  std::filesystem::remove(file);
  Words words{"--config", (folder / "config.json").string(), "--quiet", "--output", file.string()};
  words.insert(words.end(), more.begin(), more.end());
  const int code = run(words);
  if (code == 3 || (code == 4 && would_last_too_long(run.err))) {
    require(run.err.find(' ') != std::string::npos, "it is refused without a sentence: " + run.err);
    require(code == 4 || !std::filesystem::exists(file), "it is refused and writes a result");
    return std::nullopt;
  }
  if (code == -SIGKILL && run.err.find("hardly meant") != std::string::npos) return std::nullopt;  // it has warned
  require(code != -SIGKILL, "it takes more than " + std::to_string(most_seconds) + " s");
  require(code == 0, "it ends with " + std::to_string(code) + ": " + run.err);
  return json::parse(test::TemporaryFolder::read(file)).as_object();
}

void check_result(const std::string& program, const json::object& document) {
  const auto faults = test::schema_faults(schema_of(program), document);
  require(faults.empty(), "the result does not follow its schema: " + (faults.empty() ? "" : faults.front()));
  if (const auto* verified = document.at("result").as_object().if_contains("verified"))
    require(verified->as_bool(), "it is not verified");
  if (const auto* statistics = document.if_contains("statistics")) check_statistics(statistics->as_object());
}

/// Without what watching adds and what the host measures.
json::object comparable(json::object document) {
  for (const char* key : {"host", "explain"}) document.erase(key);
  for (json::value& trial : document["trials"].as_array()) trial.as_object().erase("host");
  return document;
}

Outcome take_run(const std::string& input, const std::filesystem::path& folder) {
  const json::value run = json::parse(input);
  const std::string program(run.at("program").as_string());
  const auto write = [&](std::string_view name, std::string_view text) {
    std::ofstream(folder / name, std::ios::binary) << text;
  };
  write("config.json", json::serialize(run.at("config")));
  for (const auto& [name, text] : run.at("files").as_object()) write(name, text.as_string());

  const auto alone = result_of(program, folder, {});
  if (!alone) return Outcome::refused;
  check_result(program, *alone);

  Words options;
  for (const json::value& word : run.at("recordings").as_array()) {
    std::string text(word.as_string());
    if (text.starts_with("FOLDER")) text.replace(0, 6, folder.string());
    options.push_back(std::move(text));
  }
  const auto watched = result_of(program, folder, options);
  require(watched.has_value(), "it is refused when it is watched");
  check_result(program, *watched);
  require(comparable(*watched) == comparable(*alone), "its result is another one when it is watched");
  return Outcome::accepted;
}

}  // namespace

void require(bool fact, const std::string& what) {
  if (!fact) throw std::runtime_error(what);
}

void check_statistics(const json::object& statistics) {
  for (const auto& [name, s] : statistics) {
    const double value = s.at("value").to_number<double>();
    const std::string is = std::string(name) + " is " + std::to_string(value);
    require(std::isfinite(value) && value >= 0, "the result contradicts itself: " + is);
    if (s.at("unit") == "fraction") require(value <= 1, "the result contradicts itself: " + is);
  }
}

Target runs() {
  return {"runs",   "whole runs of all programs: file systems, workloads, fabrics and recordings at random",
          make_run, {},
          take_run, true};
}

}  // namespace sunstar::fuzz
