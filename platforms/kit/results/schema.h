// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "platforms/kit/host.h"
#include "platforms/kit/type_of.h"

// The JSON Schema (draft 2020-12) of a whole result file, from the declarations of its figures, for programs that read
// results.
namespace sunstar::kit {

/// The schema of the file that `platform` writes with --output. `config` is a configuration that has its defaults.
json::object result_schema(const std::string& platform, ConstRef config, const Type& result, const Type& host);
template <Described Config, FigureSection Result, FigureSection Host = HostFigures>
json::object result_schema(const std::string& platform) {
  return result_schema(platform, Object(&type_of<Config>()).ref(), type_of<Result>(), type_of<Host>());
}

}  // namespace sunstar::kit
