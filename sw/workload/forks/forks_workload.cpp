// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "sw/workload/forks/params.h"
#include "sw/workload/workload.h"

namespace sunstar::workload {
namespace {

/// The records of one processor, fork after fork, cut at the ends of blocks.
class Records final : public AccessSource {
 public:
  Records(const ForkRequests& requests, std::uint32_t block_bytes) : r_(requests), block_bytes_(block_bytes) {}

  bool next(Access& next) override {
    if (done_ == r_.record) {
      done_ = 0;
      if (++record_ == r_.quant) {
        record_ = 0;
        ++fork_;
      }
    }
    if (fork_ == r_.forks || r_.quant == 0) return false;
    const std::uint64_t at = r_.offset + record_ * r_.f_stride + done_, block = at / block_bytes_;
    next = {};
    next.file = r_.file;
    next.operation = r_.operation;
    next.offset = (block * r_.forks + fork_) * block_bytes_ + at % block_bytes_;
    next.memory = r_.memory + fork_ * r_.memory_of_fork + record_ * r_.m_stride + done_;
    next.bytes = std::min(r_.record - done_, (block + 1) * block_bytes_ - at);
    done_ += next.bytes;
    return true;
  }

 private:
  const ForkRequests r_;
  const std::uint32_t block_bytes_;
  std::uint64_t record_ = 0, done_ = 0;
  std::uint32_t fork_ = 0;
};

/// A file with a fork on every disk. To file systems without forks it is a linear file whose blocks go to the disks in
/// turn, and each record is a call, or several if it lies in several blocks. There are no collectives: a file system
/// with forks has its own requests.
class ForksWorkload final : public Workload {
 public:
  ForksWorkload(const ForksParams& params, const MachineSizes& machine) : params_(params), machine_(machine) {
    const std::uint64_t fork = params.fork_size.count, record = params.record_size.count;
    const bool shared = params.pattern != ForkPattern::broadcast;
    const std::uint64_t readers = shared ? machine.processors : 1;
    const std::uint64_t unit = std::lcm(record * readers, std::uint64_t{machine.block_bytes});
    if (fork % unit != 0)
      throw ConfigError("workload.fork_size is ", fork,
                        " bytes; it must be a whole number of blocks (file_system.block_size) and of records",
                        shared ? " for each of the " + std::to_string(readers) + " processors" : "", ", a multiple of ",
                        unit, ".");
    requests_.operation = params.operation == ForkOperation::read ? Operation::read : Operation::write;
    requests_.interface = params.interface;
    requests_.permissions = params.permissions;
    requests_.forks = machine.disks;
    requests_.record = requests_.m_stride = record;
    requests_.f_stride = params.pattern == ForkPattern::interleaved ? record * readers : record;
    const std::uint64_t all = fork / (record * readers);
    if (params.records > all)
      throw ConfigError("workload.records is ", params.records, "; each processor has ", all,
                        " of a fork (workload.fork_size).");
    requests_.quant = params.records > 0 ? params.records : all;
    requests_.memory_of_fork = requests_.quant * record;
    const bool created = params.operation == ForkOperation::create;
    const std::uint64_t written = requests_.quant * record * readers;
    if (created && written % machine.block_bytes != 0)
      throw ConfigError("workload.records is ", params.records, ", so that a new fork has ", written,
                        " bytes; it must have a whole number of blocks (file_system.block_size).");
    part_ = (created ? written : fork) / readers;
    const bool reads = requests_.operation == Operation::read, whole = created || requests_.quant == all;
    files_.push_back({"forks", part_ * readers * machine.disks, reads, !reads, whole, created});
    // A record that begins at a block's end takes a call more than one that begins at a block: count each.
    for (std::uint32_t p = 0; p < machine.processors; ++p) {
      const ForkRequests mine = *fork_requests(p);
      for (std::uint64_t r = 0; r < mine.quant; ++r) {
        const std::uint64_t at = mine.offset + r * mine.f_stride;
        accesses_ += (at + record - 1) / machine.block_bytes - at / machine.block_bytes + 1;
      }
    }
    accesses_ *= machine.disks;
  }

  std::uint32_t processors() const override { return machine_.processors; }
  std::uint64_t memory_bytes(std::uint32_t) const override { return machine_.disks * requests_.memory_of_fork; }
  std::unique_ptr<AccessSource> accesses(std::uint32_t processor) const override {
    return std::make_unique<Records>(*fork_requests(processor), machine_.block_bytes);
  }

  std::optional<ForkRequests> fork_requests(std::uint32_t processor) const override {
    ForkRequests mine = requests_;
    if (params_.pattern == ForkPattern::interleaved) mine.offset = processor * requests_.record;
    if (params_.pattern == ForkPattern::partitioned) mine.offset = processor * part_;
    return mine;
  }

  std::uint64_t bytes_moved() const override { return machine_.processors * memory_bytes(0); }
  std::uint64_t access_count() const override { return accesses_; }

 private:
  ForksParams params_;
  MachineSizes machine_;
  ForkRequests requests_;   // of processor 0
  std::uint64_t part_ = 0;  // bytes of a fork for each processor
  std::uint64_t accesses_ = 0;
};

}  // namespace

void check(const ForksParams& params, const std::string& path, Problems& problems) {
  if (params.pattern == ForkPattern::broadcast && params.operation != ForkOperation::read)
    problems.add(json_path(path, "pattern"),
                 "is broadcast; only reads can be, because every processor would write the whole file");
}

std::unique_ptr<Workload> make(const ForksParams& params, const MachineSizes& machine) {
  return std::make_unique<ForksWorkload>(params, machine);
}

}  // namespace sunstar::workload
