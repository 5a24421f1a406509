// SPDX-License-Identifier: MIT
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/core/error.h"
#include "sw/file_systems/file_system.h"
#include "sw/file_systems/pvfs/client.h"
#include "sw/file_systems/pvfs/iod/iod.h"
#include "sw/file_systems/pvfs/iod/manager.h"
#include "sw/file_systems/pvfs/params.h"

namespace sunstar::file_systems::pvfs {
namespace {

/// PVFS 1 with the cache module of Vilayannur, Kandemir and Sivasubramaniam (2002). docs/file-systems/pvfs.md follows
/// one call.
class Pvfs final : public FileSystem {
 public:
  Pvfs(System& system, const Params& params) : system_(system), params_(params), messages_(system.protocol.numbers) {}

  workload::Unit unit(std::uint32_t) const override { return workload::Unit::call; }

  void start() override {
    for (std::uint32_t i = 0; i < system_.nodes.io.size(); ++i)
      iods_.emplace_back(system_, messages_, params_, versions_, i);
    manager_ = std::make_unique<Manager>(system_, messages_);
    boost::unordered_flat_map<hal::NodeId, std::size_t> places;
    for (messages::Endpoint* const compute : system_.nodes.compute) {
      const auto [at, is_new] = places.emplace(compute->id(), nodes_.size());
      if (is_new) {
        Node& node = nodes_.emplace_back(*compute, messages_);
        if (params_.module.enabled)
          node.module = std::make_unique<CacheModule>(system_, messages_, node.port, params_, versions_);
      }
      Node& node = nodes_[at->second];
      clients_.emplace_back(system_, messages_, node.port, node.module.get(),
                            static_cast<std::uint32_t>(clients_.size()));
      node_of_.push_back(&node);
    }
    teams_ = std::make_unique<workload::Teams>(system_.nodes.compute, *system_.job.workload, system_.job.record,
                                               system_.protocol.numbers);
    for (std::uint32_t p = 0; p < clients_.size(); ++p) system_.nodes.compute[p]->os.spawn(program(p), "application");
  }

  void add_statistics(StatisticSet& set) override {
    for (Iod& iod : iods_) iod.add_statistics(set);
    for (Node& node : nodes_)
      if (node.module) node.module->add_statistics(set);
  }

  void add_figures(NamedFigures& sections) const override {
    if (!params_.module.enabled) return;
    CacheCounts all;
    for (const Node& node : nodes_) all += node.module->counts();
    NamedFigures& section = sections.section("cache");
    section.add("hits", all.hits);
    section.add("joined", all.joined);
    section.add("misses", all.misses);
    section.add("written", all.written);
    section.add("waits", all.waits);
    section.add("stale_reads", all.stale_reads);
    section.add("stale_bytes", all.stale_bytes);
    section.add("invalidated", all.invalidated);
  }

 private:
  /// An application node: all its processes share the port and the cache module.
  struct Node {
    Node(messages::Endpoint& endpoint, const Messages& messages) : port(endpoint, messages) {}
    Port port;
    std::unique_ptr<CacheModule> module;
  };

  /// A process. When its calls are made, what its node's cache still has to send goes to the iods, as when a file is
  /// closed; the process that ends the run then has all data nodes put everything on their disks.
  os::Task<> program(std::uint32_t p) {
    workload::Team& team = teams_->of(p);
    Node& node = *node_of_[p];
    co_await clients_[p].run(team);
    if (node.module) co_await node.module->flush();
    co_await team.wait(p);
    const bool last = co_await team.ends_run(p);
    if (!last) co_return;
    messages::ReplyAction replies(node.port.endpoint());
    for (io::IoNode& io : system_.nodes.io) {
      Sync sync;
      sync.reply = replies.expect();
      const hal::Message message = messages_.sync.message(io.endpoint.id(), sync);
      co_await node.port.os().send(message);
    }
    while (replies.outstanding()) co_await replies.arrival();
    system_.job.record.finish(node.port.os().now());
  }

  System& system_;
  const Params params_;
  const Messages messages_;
  Versions versions_;
  std::deque<Iod> iods_;
  std::unique_ptr<Manager> manager_;
  std::deque<Node> nodes_;
  std::vector<Node*> node_of_;  // by process
  std::unique_ptr<workload::Teams> teams_;
  std::deque<Client> clients_;
};

}  // namespace

void check(const ModuleParams& params, const std::string& path, Problems& problems) {
  if (params.high_water < params.low_water)
    problems.add(
        json_path(path, "high_water"),
        "is less than low_water; it must be at least as large, because the harvester begins below low_water and "
        "stops at high_water");
}

std::unique_ptr<FileSystem> make(const Params& params, System& system) {
  if (system.volume.block_bytes() % cache_block != 0)
    throw ConfigError("file_system.block_size, PVFS's stripe, is " + std::to_string(system.volume.block_bytes()) +
                      " bytes; it must be a multiple of " + std::to_string(cache_block) + ", the caches' block.");
  return std::make_unique<Pvfs>(system, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  const std::uint64_t module = params.module.enabled ? params.module.size.count : 0;
  const std::uint64_t stripes = std::max<std::uint64_t>(params.page_cache.size.count / sizes.block_bytes, 4) + 1;
  // Of the module: what is being flushed, and a block for each iod that asks for one. Besides, each process has room
  // for a name, and the daemons have their answers.
  const std::uint64_t buffers = CacheModule::most_flushes + sizes.disks;
  return module + (stripes + buffers) * (sizes.block_bytes + 64) + sizes.compute_processors * (longest_name + 128) +
         (64 << 10);
}

}  // namespace sunstar::file_systems::pvfs
