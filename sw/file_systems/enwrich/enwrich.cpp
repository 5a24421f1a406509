// SPDX-License-Identifier: MIT
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/core/error.h"
#include "sw/file_systems/enwrich/client.h"
#include "sw/file_systems/enwrich/server.h"

namespace sunstar::file_systems::enwrich {
namespace {

/// ENWRICH (Purakayastha, Ellis and Kotz, "ENWRICH: a compute-processor write caching scheme for parallel file
/// systems", Duke CS-1995-22): every compute processor appends its writes to its own cache; when one cache is full, all
/// are flushed together, disk-directed. docs/file-systems/enwrich.md follows a write and a flush step by step.
class Enwrich final : public FileSystem {
 public:
  Enwrich(Run& run, const Params& params) : run_(run), params_(params), messages_(run.protocol.numbers) {}

  workload::Unit unit(std::uint32_t) const override { return workload::Unit::call; }
  void stop(std::uint32_t processor) override {
    counters_.losses.stops(run_.job, processor, true);
    clients_[processor]->count_cache(counters_.losses);
    ending_->stopped(processor);
  }
  const Losses& losses() const override { return counters_.losses; }
  void add_statistics(StatisticSet& set) override { counters_.add_statistics(set); }

  void start() override {
    const auto& compute = run_.nodes.compute;
    constexpr std::size_t most = 1 << 16;  // an entry has 16 bits for each
    if (run_.volume.file_count() > most || compute.size() > most)
      throw ConfigError(
          "file_system.kind \"enwrich\" numbers files and compute processors with 16 bits; this run has " +
          std::to_string(run_.volume.file_count()) + " files and " + std::to_string(compute.size()) + " processors.");
    flush_barrier_ = std::make_unique<messages::Barrier>(compute, run_.protocol.numbers);
    teams_ = std::make_unique<workload::Teams>(compute, *run_.job.workload, run_.job.record, run_.protocol.numbers);
    for (std::uint32_t p = 0; p < compute.size(); ++p)
      clients_.push_back(
          std::make_unique<Client>(run_, messages_, params_.enwrich, counters_, teams_->of(p), *flush_barrier_, p));
    for (std::uint32_t i = 0; i < run_.nodes.io.size(); ++i)
      servers_.push_back(
          std::make_unique<Server>(run_, messages_, params_, counters_, clients_.front()->most_entries(), i));
    for (auto& server : servers_) server->start();
    ending_.emplace(run_, [this](std::uint32_t p) { return clients_[p]->sync(); });
    for (auto& client : clients_) client->start(*ending_);
  }

 private:
  Run& run_;
  const Params params_;
  const Messages messages_;
  Counters counters_;
  std::unique_ptr<messages::Barrier> flush_barrier_;
  std::unique_ptr<workload::Teams> teams_;
  std::optional<Ending> ending_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Server>> servers_;
};

}  // namespace

std::unique_ptr<FileSystem> make(const Params& params, Run& run) { return std::make_unique<Enwrich>(run, params); }

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  // A compute processor has its write cache and two blocks for what it sends. An I/O processor has all directories,
  // none larger than its cache, and the block buffers.
  const std::uint64_t directories = sizes.disks_of_node > 0 ? sizes.compute_processors : 0;
  return (directories + 1) * params.enwrich.cache_size.count + 2 * sizes.block_bytes +
         params.buffers_per_disk * sizes.disks_of_node * sizes.block_bytes;
}

}  // namespace sunstar::file_systems::enwrich
