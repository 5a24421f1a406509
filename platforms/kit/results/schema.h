// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "platforms/kit/host.h"
#include "platforms/kit/type_of.h"

// The JSON Schema (draft 2020-12) of a whole result file, from the declarations of its figures, for programs that read
// results.
namespace sunstar::kit {

/// The schema of the file that `platform` writes with --output. `config` is a configuration that has its defaults;
/// `over_time` is Result::OverTime, the figures of a trial's course, or null.
json::object result_schema(const std::string& platform, ConstRef config, const Type& result, const Type& host,
                           const Type* over_time);
template <Described Config, FigureSection Result, FigureSection Host = HostFigures>
json::object result_schema(const std::string& platform) {
  const Type* over_time = nullptr;
  if constexpr (requires { typename Result::OverTime; }) over_time = &type_of<typename Result::OverTime>();
  return result_schema(platform, Object(&type_of<Config>()).ref(), type_of<Result>(), type_of<Host>(), over_time);
}

}  // namespace sunstar::kit
