// SPDX-License-Identifier: MIT
#include "sw/os/counted.h"
#include "sw/workload/sharing/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {

namespace {

/// A share of a sequence, spread evenly over it, as Bresenham's line spreads its steps. The share counts in millionths.
class EvenShare {
 public:
  explicit EvenShare(double share) : millionths_(static_cast<std::uint64_t>(std::llround(share * 1e6))) {}
  /// How many of the first `items` belong to it: share * items, rounded down. At most 2^43 items.
  std::uint64_t among(std::uint64_t items) const { return items * millionths_ / 1'000'000; }
  /// Whether the item with that index does.
  bool has(std::uint64_t index) const { return among(index + 1) > among(index); }

 private:
  std::uint64_t millionths_;
};

/// How many of `requests` to one file ask for new bytes.
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

/// Instances of one application, each of p processes: processor k * p + i is process i of instance k, on node i
/// (`same`) or k * p + i (`different`). Process i uses the part [i / p, (i + 1) / p) of the files "shared" and
/// "private<k>"; a file without requests does not exist. docs/workloads.md, "Sharing", says why.
///
/// The requests of one file come in groups: a new one, for the d bytes that follow the last, and at once its
/// repeats, so that a cache that holds a single request holds what is repeated. Request k of a file is a repeat if k >
/// 0 and floor((k + 1) l) > floor(k l). The group that begins with request j of a sequence, counted from 0, goes to the
/// shared file if that has had less than floor((j + 1) s) requests. There are no collectives, which cannot repeat a
/// request. Each request has a place of its own in its process's buffer, so that every read is checked where it was
/// put.
class SharingWorkload final : public Workload {
 public:
  SharingWorkload(const SharingParams& params, const MachineSizes& machine) : params_(validated(params, "workload")) {
    const std::uint32_t nodes = params.nodes * (params.placement == Placement::same ? 1 : params.instances);
    if (nodes > machine.processors)
      throw ConfigError("workload.nodes is " + std::to_string(params.nodes) + ", for which " + std::to_string(nodes) +
                        " nodes are needed in all (workload.instances, workload.placement); " + "the machine has " +
                        std::to_string(machine.processors) + " compute processors.");
    const SequenceCounts counts(params);
    requests_ = counts.all * params.iterations;
    const bool reads = params.operation == SharingOperation::read;
    const auto add = [&](std::string name, std::uint64_t new_requests) {
      const bool whole = new_requests * params.request_size.count * params.nodes == params.file_size.count;
      files_.push_back({std::move(name), params.file_size.count, reads, !reads, whole});
    };
    if (counts.shared > 0) add("shared", counts.new_shared);
    first_private_ = static_cast<std::uint32_t>(files_.size());
    if (counts.shared < counts.all)
      for (std::uint32_t k = 0; k < params.instances; ++k) add("private" + std::to_string(k), counts.new_private);
  }

  std::uint32_t processors() const override { return params_.nodes * params_.instances; }
  std::uint32_t node(std::uint32_t processor) const override {
    return params_.placement == Placement::same ? processor % params_.nodes : processor;
  }
  std::vector<TeamRange> teams() const override {
    std::vector<TeamRange> all;
    for (std::uint32_t k = 0; k < params_.instances; ++k) all.push_back({k * params_.nodes, params_.nodes});
    return all;
  }
  std::uint64_t memory_bytes(std::uint32_t) const override { return requests_ * params_.request_size.count; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override;
  std::uint64_t bytes_moved() const override { return params_.bytes.count * params_.instances; }
  std::uint64_t access_count() const override { return requests_ * processors(); }
  Totals totals(Unit unit, std::uint32_t) const override {
    return unit == Unit::call ? Totals{requests_ * params_.nodes, params_.bytes.count} : Totals{};
  }

 private:
  class Requests;
  SharingParams params_;
  std::uint64_t requests_ = 0;       // of a process
  std::uint32_t first_private_ = 0;  // index of instance 0's file
};

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
    std::uint64_t last = 0, next = 0;  // offsets: of the last request, and of the next new one
    std::uint64_t requests = 0;
  };
  /// Whether the next request to that file repeats the last one.
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

std::unique_ptr<AccessSource> SharingWorkload::accesses(std::uint32_t processor) const {
  return std::make_unique<Requests>(*this, processor);
}

}  // namespace

void check(const SharingParams& params, const std::string& path, Problems& problems) {
  const std::uint64_t d = params.request_size.count;
  std::uint64_t round = 0;
  if (__builtin_mul_overflow(d, std::uint64_t{params.nodes} * params.iterations, &round)) round = ~std::uint64_t{0};
  const std::size_t found_before = problems.count();
  if (params.bytes.count == 0 || params.bytes.count % round != 0)
    problems.add(json_path(path, "bytes"),
                 "is " + std::to_string(params.bytes.count) +
                     "; it must be a multiple of request_size times nodes times iterations, " + std::to_string(round) +
                     " bytes");
  if (params.file_size.count % params.nodes != 0)
    problems.add(json_path(path, "file_size"), "is " + std::to_string(params.file_size.count) +
                                                   "; it must be a multiple of nodes, " + std::to_string(params.nodes));
  if (problems.count() > found_before) return;
  const SequenceCounts counts(params);
  const std::uint64_t needed = std::max(counts.new_shared, counts.new_private) * d * params.nodes;
  if (needed > params.file_size.count)
    problems.add(json_path(path, "file_size"), "is " + std::to_string(params.file_size.count) +
                                                   " bytes; it must be at least the " + std::to_string(needed) +
                                                   " that the " + std::to_string(params.nodes) +
                                                   " processes ask for together in a file");
}

std::unique_ptr<Workload> make(const SharingParams& params, const MachineSizes& machine) {
  return std::make_unique<SharingWorkload>(params, machine);
}

}  // namespace sunstar::workload
