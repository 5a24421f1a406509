// SPDX-License-Identifier: MIT
#include "sw/workload/sharing/sharing_workload.h"

#include <string>

#include "models/core/error.h"
#include "sw/os/counted.h"

namespace sunstar::workload {

namespace {

/// Of `requests` to one file, how many ask for bytes that the process has not asked for before.
std::uint64_t new_ones(std::uint64_t requests, const EvenShare& locality) {
  return requests == 0 ? 0 : std::max<std::uint64_t>(requests - locality.among(requests), 1);
}

/// Requests of one process in one iteration.
struct SequenceCounts {
  explicit SequenceCounts(const SharingParams& p)
      : all(p.bytes.count / (p.request_size.count * p.nodes * p.iterations)),
        shared(EvenShare(p.sharing).among(all)),
        new_shared(new_ones(shared, EvenShare(p.locality))),
        new_private(new_ones(all - shared, EvenShare(p.locality))) {}
  std::uint64_t all, shared, new_shared, new_private;
};

}  // namespace

/// The requests of one process.
class SharingWorkload::Requests final : public AccessSource {
 public:
  Requests(const SharingWorkload& work, std::uint32_t processor)
      : locality_(work.params_.locality),
        sharing_(work.params_.sharing),
        all_(work.requests_),
        sequence_(work.requests_ / work.params_.iterations),
        private_file_(work.first_private_ + processor / work.params_.nodes) {
    const SharingParams& p = work.params_;
    request_.bytes = p.request_size.count;
    request_.operation = p.operation == SharingOperation::read ? Operation::read : Operation::write;
    request_.coherent = p.operation == SharingOperation::sync_write;
    begin_ = p.file_size.count / p.nodes * (processor % p.nodes);
  }

  bool next(Access& next) override {
    const os::NotOnTheMachine mark;  // the application
    if (made_ == all_) return false;
    const std::uint64_t j = made_ % sequence_;
    if (j == 0) shared_ = private_ = {begin_, begin_};
    if (j == 0 || !repeats(*part_)) {
      part_ = shared_.requests < sharing_.among(j + 1) ? &shared_ : &private_;
      part_->last = part_->next;
      part_->next += request_.bytes;
    }
    ++part_->requests;
    next = request_;
    next.file = part_ == &shared_ ? 0 : private_file_;
    next.offset = part_->last;
    next.memory = made_ * request_.bytes;
    ++made_;
    return true;
  }

 private:
  /// Of a file.
  struct Part {
    std::uint64_t last = 0, next = 0;  // offsets: asked for last, and asked for by nobody yet
    std::uint64_t requests = 0;
  };
  /// Whether the next request to that file asks again for what the last one had.
  bool repeats(const Part& part) const { return locality_.has(part.requests) && part.requests < total(part); }
  std::uint64_t total(const Part& part) const {
    const std::uint64_t shared = sharing_.among(sequence_);
    return &part == &shared_ ? shared : sequence_ - shared;
  }

  const EvenShare locality_, sharing_;
  const std::uint64_t all_, sequence_;
  const std::uint32_t private_file_;
  Access request_;
  std::uint64_t begin_, made_ = 0;
  Part shared_, private_;
  Part* part_ = nullptr;  // of the last request
};

SharingWorkload::SharingWorkload(const SharingParams& params, const MachineSizes& machine) : params_(params) {
  Problems problems;
  check(params, "workload", problems);
  problems.throw_if_any();
  const std::uint32_t nodes = params.nodes * (params.placement == Placement::same ? 1 : params.instances);
  if (nodes > machine.processors)
    throw ConfigError("workload.nodes is " + std::to_string(params.nodes) + ", for which " + std::to_string(nodes) +
                      " nodes are needed in all (workload.instances, workload.placement); " + "the machine has " +
                      std::to_string(machine.processors) + " compute processors.");
  const SequenceCounts counts(params);
  requests_ = counts.all * params.iterations;
  const auto add = [&](std::string name, std::uint64_t new_requests) {
    FileSpec file;
    file.name = std::move(name);
    file.bytes = params.file_size.count;
    file.read = params.operation == SharingOperation::read;
    file.written = !file.read;
    file.whole = new_requests * params.request_size.count * params.nodes == file.bytes;
    files_.push_back(file);
  };
  if (counts.shared > 0) add("shared", counts.new_shared);
  first_private_ = static_cast<std::uint32_t>(files_.size());
  if (counts.shared < counts.all)
    for (std::uint32_t k = 0; k < params.instances; ++k) add("private" + std::to_string(k), counts.new_private);
}

std::vector<TeamRange> SharingWorkload::teams() const {
  std::vector<TeamRange> all;
  for (std::uint32_t k = 0; k < params_.instances; ++k) all.push_back({k * params_.nodes, params_.nodes});
  return all;
}

std::unique_ptr<AccessSource> SharingWorkload::accesses(std::uint32_t processor) const {
  return std::make_unique<Requests>(*this, processor);
}

Workload::Totals SharingWorkload::totals(Unit unit, std::uint32_t) const {
  return unit == Unit::call ? Totals{requests_ * params_.nodes, params_.bytes.count} : Totals{};
}

void check(const SharingParams& params, const std::string& path, Problems& problems) {
  const std::uint64_t d = params.request_size.count, round = d * params.nodes * params.iterations;
  const std::size_t found_before = problems.count();
  if (params.bytes.count == 0 || params.bytes.count % round != 0)
    problems.add(json_path(path, "bytes"), "is " + std::to_string(params.bytes.count) +
                                               "; it must be a multiple of request_size times nodes times "
                                               "iterations, " +
                                               std::to_string(round) + " bytes");
  if (params.file_size.count % params.nodes != 0)
    problems.add(json_path(path, "file_size"), "is " + std::to_string(params.file_size.count) +
                                                   "; it must be a multiple of nodes, " + std::to_string(params.nodes));
  if (problems.count() > found_before) return;
  const SequenceCounts counts(params);
  const std::uint64_t needed = std::max(counts.new_shared, counts.new_private) * d * params.nodes;
  if (needed > params.file_size.count)
    problems.add(json_path(path, "file_size"),
                 "is " + std::to_string(params.file_size.count) + "; the " + std::to_string(params.nodes) +
                     " processes ask for different bytes of a file, " + std::to_string(needed) + " together");
}

std::unique_ptr<Workload> make(const SharingParams& params, const MachineSizes& machine) {
  return std::make_unique<SharingWorkload>(params, machine);
}

}  // namespace sunstar::workload
