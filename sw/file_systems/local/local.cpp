// SPDX-License-Identifier: MIT
#include <deque>
#include <list>

#include "sw/file_systems/client_server.h"
#include "sw/file_systems/local/params.h"
#include "sw/file_systems/striped/objects.h"
#include "sw/io/cached/cache.h"
#include "sw/io/sync.h"
#include "sw/os/mutex.h"

// Drives in the nodes that compute. docs/file-systems/local.md follows one call.
namespace sunstar::file_systems::local {
namespace {

using os::Cost;
using requests::Access;
using requests::Operation;
using striped::Part;

class Node;
/// The nodes with drives, in their order. A process finds its own there.
struct Nodes {
  explicit Nodes(messages::Numbers&) {}
  std::vector<Node*> all;
};

/// The file system of one node, which all its processes share.
class Node {
 public:
  using Failures = std::vector<requests::Failed>;

  Node(System& system, Nodes& nodes, const Params& params, std::uint32_t number)
      : node_(system.nodes.io[number]),
        volume_(system.volume),
        record_(system.record),
        os_(node_.endpoint.os),
        most_(params.page_cache.size.count / volume_.block_bytes()),
        read_ahead_(params.page_cache.read_ahead.count / volume_.block_bytes()),
        one_sync_(os_, "another synchronisation of the node"),
        write_ended_(os_, "another write to the same sectors") {
    if (most_ > 0) cache_.emplace(node_, volume_, "lru", most_);
    nodes.all.push_back(this);
  }

  /// A process's last call: its file, its end there, and the first block that was not fetched ahead.
  struct Last {
    std::uint32_t file = 0;
    std::uint64_t end = ~std::uint64_t{0}, ahead = 0;
  };
  /// Carries out a call, from or to `memory`. Appends the parts that could not be done to `failed`.
  os::Task<> carry_out(const Access& access, std::byte* memory, Last& last, Failures& failed) {
    if (cache_) return cached(access, memory, last, failed);
    return access.operation == Operation::read ? direct(access, memory, failed) : alone(access, memory, failed);
  }

  /// Brings everything that the node has written to the media.
  os::Task<> sync() {
    const auto guard = co_await one_sync_.lock();
    Failures lost;
    if (cache_) {
      co_await cache_->sync();
      lost.swap(cache_->lost());
    } else {
      co_await io::sync(node_, volume_, lost);
    }
    for (const requests::Failed& one : lost) record_.failed(one);
  }

  void add_statistics(StatisticSet& set) {
    if (cache_) cache_->add_statistics(set);
  }

 private:
  /// A part of a call without a cache. What is not whole sectors of the drive goes through a buffer.
  struct Direct : io::AwaitedRequest {
    Direct(os::Os& os, const Part& p, std::byte* m) : AwaitedRequest(os), part(p), memory(m) {}
    const Part part;
    std::byte* const memory;
    std::byte* buffer = nullptr;
    hal::Status how = hal::Status::ok;
  };
  /// Sectors of a file, counted within the file: [begin, end).
  struct Sectors {
    std::uint32_t file;
    std::uint64_t begin, end;
  };

  /// A write without a cache. Writes to the same sectors come one after another: one may replace a part of a sector.
  os::Task<> alone(const Access& access, std::byte* memory, Failures& failed) {
    const std::uint32_t sector = volume_.sector_bytes();
    const Sectors mine{access.file, access.offset / sector, (access.offset + access.bytes - 1) / sector + 1};
    const auto in_the_way = [&](const Sectors& other) {
      return other.file == mine.file && other.begin < mine.end && mine.begin < other.end;
    };
    while (std::ranges::any_of(writing_, in_the_way)) co_await write_ended_.wait();
    const auto entry = writing_.insert(writing_.end(), mine);
    co_await direct(access, memory, failed);
    writing_.erase(entry);
    write_ended_.wake_all();
  }

  os::Task<> direct(const Access& access, std::byte* memory, Failures& failed) {
    const std::uint32_t sector = volume_.sector_bytes();
    const bool writes = access.operation == Operation::write;
    std::deque<Direct> parts;
    striped::for_each_part(volume_, {access.file, access.offset, access.bytes}, [&](const Part& part) {
      os_.charge(Cost::block_request);
      Direct& one = parts.emplace_back(os_, part, memory);
      memory += part.bytes;
      if (part.from % sector != 0 || part.bytes % sector != 0) one.buffer = take_buffer();
      one.data = {one.buffer ? one.buffer : one.memory};
      volume_.aim(one, part.file, part.stripe, part.from, part.from % sector + part.bytes);
    });
    if (writes) {
      co_await transfer(parts, false, [](const Direct& one) { return one.buffer != nullptr; });
      for (const Direct& one : parts)
        if (one.buffer) os_.copy(one.buffer + one.part.from % sector, one.memory, one.part.bytes);
    }
    co_await transfer(parts, writes, [](const Direct& one) { return one.how == hal::Status::ok; });
    for (const Direct& one : parts) {
      if (one.buffer && !writes && one.how == hal::Status::ok)
        os_.copy(one.memory, one.buffer + one.part.from % sector, one.part.bytes);
      if (one.buffer) buffers_.push_back(one.buffer);
      if (one.how != hal::Status::ok) fail(access, one.part, one.how, failed);
    }
  }

  /// Reads or writes some of the parts at the same time.
  os::Task<> transfer(std::deque<Direct>& parts, bool write, bool (*which)(const Direct&)) {
    std::vector<Direct*> begun;
    for (Direct& one : parts) {
      if (!which(one)) continue;
      one.write = write;
      one.begin(node_.store);
      begun.push_back(&one);
    }
    for (Direct* const one : begun) one->how = co_await one->end();
  }

  std::byte* take_buffer() {
    if (buffers_.empty()) return os_.node().allocate(volume_.block_bytes());
    return take_last(buffers_);
  }

  os::Task<> cached(const Access& access, std::byte* memory, Last& last, Failures& failed) {
    const bool writes = access.operation == Operation::write;
    std::vector<Part> parts;
    striped::for_each_part(volume_, {access.file, access.offset, access.bytes},
                           [&](const Part& part) { parts.push_back(part); });
    const std::uint64_t first = parts.front().stripe;
    const bool continues = access.file == last.file && access.offset == last.end;
    const std::uint64_t end = parts.back().stripe + 1 + (continues ? read_ahead_ : 0);
    last = {access.file, access.offset + access.bytes, continues ? last.ahead : first};
    for (const Part& part : parts) {
      os_.charge(Cost::block_request);
      // Drives read while a block is awaited and copied, but not so far ahead that blocks leave before they are used.
      last.ahead = std::max(last.ahead, part.stripe);
      while (!writes && end - first > 1 && last.ahead < std::min(end, part.stripe + most_ / 2) &&
             cache_->prefetch(access.file, last.ahead))
        ++last.ahead;
      io::cached::Cache::Buffer* buffer;
      while (!(buffer = cache_->try_obtain(part.file, part.stripe))) co_await cache_->room(part.file, part.stripe);
      hal::Status status = hal::Status::ok;
      while (!writes && status == hal::Status::ok && !cache_->fetched(*buffer, part.from, part.bytes)) {
        co_await buffer->waiters.wait();
        status = buffer->read_error;
      }
      if (status != hal::Status::ok) {
        fail(access, part, status, failed);
      } else if (writes) {
        cache_->prepare_write(*buffer, part.bytes);
        os_.copy(cache_->data(*buffer) + part.from, memory, part.bytes);
        cache_->written(*buffer, part.from, part.bytes);
      } else {
        os_.copy(memory, cache_->data(*buffer) + part.from, part.bytes);
      }
      cache_->unpin(*buffer);
      memory += part.bytes;
    }
  }

  void fail(const Access& access, const Part& part, hal::Status status, Failures& failed) const {
    failed.push_back({access.file, access.operation, striped::offset_of(volume_, part), part.bytes, status});
  }

  io::IoNode& node_;
  const io::Volume& volume_;
  requests::Recorder& record_;
  os::Os& os_;
  const std::uint64_t most_, read_ahead_;  // blocks of the cache, and ahead of a process
  std::optional<io::cached::Cache> cache_;
  os::Mutex one_sync_;
  std::list<Sectors> writing_;  // by the calls under way
  os::WaitQueue write_ended_;
  std::vector<std::byte*> buffers_;
};

/// A process of the application: its calls go straight to its node's drives.
class Process : public ComputeProcessor {
 public:
  static constexpr const char* thread = "application";
  Process(Run& run, const Nodes& nodes, const Params&, workload::Team& team, std::uint32_t number)
      : ComputeProcessor(run, team, number),
        node_(*nodes.all[run.job.workload->node(number)]),
        caller_(run.caller(number)) {}

  os::Task<> run() {
    co_await make_calls([this](const Access& access) { return call(access); });
    co_await fsync();
    co_await team_.wait(processor_);
  }
  os::Task<> fsync() { return node_.sync(); }

 private:
  os::Task<> call(const Access& access) {
    const Time start = os_.now();
    caller_.record.begin(start, processor_);
    os_.charge(Cost::file_call);
    co_await node_.carry_out(access, memory_.base + access.memory, last_, caller_.failures);
    co_await os_.settle();
    for (const requests::Failed& one : caller_.failures) caller_.record.failed(one);
    caller_.record.progress(access.bytes);
    caller_.ends(start, 1, access.bytes, access);
    co_await os_.give_way();  // threads are not preempted: the node's other processes wait for it
  }

  Node& node_;
  io::Caller caller_;
  Node::Last last_;
};

}  // namespace

std::vector<std::optional<io::Stripes>> stripes(const Params&, const workload::Workload& workload,
                                                const io::Volume& volume) {
  std::uint32_t nodes = 0;
  const std::uint32_t units = volume.units();
  while (nodes < units && volume.place(nodes).unit == 0) ++nodes;
  const std::uint32_t of_node = units / nodes;
  if (units % nodes != 0 || volume.place(units - 1).unit != of_node - 1)
    throw ConfigError("machine.disks: file_system.kind is local, and not all I/O processors have the same number of ",
                      "drives; give each of the ", nodes, " as many as the others.");
  std::vector<std::optional<io::Stripes>> all(workload.files().size());
  std::size_t left = all.size();
  std::vector<std::uint32_t> files(nodes);  // of each node: the next one begins one drive further
  for (std::uint32_t p = 0; p < workload.processors() && left > 0; ++p) {
    const std::uint32_t node = workload.node(p) % nodes;
    const auto calls = workload.accesses(p);
    for (Access access; left > 0 && calls->next(access);) {
      if (access.bytes == 0 || all[access.file]) continue;
      all[access.file] = io::Stripes{node + files[node]++ % of_node * nodes, of_node, units, nodes};
      --left;
    }
  }
  for (auto& unused : all)
    if (!unused) unused = io::Stripes{0, of_node, units, nodes};
  return all;
}

std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  const workload::Workload& workload = *run.job.workload;
  if (params.page_cache.size.count > 0 && params.page_cache.size.count < run.volume.block_bytes())
    throw ConfigError("file_system.page_cache.size is ", params.page_cache.size.count,
                      " bytes; it must be 0 or hold a block, file_system.block_size, ", run.volume.block_bytes(),
                      " bytes.");
  for (std::uint32_t p = 0; p < workload.processors(); ++p) {
    const std::uint32_t number = workload.node(p);
    const hal::Node& node = run.nodes.compute[p]->os.node();
    if (node.block_devices() == 0 || node.id() != number)
      throw ConfigError("machine.combined: file_system.kind is local, but compute processor ", number,
                        " is not an I/O processor, too; set machine.combined and machine.io_processors to "
                        "machine.compute_processors.");
    const auto calls = workload.accesses(p);
    for (Access access; calls->next(access);) {
      const std::uint32_t home = run.volume.place_of(access.file, 0).io_processor;
      if (access.bytes > 0 && home != number)
        throw ConfigError("file_system.kind is local, but process ", p, " on node ", number, " uses the file '",
                          workload.files()[access.file].name, "' of node ", home,
                          ", which used it first; let nodes use files of their own (of ior: set file_per_task to true "
                          "and reorder_nodes to 0), or set machine.compute_processors to 1.");
    }
  }
  run.job.all_sync = true;
  return std::make_unique<ClientServer<Params, Nodes, Node, Process>>(run, params);
}

// A buffer of the cache has a second block for reads, and a call has up to two parts of sectors.
std::uint64_t memory(const Params& params, const Sizes& sizes) {
  return 2 * params.page_cache.size.count + 2 * sizes.compute_processors * (sizes.block_bytes + 64);
}

}  // namespace sunstar::file_systems::local
