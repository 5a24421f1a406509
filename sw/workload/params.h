// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <memory>
#include <vector>

#include "models/core/one_of.h"
#include "models/core/param.h"
#include "models/core/quantity.h"
#include "sw/workload/pattern/params.h"
#include "sw/workload/trace/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// The kinds of workload. A new kind is one more line here and its include above. Beside its parameters each kind
/// declares
///
///   std::unique_ptr<Workload> make(const Params&, std::uint32_t processors)   throws ConfigError
using Kinds = OneOf<  //
    PatternParams,
    TraceParams>;

/// What the applications do.
struct WorkloadParams {
  Kinds kind;
  Duration start_skew = std::chrono::nanoseconds{200};
};
BOOST_DESCRIBE_STRUCT(WorkloadParams, (), (kind, start_skew))
inline std::vector<Param> parameters(const WorkloadParams*) {
  return {
      {"kind", "what the applications do"},
      {"start_skew",
       "delay from the start of one compute processor to the start of the next: they start the program one after the "
       "other",
       "0ns", "1s"},
  };
}

std::unique_ptr<Workload> make(const PatternParams& params, std::uint32_t processors);
std::unique_ptr<Workload> make(const TraceParams& params, std::uint32_t processors);
/// Makes the workload that the parameters name.
std::unique_ptr<Workload> make(const WorkloadParams& params, std::uint32_t processors);

}  // namespace sunstar::workload
