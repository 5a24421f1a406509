// SPDX-License-Identifier: MIT
#include "platforms/kit/results/document.h"

namespace sunstar::kit::detail {

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

}  // namespace sunstar::kit::detail
