// SPDX-License-Identifier: MIT
#include "platforms/kit/results/document.h"

#include "platforms/kit/results/mean.h"

namespace sunstar::kit {
namespace {

std::vector<const json::object*> sections(const std::vector<json::object>& trials, const char* name) {
  std::vector<const json::object*> all;
  all.reserve(trials.size());
  for (const auto& t : trials) all.push_back(&t.at(name).as_object());
  return all;
}

json::array each_trial(std::uint64_t seed, const std::vector<json::object>& trials) {
  json::array all;
  for (const auto* result : sections(trials, "result")) {
    json::object trial{{"seed", seed++}};
    for (const auto& [key, value] : *result) trial[key] = value;
    all.push_back(std::move(trial));
  }
  return all;
}

}  // namespace

json::object run_document(std::uint64_t seed, std::vector<json::object> trials, const Type& result, const Type& host) {
  json::object all{{"result", mean_of(result, sections(trials, "result"))},
                   {"host", mean_of(host, sections(trials, "host"))},
                   {"statistics", std::move(trials.front().at("statistics"))},
                   {"trials", each_trial(seed, trials)}};
  for (const char* asked_for : {"explain", "over_time"})
    if (auto& found = trials.front().at(asked_for).as_object(); !found.empty()) all[asked_for] = std::move(found);
  return all;
}

}  // namespace sunstar::kit
