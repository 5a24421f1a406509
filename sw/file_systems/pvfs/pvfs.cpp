// SPDX-License-Identifier: MIT
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/core/error.h"
#include "sw/file_systems/client_server.h"
#include "sw/file_systems/pvfs/iod/iod.h"
#include "sw/file_systems/pvfs/module/cache_module.h"
#include "sw/file_systems/pvfs/params.h"
#include "sw/file_systems/pvfs/protocol/messages.h"
#include "sw/file_systems/pvfs/protocol/port.h"
#include "sw/file_systems/pvfs/protocol/striping.h"
#include "sw/file_systems/system.h"
#include "sw/os/mutex.h"

namespace sunstar::file_systems::pvfs {

using os::Cost;

namespace {

/// Data that go to a run of the process's memory.
class ToMemory final : public Incoming {
 public:
  ToMemory(Port& port, const FileRange& run, std::byte* memory)
      : Incoming(port, run.bytes), os_(port.os()), file_(run.file), offset_(run.offset), memory_(memory) {}
  std::vector<requests::Failed> missing;

 private:
  Time place(hal::Message& m, std::uint64_t offset) override { return os_.take(m, memory_ + (offset - offset_)); }
  void failed(std::uint64_t offset, std::uint32_t bytes, hal::Status status) override {
    missing.push_back({file_, requests::Operation::read, offset, bytes, status});
  }
  os::Os& os_;
  const std::uint32_t file_;
  const std::uint64_t offset_;
  std::byte* const memory_;
};

/// The library of a process (section 3.1). It opens files at the manager, sends each iod one request for its whole
/// part of a call, and waits for acknowledgements and data. On a node with a cache module its requests go there.
class Libpvfs {
 public:
  /// `module`: that of the node; null without one.
  Libpvfs(System& system, const Messages& messages, Port& port, CacheModule* module)
      : system_(system),
        messages_(messages),
        port_(port),
        os_(port.os()),
        module_(module),
        buffer_(os_.node().allocate(longest_name + sizeof(Attributes))) {}

  /// An error if the manager is gone.
  os::Task<hal::Status> open(std::uint32_t file, const std::string& name) {
    os_.charge(Cost::file_call);
    const auto length = static_cast<std::uint32_t>(name.size());
    assert(length <= longest_name);
    std::memcpy(buffer_, name.data(), length);
    messages::ReplyAction answer(port_.endpoint());
    const hal::NodeId manager = system_.nodes.io.front().endpoint.id();
    co_await os_.send(
        messages_.open.message(manager, {answer.expect(manager, buffer_ + longest_name)}, buffer_, length));
    while (answer.outstanding()) co_await answer.arrival();
    if (const hal::Status status = answer.take_status(); status != hal::Status::ok) co_return status;
    Attributes attributes;
    std::memcpy(&attributes, buffer_ + longest_name, sizeof attributes);
    if (attributes.data_nodes == 0) throw SimulationError("PVFS's manager does not know file '" + name + "'");
    if (open_.size() <= file) open_.resize(file + 1);
    open_[file] = attributes;
    co_return hal::Status::ok;
  }
  bool is_open(std::uint32_t file) const { return file < open_.size() && open_[file].data_nodes > 0; }
  /// What could not be read is appended to `failed`.
  os::Task<> read(const FileRange& run, std::byte* memory, std::vector<requests::Failed>& failed) {
    if (module_) {
      co_await module_->read(run, memory, failed);
      co_return;
    }
    ToMemory data(port_, run, memory);
    messages::ReplyAction acknowledgements(port_.endpoint());
    data.watch(system_, run);
    co_await ask_iods(system_, messages_, port_, run, data.number(), 0, acknowledgements);
    while (acknowledgements.outstanding()) co_await acknowledgements.arrival();
    co_await data.all();
    failed.insert(failed.end(), data.missing.begin(), data.missing.end());
  }
  /// `coherent`: sync_write, which returns when no other cache holds an old copy. After an error, any of the run's
  /// bytes may not have been written.
  os::Task<hal::Status> write(const FileRange& run, std::byte* memory, bool coherent) {
    hal::Status status = hal::Status::ok;
    if (module_) status = co_await module_->write(run, memory, coherent);
    else status = co_await write_through(system_, messages_, port_, run, memory, coherent ? Request::coherent : 0);
    co_return status;
  }

 private:
  System& system_;
  const Messages& messages_;
  Port& port_;
  os::Os& os_;
  CacheModule* const module_;
  std::vector<Attributes> open_;
  std::byte* buffer_;
};

/// The manager daemon (mgr, section 3.1): knows the files' names, attributes and striping. There is one, on the first
/// data node; it takes part in no reads or writes.
class Manager {
 public:
  /// `names`: of the files of the volume, in their order.
  Manager(System& system, const Messages& messages, std::vector<std::string> names)
      : system_(system),
        names_(std::move(names)),
        endpoint_(system.nodes.io.front().endpoint),
        os_(endpoint_.os),
        process_(os_, "the manager"),
        answer_(os_.node().allocate(sizeof(Attributes))) {
    messages.open.on_arrival<Cost::request_decode>(os_, [this](hal::Message& m) {
      std::string name = messages::text(m);
      const messages::ReplyTo to = messages::Kind<Open>::header(m).reply;
      const hal::NodeId source = m.source;
      const Time there = os_.receive(m);
      os_.spawn_at(there, open(source, to, std::move(name)), "mgr");
    });
  }

 private:
  // A file that it does not know has no data nodes.
  os::Task<> open(hal::NodeId source, messages::ReplyTo to, std::string name) {
    const auto guard = co_await process_.lock();
    os_.charge(Cost::directory_entry);
    Attributes found;
    for (std::uint32_t f = 0; f < names_.size(); ++f) {
      if (names_[f] != name) continue;
      found.file = f;
      found.data_nodes = static_cast<std::uint32_t>(system_.nodes.io.size());
      found.stripe = system_.volume.block_bytes();
      found.bytes = system_.volume.file_bytes(f);
    }
    std::memcpy(answer_, &found, sizeof found);
    co_await os_.send(endpoint_.reply(source, to, answer_, sizeof found));
  }

  System& system_;
  const std::vector<std::string> names_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  os::Mutex process_;
  std::byte* const answer_;
};

/// An application node: all its processes share the port and the cache module.
struct Node {
  Node(messages::Endpoint& endpoint, const Messages& messages) : port(endpoint, messages) {}
  Port port;
  std::unique_ptr<CacheModule> module;
  bool stopped = false;
};

/// What the processes and daemons have in common.
struct Common : Messages {
  using Messages::Messages;

  /// That of the process, made for the first of its processes.
  Node& node_of(Run& run, const Params& params, std::uint32_t process) {
    messages::Endpoint& compute = *run.nodes.compute[process];
    Node*& node = by_id[compute.id()];
    if (!node) {
      node = &nodes.emplace_back(compute, *this);
      if (params.module.enabled) node->module = std::make_unique<CacheModule>(run, *this, node->port, params, versions);
    }
    return *node;
  }
  void add_statistics(StatisticSet& set) {
    for (Node& node : nodes)
      if (node.module) node.module->add_statistics(set);
  }

  Versions versions;
  std::deque<Node> nodes;
  boost::unordered_flat_map<hal::NodeId, Node*> by_id;
};

struct DataNode : Iod {
  DataNode(System& system, Common& common, const Params& params, std::uint32_t io_processor)
      : Iod(system, common, params, common.versions, io_processor) {}
};

/// A process of the application: it makes the calls through libpvfs, and opens a file before its first call to it.
class Process : public ComputeProcessor {
 public:
  static constexpr const char* thread = "application";

  Process(Run& run, Common& common, const Params& params, workload::Team& team, std::uint32_t number)
      : ComputeProcessor(run, team, number),
        messages_(common),
        node_(common.node_of(run, params, number)),
        library_(run, common, node_.port, node_.module.get()) {}

  /// When its calls are made, what its node's cache still has to send goes to the iods, as when a file is closed; the
  /// process that ends the run then has all data nodes put everything on their disks.
  os::Task<> run() {
    co_await make_calls([this](const requests::Access& access) { return call(access); });
    co_await flush();
    co_await team_.wait(processor_);
  }
  os::Task<> flush() {
    if (node_.module) co_await node_.module->flush();
  }
  void count_cache(Losses& losses) {
    if (node_.module && !std::exchange(node_.stopped, true)) node_.module->count_cache(losses);
  }
  os::Task<> sync() {
    messages::ReplyAction replies(endpoint_);
    for (io::IoNode& io : run_.nodes.io)
      co_await os_.send(messages_.sync.message(io.endpoint.id(), {replies.expect(io.endpoint.id())}));
    while (replies.outstanding()) co_await replies.arrival();
    if (replies.take_status() == hal::Status::ok) co_return;
    for (std::uint32_t i = 0; i < run_.nodes.io.size(); ++i)
      if (endpoint_.peers().was_lost(run_.nodes.io[i].endpoint.id())) run_.job.record.unsynced(i);
  }

 private:
  os::Task<> call(const requests::Access& access) {
    workload::Job& job = run_.job;
    hal::Status opened = hal::Status::ok;
    if (!library_.is_open(access.file))
      opened = co_await library_.open(access.file, job.workload->files()[access.file].name);
    const Time start = os_.now();
    job.record.begin(start, processor_);
    os_.charge(os::Cost::file_call);
    std::byte* const memory = memory_.base + access.memory;
    const FileRange run{access.file, access.offset, access.bytes};
    std::vector<requests::Failed> failed;
    if (opened != hal::Status::ok) {
      failed.push_back({run.file, access.operation, run.offset, run.bytes, opened});
    } else if (access.operation == requests::Operation::read) {
      co_await library_.read(run, memory, failed);
    } else {
      const hal::Status status = co_await library_.write(run, memory, access.coherent);
      if (status != hal::Status::ok) failed.push_back({run.file, access.operation, run.offset, run.bytes, status});
    }
    co_await os_.settle();
    requests::Ended ended{processor_, start, os_.now(), 1, access.bytes, &access};
    std::uint64_t lost = 0;
    for (const requests::Failed& one : failed) {
      job.record.failed(one);
      ended.status = one.status;
      lost += one.bytes;
    }
    if (lost > 0) job.record.not_moved(lost);
    job.record.moved(access.bytes - lost);
    job.record.progress(access.bytes);
    job.record.end(ended);
    co_await os_.give_way();  // a process whose requests all hit waits for nothing, and its node's iod waits for it
  }

  const Messages& messages_;
  Node& node_;
  Libpvfs library_;
};

/// PVFS 1 with the cache module of Vilayannur, Kandemir and Sivasubramaniam (2002). docs/file-systems/pvfs.md follows
/// one call.
class Pvfs final : public ClientServer<Params, Common, DataNode, Process> {
 public:
  using ClientServer::ClientServer;

  bool coherent() const override { return !params().module.enabled || params().module.coherent; }
  void start() override {
    std::vector<std::string> names;
    for (const workload::FileSpec& file : run_.job.workload->files()) names.push_back(file.name);
    manager_ = std::make_unique<Manager>(run_, messages(), std::move(names));
    ClientServer::start();
  }
  void add_figures(NamedFigures& sections) const override {
    if (!params().module.enabled) return;
    NamedFigures& section = sections.section("cache");
    using Counts = boost::describe::describe_members<CacheCounts, boost::describe::mod_public>;
    boost::mp11::mp_for_each<Counts>([&](auto count) {
      std::uint64_t all = 0;
      for (const Node& node : messages().nodes) all += node.module->counts().*count.pointer;
      section.add(count.name, all);
    });
  }

 private:
  std::unique_ptr<Manager> manager_;
};

}  // namespace

void check(const ModuleParams& params, const std::string& path, Problems& problems) {
  if (params.high_water < params.low_water)
    problems.add(
        json_path(path, "high_water"),
        "is less than low_water; it must be at least as large, because the harvester begins below low_water and "
        "stops at high_water");
}

std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  if (run.volume.block_bytes() % cache_block != 0)
    throw ConfigError("file_system.block_size, PVFS's stripe, is " + std::to_string(run.volume.block_bytes()) +
                      " bytes; it must be a multiple of " + std::to_string(cache_block) + ", the caches' block.");
  return std::make_unique<Pvfs>(run, params);
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
