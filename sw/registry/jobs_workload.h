// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "sw/registry/workloads.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

/// Several applications at the same time, each on its own compute processors and with its own files.
class JobsWorkload : public Workload {
 public:
  /// Throws ConfigError if the jobs' processors are not those of the machine. With `alone`, only that job has something
  /// to do, in the same place and with the same files.
  JobsWorkload(const std::vector<JobParams>& jobs, const MachineSizes& machine,
               std::optional<std::uint32_t> alone = {});

  std::uint32_t processors() const override { return processors_; }
  std::uint32_t node(std::uint32_t processor) const override;
  std::vector<TeamRange> teams() const override;
  std::string path(std::uint32_t team) const override;
  std::uint64_t memory_bytes(std::uint32_t processor) const override;
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  std::optional<ForkRequests> fork_requests(std::uint32_t processor) const override;
  std::uint64_t bytes_moved() const override { return sum(&Workload::bytes_moved); }
  std::uint64_t access_count() const override { return sum(&Workload::access_count); }
  std::uint64_t collective_bytes() const override { return sum(&Workload::collective_bytes); }
  bool stops_by_time() const override;
  void carried_out(const Collective& collective, Time begin, Time end) const override;
  std::unique_ptr<Oracle> oracle() const override;
  /// Those of each job in a section of its own.
  void add_figures(NamedFigures& sections) const override;
  std::vector<std::string> warnings() const override;

  Totals totals(Unit unit, std::uint32_t team) const override;

 private:
  class Oracles;
  struct Job {
    std::unique_ptr<Workload> workload;
    TeamRange range;
    std::uint32_t first_file = 0;
    bool active = true;
  };
  const Job& job_of(std::uint32_t processor) const;
  std::uint64_t sum(std::uint64_t (Workload::*count)() const) const;

  std::uint32_t processors_;
  std::vector<Job> jobs_;
};

}  // namespace sunstar::workload
