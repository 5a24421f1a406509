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

 private:
  std::uint64_t millionths_;
};

struct SequenceCounts {
  explicit SequenceCounts(const SharingParams& p)
      : set(std::max<std::uint64_t>(p.working_set.count / p.request_size.count, 1)),
        all(p.bytes.count / (p.request_size.count * p.nodes * p.iterations)),
        shared(EvenShare(p.sharing).among(all)),
        new_shared(new_ones(shared, p)),
        new_private(new_ones(all - shared, p)) {}
  std::uint64_t set;  ///< that a working set has
  std::uint64_t all, shared, new_shared, new_private;

 private:
  /// How many of `requests` to one file ask for new bytes. If all are repeats, those of the first working set do.
  std::uint64_t new_ones(std::uint64_t requests, const SharingParams& p) const {
    const std::uint64_t fresh = requests - EvenShare(p.locality).among(requests);
    return fresh > 0 ? fresh : std::min(requests, set);
  }
};

/// Instances of one application, each of p processes: processor k * p + i is process i of instance k, on node i
/// (`same`) or k * p + i (`different`). Process i uses the part [i / p, (i + 1) / p) of the files "shared" and
/// "private<k>"; a file without requests does not exist. docs/workloads.md, "Sharing", says why.
///
/// Request j of a sequence, counted from 0, goes to the shared file if that has had less than floor((j + 1) s)
/// requests. Of one file, a process asks for a working set, request after request, and then for the same again, in the
/// same order, until a share l of its requests have been repeats; then for the next working set, which follows in the
/// file. So a cache that holds the working sets of its node's processes holds what is repeated. There are no
/// collectives, which cannot repeat a request. Each request has a place of its own in its process's buffer, so that
/// every read is checked where it was put.
class SharingWorkload final : public Workload {
 public:
  SharingWorkload(const SharingParams& params, const MachineSizes& machine) : params_(validated(params, "workload")) {
    const std::uint32_t nodes = params.nodes * (params.placement == Placement::same ? 1 : params.instances);
    if (nodes > machine.processors)
      throw ConfigError("workload.nodes is ", params.nodes, ", for which ", nodes,
                        " nodes are needed in all (workload.instances, workload.placement); the machine has ",
                        machine.processors, " compute processors.");
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

class SharingWorkload::Requests final : public AccessSource {
 public:
  Requests(const SharingWorkload& work, std::uint32_t processor)
      : locality_(work.params_.locality),
        sharing_(work.params_.sharing),
        counts_(work.params_),
        all_(work.requests_),
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
    const std::uint64_t j = made_ % counts_.all;
    if (j == 0) {
      shared_ = {.fresh = counts_.new_shared};
      private_ = {.fresh = counts_.new_private};
    }
    const bool shared = shared_.made < sharing_.among(j + 1);
    next = request_;
    next.file = shared ? 0 : private_file_;
    next.offset = begin_ + place(shared ? shared_ : private_) * request_.bytes;
    next.memory = made_ * request_.bytes;
    ++made_;
    return true;
  }

 private:
  /// Of a file.
  struct Part {
    std::uint64_t fresh = 0;           // new requests there will be
    std::uint64_t made = 0, seen = 0;  // requests, and new ones
    std::uint64_t repeated = 0;        // of the working set
  };
  /// Where in its part of the file the next request lies, in requests.
  std::uint64_t place(Part& part) const {
    ++part.made;
    const std::uint64_t first = part.seen == 0 ? 0 : (part.seen - 1) / counts_.set * counts_.set;
    const bool complete = part.seen == part.fresh || (part.seen > 0 && part.seen % counts_.set == 0);
    if (complete && part.made - locality_.among(part.made) <= part.seen)
      return first + part.repeated++ % (part.seen - first);
    part.repeated = 0;
    return part.seen++;
  }

  const EvenShare locality_, sharing_;
  const SequenceCounts counts_;
  const std::uint64_t all_;
  const std::uint32_t private_file_;
  Access request_;
  std::uint64_t begin_, made_ = 0;
  Part shared_, private_;
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
    problems.add(json_path(path, "bytes"), "is ", params.bytes.count,
                 "; it must be a multiple of request_size times nodes times iterations, ", round, " bytes");
  if (params.file_size.count % params.nodes != 0)
    problems.add(json_path(path, "file_size"), "is ", params.file_size.count, "; it must be a multiple of nodes, ",
                 params.nodes);
  if (problems.count() > found_before) return;
  const SequenceCounts counts(params);
  const std::uint64_t needed = std::max(counts.new_shared, counts.new_private) * d * params.nodes;
  if (needed > params.file_size.count)
    problems.add(json_path(path, "file_size"), "is ", params.file_size.count, " bytes; it must be at least the ",
                 needed, " that the ", params.nodes, " processes ask for together in a file");
}

std::unique_ptr<Workload> make(const SharingParams& params, const MachineSizes& machine) {
  return std::make_unique<SharingWorkload>(params, machine);
}

}  // namespace sunstar::workload
