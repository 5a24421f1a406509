// SPDX-License-Identifier: MIT
#include "tests/fuzz/targets.h"

#include <fstream>

#include "platforms/disk/config.h"
#include "platforms/kit/config.h"
#include "platforms/machine/run/config.h"
#include "platforms/network/config.h"
#include "platforms/network/source.h"
#include "sw/workload/subset/params.h"
#include "sw/workload/trace/params.h"
#include "sw/workload/workload.h"
#include "tests/support/places.h"

namespace sunstar::fuzz {

namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

fs::path write(const fs::path& folder, const char* name, const std::string& text) {
  std::ofstream(folder / name, std::ios::binary) << text;
  return folder / name;
}

/// The reader may refuse the input.
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

}  // namespace

const std::vector<Target>& targets() {
  static const std::vector<Target> all{
      configuration<machine::Config>("configuration", torus_corpus,
                                     [](const machine::Config& c) { machine::blueprint(c); }),
      configuration<traffic::Config>("network-configuration", network_corpus, [](const traffic::Config&) {}),
      configuration<disk_platform::Config>("disk-configuration", disk_corpus, [](const disk_platform::Config&) {}),
      trace(),
      piece_list(),
      messages()};
  return all;
}

}  // namespace sunstar::fuzz
