// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "platforms/kit/results/document.h"
#include "platforms/kit/run/watch.h"
#include "platforms/kit/statistics_text.h"
#include "platforms/machine/assembly/blueprint.h"
#include "platforms/machine/assembly/faults.h"
#include "platforms/machine/report/results.h"
#include "sw/io/volume.h"
#include "sw/registry/file_systems.h"
#include "sw/registry/workloads.h"
#include "sw/workload/job.h"

namespace sunstar::machine {

/// The contents of files: descriptions of their bytes' origin (models/core/content), or bytes.
BOOST_DEFINE_FIXED_ENUM_CLASS(Data, std::uint8_t, described, bytes)

/// Lays the workload's files out on the store; `seed` drives the layouts. Throws ConfigError if they do not fit.
io::Volume place_files(const workload::Workload& workload, io::Store& store,
                       const file_systems::FileSystemParams& params, std::uint64_t seed);

/// Writes the content that every file has before the run to the store.
void fill_media(const workload::Workload& workload, io::Store& store, const io::Volume& volume, Data data);

/// Tells the stores which sectors belong to new files.
void leave_blank(const workload::Workload& workload, io::Nodes& nodes, const io::Volume& volume);

/// Fills each processor's buffer with the bytes that the processor will write.
void fill_memories(const workload::Job& job, Data data);

struct Plan {
  file_systems::FileSystemParams file_system;
  workload::WorkloadParams workload;
  std::vector<Fault> faults;
  std::optional<std::uint32_t> only_job;  ///< of workload.jobs: the others do nothing
  Data data = Data::described;
  std::filesystem::path records{};  ///< a file for each call or collective (records.h); none if empty
  kit::By statistics = kit::By::automatic;
  Duration interval{};  ///< of the report over time; 0: there is none
};

using MakeFileSystem = std::function<std::unique_ptr<file_systems::FileSystem>(file_systems::Run&)>;

/// One trial in this process: builds the machine, lays out and fills the files, runs, checks every byte. Throws
/// ConfigError, or SimulationError for a deadlock, wrong bytes, lost requests, or monitors on the sockets that counted
/// other bytes than the models report. `seed` determines all random choices. `make` makes the file system; without it,
/// the run uses the one that the plan names. With several jobs, each also runs alone first, in a process of its own, if
/// the plan asks for the comparison.
kit::Trial<Result> run_trial(const Blueprint& blueprint, const Plan& plan, std::uint64_t seed,
                             const kit::Watch& watch = {}, const MakeFileSystem& make = {});

/// Throws ConfigError if the plan's kind of file system cannot meet the demands of the workload or the faults
/// (requirements.cpp).
void require_capable(const Plan& plan, const workload::Workload& workload);

/// Builds the machine and lays out the files; throws if something is wrong with them.
void check(const Blueprint& blueprint, const Plan& plan, std::uint64_t seed);

/// Sentences without a full stop about a machine whose nodes are written out (Blueprint::machine) and its plan: what is
/// legal but hardly meant, such as a drive that is faster than its bus. A rule is a function in warnings.cpp and a line
/// in the list of rules there; its test stands in tests/machine/warnings_test.cpp.
std::vector<std::string> warnings(const MachineParams& machine, const Plan& plan);

}  // namespace sunstar::machine
