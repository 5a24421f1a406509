// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>

#include "models/core/one_of.h"
#include "models/core/param.h"
#include "sw/workload/exchange/params.h"
#include "sw/workload/forks/params.h"
#include "sw/workload/ior/params.h"
#include "sw/workload/pattern/params.h"
#include "sw/workload/records/params.h"
#include "sw/workload/sharing/params.h"
#include "sw/workload/streams/params.h"
#include "sw/workload/subset/params.h"
#include "sw/workload/trace/params.h"
#include "sw/workload/training/params.h"
#include "sw/workload/workload.h"

// The registry of workloads. Each workload has a folder of its own whose params.h declares
//
//   struct Params              its parameters, described, with `kind`, its name in the configuration, and `help`
//   std::unique_ptr<Workload> make(const Params&, const MachineSizes&)   throws ConfigError
namespace sunstar::workload {

/// The kinds of workload. A new one is one more line here and its include above; the first is the default.
using Kinds = OneOf<  //
    PatternParams,    //
    TraceParams,      //
    RecordsParams,    //
    SubsetParams,     //
    ForksParams,      //
    SharingParams,    //
    StreamsParams,    //
    ExchangeParams,   //
    IorParams,        //
    TrainingParams>;

/// One of several applications that run at the same time.
struct JobParams {
  std::uint32_t processors = 1;
  bool calls = false;
  Kinds kind;
};
BOOST_DESCRIBE_STRUCT(JobParams, (), (processors, calls, kind))
inline std::vector<Param> parameters(const JobParams*) {
  return {{"processors", "compute processors of this application, behind those of earlier jobs", "1", "65536"},
          {"calls",
           "whether the application makes calls rather than collectives on a file system that offers both: hybrid"},
          {"kind", "what the application does"}};
}

/// What the applications do.
struct WorkloadParams {
  Kinds kind;
  Duration start_spread{};
  std::vector<JobParams> jobs;
  bool compare_alone = true;
};
BOOST_DESCRIBE_STRUCT(WorkloadParams, (), (kind, start_spread, jobs, compare_alone))
inline std::vector<Param> parameters(const WorkloadParams*) {
  return {
      Param{"kind", "what the applications do"}.used_if("jobs", {"[]"}),
      Param{
          "start_spread",
          "how long a compute processor waits at most before its first call: a random time, uniform from zero to this",
          "0ns", "1s"}
          .used_unless("kind", "streams")
          .used_unless("jobs", "[]"),
      {"jobs",
       "several applications at the same time instead of one, each with its own processors, files and parameters; "
       "together they have all compute processors"},
      Param{"compare_alone", "whether each trial also runs each job alone, to see how much the others slow it down"}
          .used_unless("jobs", "[]"),
  };
}

/// Makes the workload that the parameters name, or that of all jobs. With `alone`, only that job has something to do,
/// in the same place and with the same files. Throws ConfigError if the jobs' processors are not those of the machine.
std::unique_ptr<Workload> make(const WorkloadParams& params, const MachineSizes& machine,
                               std::optional<std::uint32_t> alone = {});

}  // namespace sunstar::workload
