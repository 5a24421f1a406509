// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "platforms/kit/host.h"
#include "platforms/kit/results/mean.h"
#include "platforms/kit/results/write_figures.h"

// From trials to the document of a run.
namespace sunstar::kit {

/// What one trial reports.
template <FigureSection Result, FigureSection Host = HostFigures>
struct Trial {
  Result result = {};
  json::object statistics = {};  ///< to_json(StatisticSet)
  Host host = {};
};

/// The form in which a trial is sent from one process to another.
template <class Result, class Host>
json::object to_json(Trial<Result, Host> trial) {
  return {{"result", write_figures(trial.result)},
          {"statistics", std::move(trial.statistics)},
          {"host", write_figures(trial.host)}};
}

namespace detail {

std::vector<const json::object*> sections(const std::vector<json::object>& trials, const char* name);
json::array each_trial(std::uint64_t seed, const std::vector<json::object>& trials);

}  // namespace detail

/// What a run writes: "result", the mean of the trials; what they cost the "host"; "statistics", the first trial's; and
/// "trials", each with its seed and the keys of the result.
template <FigureSection Result, FigureSection Host = HostFigures>
json::object run_document(std::uint64_t seed, std::vector<json::object> trials) {
  return {{"result", mean_of<Result>(detail::sections(trials, "result"))},
          {"host", mean_of<Host>(detail::sections(trials, "host"))},
          {"statistics", std::move(trials.front().at("statistics"))},
          {"trials", detail::each_trial(seed, trials)}};
}

}  // namespace sunstar::kit
