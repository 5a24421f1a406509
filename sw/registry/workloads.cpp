// SPDX-License-Identifier: MIT
#include "sw/registry/workloads.h"

#include <boost/algorithm/string/replace.hpp>

#include "sw/requests/distributions/placed_mapping.h"

namespace sunstar::workload {

namespace {

/// The contents of files depend on their numbers, and those of records decide where they go.
template <class Params>
std::unique_ptr<Workload> make_job(const Params& params, const MachineSizes& machine, std::uint32_t) {
  return make(params, machine);
}
std::unique_ptr<Workload> make_job(const RecordsParams& params, const MachineSizes& machine, std::uint32_t first_file) {
  return make(params, machine, first_file);
}
std::unique_ptr<Workload> make_job(const StreamsParams&, const MachineSizes&, std::uint32_t) {
  throw ConfigError(
      "workload.kind is streams, which uses all nodes of the machine and shares them with no other job; leave it out.");
}

/// The same. In a kind's messages, "workload.file_size" then becomes the job's parameter.
std::unique_ptr<Workload> make_job(const JobParams& job, MachineSizes machine, std::size_t number,
                                   std::uint32_t first_file) {
  machine.processors = job.processors;
  return job.kind.visit([&]<class Kind>(const Kind& kind) {
    try {
      return make_job(kind, machine, first_file);
    } catch (const ConfigError& error) {
      std::string sentence = error.what();
      boost::replace_all(sentence, "workload.kind", "workload.jobs." + std::to_string(number) + ".kind");
      for (const Param& p : parameters(static_cast<const Kind*>(nullptr)))
        boost::replace_all(sentence, "workload." + p.name.text(),
                           "workload.jobs." + std::to_string(number) + "." + p.name.text());
      throw ConfigError(sentence);
    }
  });
}

/// Several applications at the same time, each on its own compute processors and with its own files.
class JobsWorkload final : public Workload {
 public:
  JobsWorkload(const std::vector<JobParams>& jobs, const MachineSizes& machine, std::optional<std::uint32_t> alone)
      : processors_(machine.processors) {
    const std::uint32_t processors = machine.processors;
    std::uint32_t first = 0;
    for (const JobParams& params : jobs) {
      Job job;
      job.range = {first, params.processors, params.calls};
      job.first_file = static_cast<std::uint32_t>(files_.size());
      job.active = !alone || *alone == jobs_.size();
      job.workload = make_job(params, machine, jobs_.size(), job.first_file);
      if (job.workload->processors() != params.processors)
        throw ConfigError("workload.jobs.", jobs_.size(), ".processors is ", params.processors, ", but ",
                          params.kind.kind_name(), " has ", job.workload->processors(),
                          " processes here; the numbers must be equal.");
      if (params.calls && job.workload->access_count() == 0)
        throw ConfigError(
            "workload.jobs.", jobs_.size(),
            ".calls is true, but records that are distributed by their bytes are a collective; leave it out.");
      for (FileSpec file : job.workload->files()) {
        file.name = "job" + std::to_string(jobs_.size()) + "/" + file.name;
        if (!job.active) {
          file.read = file.written = file.whole = file.blank = false;
          if (file.created) file.bytes = 0;  // no job creates it
        }
        files_.push_back(std::move(file));
      }
      if (job.active)
        for (Collective c : job.workload->collectives()) {
          c.file += job.first_file;
          c.team = static_cast<std::uint32_t>(jobs_.size());
          c.mapping = std::make_shared<requests::PlacedMapping>(c.mapping, first, processors,
                                                                std::vector<std::uint64_t>(params.processors));
          if (c.selection) {
            auto placed = std::make_shared<Selection>(*c.selection);
            placed->first = first;
            c.selection = std::move(placed);
          }
          collectives_.push_back(std::move(c));
        }
      first += params.processors;
      jobs_.push_back(std::move(job));
    }
    if (first != processors)
      throw ConfigError("workload.jobs: the jobs have ", first, " compute processors together; the machine has ",
                        processors, ", and each must belong to one job.");
  }

  std::uint32_t processors() const override { return processors_; }
  std::uint32_t node(std::uint32_t processor) const override {
    const Job& job = job_of(processor);
    return job.range.first + job.workload->node(processor - job.range.first);
  }

  std::vector<TeamRange> teams() const override { return mapped(jobs_, &Job::range); }

  std::string path(std::uint32_t team) const override { return "workload.jobs." + std::to_string(team); }
  std::uint64_t memory_bytes(std::uint32_t processor) const override {
    const Job& job = job_of(processor);
    return job.workload->memory_bytes(processor - job.range.first);
  }

  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override {
    const Job& job = job_of(processor);
    if (!job.active) return Workload::accesses(processor);
    /// The files' numbers are those among the files of all jobs.
    class Source final : public AccessSource {
     public:
      Source(std::unique_ptr<AccessSource> calls, std::uint32_t first_file)
          : calls_(std::move(calls)), first_file_(first_file) {}
      void tell(Time now) override { calls_->tell(now); }
      bool next(Access& next) override {
        const bool more = calls_->next(next);
        if (more) next.file += first_file_;
        return more;
      }

     private:
      std::unique_ptr<AccessSource> calls_;
      std::uint32_t first_file_;
    };
    return std::make_unique<Source>(job.workload->accesses(processor - job.range.first), job.first_file);
  }

  std::optional<ForkRequests> fork_requests(std::uint32_t processor) const override {
    const Job& job = job_of(processor);
    auto requests = job.active ? job.workload->fork_requests(processor - job.range.first) : std::nullopt;
    if (requests) requests->file += job.first_file;
    return requests;
  }

  ExchangeRounds* exchange(std::uint32_t team) const override {
    return jobs_[team].active ? jobs_[team].workload->exchange(0) : nullptr;
  }

  std::uint64_t bytes_moved() const override { return sum(&Workload::bytes_moved); }
  std::uint64_t access_count() const override { return sum(&Workload::access_count); }
  std::uint64_t collective_bytes() const override { return sum(&Workload::collective_bytes); }
  bool stops_by_time() const override {
    return std::ranges::any_of(jobs_, [](const Job& job) { return job.workload->stops_by_time(); });
  }

  void carried_out(const Collective& collective, Time begin, Time end) const override {
    jobs_[collective.team].workload->carried_out(collective, begin, end);
  }

  std::unique_ptr<Oracle> oracle() const override;
  /// Those of each job in a section of its own.
  void add_figures(NamedFigures& sections) const override {
    for (std::size_t j = 0; j < jobs_.size(); ++j)
      jobs_[j].workload->add_figures(sections.section("job" + std::to_string(j)));
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> all;
    for (std::size_t j = 0; j < jobs_.size(); ++j) {
      for (const std::string& sentence : jobs_[j].workload->warnings())
        all.push_back("job " + std::to_string(j) + ": " + sentence);
      if (jobs_[j].active && jobs_[j].workload->exchange(0) && !files_.empty())
        all.push_back("job " + std::to_string(j) +
                      " exchanges messages, whose bytes count in throughput and bytes_moved beside those of files");
    }
    return all;
  }

  Workload::Totals totals(Unit unit, std::uint32_t team) const override {
    Totals all;
    if (!jobs_[team].active) return all;
    // A job may itself run several applications (workload.kind sharing).
    const Workload& job = *jobs_[team].workload;
    for (std::uint32_t t = 0; t < job.teams().size(); ++t) {
      const Totals one = job.totals(unit, t);
      all.units += one.units;
      all.bytes += one.bytes;
    }
    return all;
  }

 private:
  class Oracles;
  struct Job {
    std::unique_ptr<Workload> workload;
    TeamRange range;
    std::uint32_t first_file = 0;
    bool active = true;
  };
  const JobsWorkload::Job& job_of(std::uint32_t processor) const {
    std::size_t j = 0;
    while (processor >= jobs_[j].range.first + jobs_[j].range.processors) ++j;
    return jobs_[j];
  }

  std::uint64_t sum(std::uint64_t (Workload::*count)() const) const {
    return sunstar::sum(jobs_, [&](const Job& job) { return job.active ? ((*job.workload).*count)() : 0; });
  }

  std::uint32_t processors_;
  std::vector<Job> jobs_;
};

class JobsWorkload::Oracles final : public Oracle {
 public:
  explicit Oracles(const JobsWorkload& all) : all_(all) {
    for (const Job& job : all.jobs_) inner_.push_back(job.workload->oracle());
  }

  void on_medium(std::uint32_t file, const std::function<void(const ExpectedBytes&)>& visit) const override {
    std::size_t j = 0;
    while (j + 1 < all_.jobs_.size() && all_.jobs_[j + 1].first_file <= file) ++j;
    if (!all_.jobs_[j].active) {
      if (all_.files_[file].bytes > 0) visit({file, 0, all_.files_[file].bytes, Version::before});
      return;
    }
    inner_[j]->on_medium(file - all_.jobs_[j].first_file, [&](ExpectedBytes expected) {
      expected.file = file;
      visit(expected);
    });
  }

  void in_memory(std::uint32_t processor, const std::function<void(const InMemory&)>& visit) const override {
    const Job& job = all_.job_of(processor);
    if (!job.active) return;
    const auto j = static_cast<std::size_t>(&job - all_.jobs_.data());
    inner_[j]->in_memory(processor - job.range.first, [&](InMemory expected) {
      if (auto* bytes = std::get_if<BytesInMemory>(&expected)) bytes->file += job.first_file;
      if (auto* records = std::get_if<RecordsInMemory>(&expected)) records->file += job.first_file;
      visit(expected);
    });
  }

 private:
  const JobsWorkload& all_;
  std::vector<std::unique_ptr<Oracle>> inner_;
};

std::unique_ptr<Oracle> JobsWorkload::oracle() const { return std::make_unique<Oracles>(*this); }

}  // namespace

std::unique_ptr<Workload> make(const WorkloadParams& params, const MachineSizes& machine,
                               std::optional<std::uint32_t> alone) {
  if (!params.jobs.empty()) return std::make_unique<JobsWorkload>(params.jobs, machine, alone);
  return params.kind.visit([&](const auto& kind) { return make(kind, machine); });
}

}  // namespace sunstar::workload
