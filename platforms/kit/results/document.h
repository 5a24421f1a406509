// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "platforms/kit/host.h"
#include "platforms/kit/type_of.h"

// From trials to the document of a run: figures as JSON, and their means.
namespace sunstar::kit {

json::object write_figures(ConstRef section);

template <FigureSection Result, FigureSection Host = HostFigures>
struct Trial {
  Result result = {};
  json::object statistics = {};  ///< to_json(StatisticSet); needed of the first trial only
  Host host = {};
  json::object explanation = {};  ///< the explanation of its time, if asked for; of the first trial only
  json::object over_time = {};    ///< its course, interval by interval, if asked for; of the first trial only
};

/// The form in which a trial is sent from one process to another.
template <class Result, class Host>
json::object to_json(Trial<Result, Host> trial) {
  return {{"result", write_figures(trial.result)},
          {"statistics", std::move(trial.statistics)},
          {"host", write_figures(trial.host)},
          {"explain", std::move(trial.explanation)},
          {"over_time", std::move(trial.over_time)}};
}

/// The document of a run: "result", the mean of the trials; "host", their cost; "statistics" and, if asked for,
/// "explain" and "over_time", of the first trial; and "trials", each with its seed and the keys of the result.
json::object run_document(std::uint64_t seed, std::vector<json::object> trials, const Type& result, const Type& host);
template <FigureSection Result, FigureSection Host = HostFigures>
json::object run_document(std::uint64_t seed, std::vector<json::object> trials) {
  return run_document(seed, std::move(trials), type_of<Result>(), type_of<Host>());
}

/// The JSON Schema (draft 2020-12) of the file that `platform` writes with --output, for programs that read results.
/// `config` is a configuration that has its defaults; `over_time` is Result::OverTime, the figures of a trial's course,
/// or null.
json::object result_schema(const std::string& platform, ConstRef config, const Type& result, const Type& host,
                           const Type* over_time);
template <Described Config, FigureSection Result, FigureSection Host = HostFigures>
json::object result_schema(const std::string& platform) {
  const Type* over_time = nullptr;
  if constexpr (requires { typename Result::OverTime; }) over_time = &type_of<typename Result::OverTime>();
  return result_schema(platform, Object(&type_of<Config>()).ref(), type_of<Result>(), type_of<Host>(), over_time);
}

}  // namespace sunstar::kit
