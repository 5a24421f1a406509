// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <memory>
#include <vector>

#include "models/core/one_of.h"
#include "models/core/param.h"
#include "models/core/quantity.h"
#include "sw/workload/pattern/params.h"
#include "sw/workload/records/params.h"
#include "sw/workload/trace/params.h"
#include "sw/workload/workload.h"

// The registry of workloads. Each workload has a folder of its own whose params.h declares
//
//   struct Params              its parameters, described, with `kind`, its name in the configuration, and `help`
//   std::unique_ptr<Workload> make(const Params&, std::uint32_t processors)   throws ConfigError
namespace sunstar::workload {

/// The kinds of workload. A new one is one more line here and its include above; the first is the default.
using Kinds = OneOf<  //
    PatternParams,    //
    TraceParams,      //
    RecordsParams>;

/// What the applications do.
struct WorkloadParams {
  Kinds kind;
  Duration start_spread{};
};
BOOST_DESCRIBE_STRUCT(WorkloadParams, (), (kind, start_spread))
inline std::vector<Param> parameters(const WorkloadParams*) {
  return {
      {"kind", "what the applications do"},
      {"start_spread",
       "how long a compute processor waits at most before its first call: a random time, uniform from zero to this",
       "0ns", "1s"},
  };
}

/// Makes the workload that the parameters name.
std::unique_ptr<Workload> make(const WorkloadParams& params, std::uint32_t processors);

}  // namespace sunstar::workload
