// SPDX-License-Identifier: MIT
#include "sw/file_systems/pvfs/iod/iod.h"
#include "sw/file_systems/pvfs/module/cache_module.h"
#include "sw/file_systems/pvfs/params.h"
#include "sw/file_systems/striped/process.h"

namespace sunstar::file_systems::pvfs {

namespace {

/// A process's socket to an iod without the module: the data go straight to the process's memory.
class PlainSocket final : public Incoming {
 public:
  PlainSocket(System& system, const Messages& messages, Port& port, std::uint32_t io_processor, const FileRun& run,
              std::byte* memory, striped::NodeClient::Failures& missing)
      : Incoming(port),
        system_(system),
        messages_(messages),
        port_(port),
        io_processor_(io_processor),
        run_(run),
        memory_(memory),
        missing_(missing),
        acknowledgements_(port.endpoint()) {}
  os::Task<> ask(bool) {
    watch(system_, io_processor_, run_);
    return ask_iod(system_, messages_, port_, io_processor_, run_, number(), 0, acknowledgements_);
  }
  os::Task<> acknowledgement() {
    while (acknowledgements_.outstanding()) co_await acknowledgements_.arrival();
  }
  os::Task<> receive() { return all(); }

 private:
  Time place(hal::Message& m, std::uint64_t offset) override {
    return port_.os().take(m, memory_ + (offset - run_.offset));
  }
  void failed(std::uint64_t offset, std::uint32_t bytes, hal::Status status) override {
    missing_.push_back({run_.file, requests::Operation::read, offset, bytes, status});
  }
  System& system_;
  const Messages& messages_;
  Port& port_;
  const std::uint32_t io_processor_;
  const FileRun run_;
  std::byte* const memory_;
  striped::NodeClient::Failures& missing_;
  messages::ReplyAction acknowledgements_;
};

/// Reads as libpvfs does (section 3.2): it asks each iod for all of its bytes, and then takes acknowledgements and
/// data. It calls again for data that a socket did not have room for.
template <class Socket>
os::Task<> read(std::list<Socket>& sockets) {
  while (!sockets.empty()) {
    for (Socket& socket : sockets) co_await socket.ask(&socket == &sockets.front());
    for (Socket& socket : sockets) co_await socket.acknowledgement();
    for (Socket& socket : sockets) co_await socket.receive();
    sockets.remove_if([](const Socket& socket) { return socket.complete(); });
  }
}

struct Common : Messages {
  using Messages::Messages;
  Versions versions;
};

struct DataNode : Iod {
  DataNode(System& system, Common& common, const Params& params, std::uint32_t io_processor)
      : Iod(system, common, params, common.versions, io_processor) {}
};

/// An application node: the library of its processes (section 3.1), with the port and the cache module that they share.
/// It sends each iod one request for its whole part of a call, and waits for acknowledgements and data. A cache module
/// intercepts what it calls on its sockets.
class Client final : public striped::NodeClient {
 public:
  /// The manager daemon (mgr, section 3.1) also tells a file's first data node and the size of a stripe.
  static constexpr striped::Ways ways{.name_server = "the manager",
                                      .opens = "mgr",
                                      .answer = sizeof(striped::Attributes) + 2 * sizeof(std::uint32_t),
                                      .name_room = longest_name,
                                      .fences = false};

  Client(System& system, Common& common, const Params& params, messages::Endpoint& endpoint)
      : system_(system), messages_(common), port_(endpoint, common) {
    if (params.module.enabled) module_ = std::make_unique<CacheModule>(system, common, port_, params, common.versions);
  }

  /// After an error of a write, any of its bytes may be missing.
  os::Task<> carry_out(const requests::Access& access, std::byte* memory, Failures& failed) override {
    const FileRun run{access.file, access.offset, access.bytes};
    if (access.operation == requests::Operation::write) {
      const std::uint32_t flags = access.coherent ? Request::coherent : 0;
      hal::Status status = hal::Status::ok;
      if (module_) status = co_await write(run, memory, access.coherent);
      else status = co_await write_through(system_, messages_, port_, run, memory, flags);
      if (status != hal::Status::ok) failed.push_back({run.file, access.operation, run.offset, run.bytes, status});
    } else if (module_) {
      auto sockets = module_->sockets(run, memory, &failed);
      co_await read(sockets);
    } else {
      std::list<PlainSocket> sockets;
      for (const std::uint32_t node : data_nodes_of(system_.volume, run))
        sockets.emplace_back(system_, messages_, port_, node, run, memory, failed);
      co_await read(sockets);
    }
  }
  os::Task<> flush() override {
    if (module_) co_await module_->flush();
  }
  void count_cache(Losses& losses) const override {
    if (module_) module_->count_cache(losses);
  }
  void add_statistics(StatisticSet& set) override {
    if (module_) module_->add_statistics(set);
  }
  const CacheCounts& counts() const { return module_->counts(); }

 private:
  os::Task<hal::Status> write(const FileRun& run, std::byte* memory, bool coherent) {
    auto sockets = module_->sockets(run, memory, nullptr);
    coherent |= module_->coherent();
    for (auto& socket : sockets) socket.announce();
    for (auto& socket : sockets) co_await socket.send(coherent);
    hal::Status status = hal::Status::ok;
    if (coherent) status = co_await module_->write_on(run, memory);
    for (auto& socket : sockets) co_await socket.acknowledgement();
    co_return status;
  }

  System& system_;
  const Messages& messages_;
  Port port_;
  std::unique_ptr<CacheModule> module_;
};

/// PVFS 1 with the cache module of Vilayannur, Kandemir and Sivasubramaniam (2002). docs/file-systems/pvfs.md follows
/// one call.
class Pvfs final : public striped::Kind<Params, Common, DataNode, Client>::FileSystem {
 public:
  using FileSystem::FileSystem;

  bool coherent() const override { return !params().module.enabled || params().module.coherent; }
  void add_figures(NamedFigures& sections) const override {
    if (!params().module.enabled) return;
    NamedFigures& section = sections.section("cache");
    using Counts = boost::describe::describe_members<CacheCounts, boost::describe::mod_public>;
    boost::mp11::mp_for_each<Counts>([&](auto count) {
      section.add(count.name,
                  sum(messages().clients, [&](const auto& of) { return of.second->counts().*count.pointer; }));
    });
  }
};

}  // namespace

void check(const ModuleParams& params, const std::string& path, Problems& problems) {
  if (params.high_water < params.low_water)
    problems.add(json_path(path, "high_water"),
                 "is less than low_water; it must be at least as large, because the harvester begins below low_water "
                 "and stops at high_water");
}

std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  if (run.volume.block_bytes() % cache_block != 0)
    throw ConfigError("file_system.block_size, PVFS's stripe, is " + std::to_string(run.volume.block_bytes()) +
                      " bytes; it must be a multiple of " + std::to_string(cache_block) + ", the caches' block.");
  return std::make_unique<Pvfs>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  const std::uint64_t module = params.module.enabled ? params.module.size.count : 0;
  const std::uint64_t pages = sizes.disks_of_node > 0 ? io::memory(params.page_cache, sizes.block_bytes) : 0;
  // Of the module: batches being flushed, and a block for each iod that asks for one. Besides, each process has room
  // for a name, and the daemons for their answers.
  const std::uint64_t buffers = CacheModule::most_flushes + sizes.disks;
  return module + pages + buffers * (sizes.block_bytes + 64) + sizes.compute_processors * (longest_name + 128) +
         (64 << 10);
}

}  // namespace sunstar::file_systems::pvfs
