// SPDX-License-Identifier: MIT
#include "platforms/machine/report/interference.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace sunstar::machine {
namespace {

constexpr double least_share = 0.005;
constexpr std::size_t most_parts = 8;

struct Shared {
  std::string part;
  std::string_view kind;
  std::vector<double> busy;  // by job, in seconds
  double all_but_greatest = 0;
};

std::string_view kind_of(const std::string& part) {
  if (part.find(".network.") != std::string::npos) return "link";
  if (part.ends_with(".cpu")) return "processor";
  if (part.ends_with(".bus")) return part.find("_scsi") == std::string::npos ? "node's bus" : "SCSI bus";
  return "drive";
}

std::vector<Shared> shared_parts(const std::vector<BusyParts>& alone, double least) {
  std::vector<Shared> all;
  for (const auto& [part, busy_of_first] : alone.front()) {
    Shared shared{part, kind_of(part), {}, 0};
    for (const BusyParts& job : alone) {
      const auto found = job.find(part);
      shared.busy.push_back(found == job.end() ? 0 : found->second);
    }
    shared.all_but_greatest =
        std::accumulate(shared.busy.begin(), shared.busy.end(), 0.0) - *std::ranges::max_element(shared.busy);
    if (shared.all_but_greatest >= least) all.push_back(std::move(shared));
  }
  std::ranges::stable_sort(all, std::greater<>(), &Shared::all_but_greatest);
  return all;
}

/// "a and b", "a, b and c": `text(job)` of each.
template <class Text>
std::string of_jobs(std::size_t jobs, Text text) {
  std::string all;
  for (std::size_t j = 0; j < jobs; ++j) all += (j == 0 ? "" : j + 1 < jobs ? ", " : " and ") + text(j);
  return all;
}
std::string job(std::size_t j) { return "job " + std::to_string(j); }

std::string milliseconds(double s) { return kit::formatted("%.3g", s * 1e3) + " ms"; }

}  // namespace

BusyParts busy_parts(const kit::json::object& statistics, double elapsed_s) {
  BusyParts parts;
  for (const auto& [key, statistic] : statistics) {
    std::string name = key;
    if (!name.ends_with("utilisation") || name.ends_with(".heads_utilisation")) continue;
    // A processor has one for its threads and one for its handlers.
    const auto processor = name.rfind(".cpu.");
    name.resize(processor != std::string::npos ? processor + 4 : name.size() - std::string_view(".utilisation").size());
    parts[name] += statistic.as_object().at("value").to_number<double>() * elapsed_s;
  }
  return parts;
}

void add_interference(kit::json::object& explanation, const std::vector<BusyParts>& alone,
                      const std::vector<double>& slowdowns, double elapsed_s) {
  const auto shared = shared_parts(alone, least_share * elapsed_s);
  kit::json::array sentences, parts;
  const auto times = [&](std::size_t j) {
    return job(j) + (j == 0 ? " takes " : " ") + kit::formatted("%.2f", slowdowns[j]) + " times";
  };
  sentences.emplace_back("Beside one another, " + of_jobs(alone.size(), times) + " as long as alone.");
  std::set<std::string_view> told;
  for (const Shared& s : shared) {
    if (parts.size() < most_parts)
      parts.push_back({{"part", s.part},
                       {"kind", s.kind},
                       {"busy_s", kit::json::array(s.busy.begin(), s.busy.end())},
                       {"shared_s", s.all_but_greatest}});
    if (!told.insert(s.kind).second) continue;
    const auto busy = [&](std::size_t j) { return milliseconds(s.busy[j]) + " by " + job(j); };
    sentences.emplace_back((told.size() == 1 ? "They meet most on a " : "They also meet on a ") + std::string(s.kind) +
                           ": alone, " + s.part + " is busy for " + of_jobs(alone.size(), busy) + ".");
  }
  if (shared.empty()) sentences.emplace_back("They meet nowhere: no part is busy with several of them for long.");
  explanation["interference"] = {{"parts", std::move(parts)}, {"sentences", std::move(sentences)}};
}

}  // namespace sunstar::machine
