// SPDX-License-Identifier: MIT
#include "sw/file_systems/enwrich/server.h"

#include "sw/file_systems/enwrich/flush_plan.h"

namespace sunstar::file_systems::enwrich {

using os::Cost;

Server::Server(System& system, Common& common, const Params& params, std::uint32_t io_processor)
    : system_(system),
      messages_(common),
      params_(params.enwrich),
      counters_(common.counters),
      io_processor_(io_processor),
      endpoint_(system.nodes.io[io_processor].endpoint),
      os_(endpoint_.os),
      reads_(system, common.cached, params, io_processor),
      transfers_(system.nodes.io[io_processor], system.volume, params, system.record, &reads_.guard()),
      directories_(system.nodes.compute.size()),
      arrived_(os_, "the directories of the compute processors") {
  const std::uint64_t most_entries = WriteCache(params_, system.volume.block_bytes()).most_entries();
  for (auto& directory : directories_) directory.memory = os_.node().allocate(most_entries * sizeof(DirectoryEntry));
  messages_.notice.on_arrival<Cost::reply_action>(os_, [this](hal::Message& m) { os_.receive(m); });
  messages_.directory.on_arrival<Cost::reply_action>(os_, [this](hal::Message& m) { take_directory(m); });
  messages_.sync.starts_thread(os_, "sync request", [this](hal::Message& m) { return serve_sync(m); });
  os_.spawn(serve_flushes(), "flush");
}

void Server::take_directory(hal::Message& m) {
  const auto part = messages::Kind<DirectoryPart>::header(m);
  const auto p = static_cast<std::uint32_t>(part.processor);
  if (endpoint_.peers().was_lost(m.source)) [[unlikely]] {
    const hal::Message refusal = messages_.done.message(m.source, {part.epoch, hal::Status::refused});
    os_.send_at(os_.receive(m), refusal);
    return;
  }
  Directory& directory = directories_[p];
  directory.announced = true;
  epoch_ = part.epoch;
  directory.expected = part.total;
  if (part.last) last_flush_ = true;
  const std::uint64_t entries = m.bytes / sizeof(DirectoryEntry);
  const Time there = os_.receive(m, directory.memory + part.first * sizeof(DirectoryEntry));
  os_.after(there, [this, p, entries] {
    Directory& d = directories_[p];
    d.arrived += entries;
    if (d.complete()) directory_complete(p);
  });
}

void Server::directory_complete(std::uint32_t processor) {
  Directory& directory = directories_[processor];
  if (directory.watched) endpoint_.peers().unwatch(system_.nodes.compute[processor]->id(), *this);
  directory.watched = false;
  complete_.push_back(processor);
  arrived_.wake_all();
}

void Server::watch_for_directories() {
  for (std::uint32_t p = 0; p < directories_.size(); ++p) {
    const hal::NodeId node = system_.nodes.compute[p]->id();
    Directory& directory = directories_[p];
    if (directory.complete() || directory.watched) continue;
    directory.watched = !endpoint_.peers().was_lost(node) && endpoint_.peers().watch(node, *this);
    if (!directory.watched) lost(node);
  }
}

// Its entries are lost with it.
void Server::lost(hal::NodeId node) {
  for (std::uint32_t p = 0; p < directories_.size(); ++p) {
    Directory& directory = directories_[p];
    if (system_.nodes.compute[p]->id() != node || directory.complete()) continue;
    directory.watched = false;
    directory.announced = directory.given_up = true;
    directory.expected = directory.arrived = 0;
    directory_complete(p);
  }
}

/// Finds a block's pieces in the flush's plan and fetches them from the caches.
class Server::Mover final : public io::BlockMover {
 public:
  Mover(Server& server, const FlushPlan& plan) : server_(server), volume_(server.system_.volume), plan_(plan) {}

  std::uint64_t find_pieces(const io::BlockJob& job, std::vector<requests::Piece>& out) override {
    const os::Counted<Cost::piece> mark;
    const std::uint64_t covered = plan_.pieces(job.file, job.block, out);
    server_.os_.note("flush", job.file, job.block);
    if (covered < volume_.bytes_in_block(job.file, job.block)) {
      ++server_.counters_.fetched_blocks;
      server_.os_.note("read-modify-write", job.file, job.block);
    }
    return covered;
  }

  os::Task<> move(const io::BlockJob& job, const std::vector<requests::Piece>& pieces, std::byte* buffer,
                  messages::ReplyAction& action) override {
    return server_.params_.gather ? gather(job, pieces, buffer, action) : ask(job, pieces, buffer, action);
  }
  void moved(std::uint64_t bytes) override {
    const os::NotOnTheMachine mark;
    server_.counters_.flushed_bytes += bytes;
  }
  hal::NodeId node(const requests::Piece& piece) const override {
    return server_.system_.nodes.compute[piece.processor]->id();
  }

 private:
  std::uint64_t start_of(const io::BlockJob& job) const { return job.block * volume_.block_bytes(); }

  os::Task<> ask(const io::BlockJob& job, const std::vector<requests::Piece>& pieces, std::byte* buffer,
                 messages::ReplyAction& action) {
    os::Os& os = server_.os_;
    // As in disk-directed I/O, all requests are under way at once, and each I/O processor begins with a different
    // piece.
    std::size_t next = pieces.size() * server_.io_processor_ / server_.system_.nodes.io.size();
    for (std::size_t left = pieces.size(); left > 0; --left) {
      os.charge<Cost::piece>();
      const requests::Piece& piece = pieces[next];
      if (++next == pieces.size()) next = 0;
      const messages::ReplyTo reply = action.expect(node(piece), buffer, piece.file_offset - start_of(job));
      co_await os.send(server_.messages_.piece.message(
          node(piece), {piece.memory_offset, piece.file_offset, piece.bytes, 0, reply}));
      co_await os.give_way();
    }
    while (action.outstanding()) co_await action.arrival();
    os.note("write back", job.file, job.block);
  }

  os::Task<> gather(const io::BlockJob& job, const std::vector<requests::Piece>& pieces, std::byte* buffer,
                    messages::ReplyAction& action) {
    os::Os& os = server_.os_;
    std::vector<requests::Piece> by_processor = pieces;
    std::ranges::stable_sort(by_processor, {}, &requests::Piece::processor);
    auto& spare = server_.gathered_;
    const std::uint64_t block_bytes = volume_.block_bytes();
    // A list of short pieces may be longer than the pieces together, and so need several messages.
    const std::size_t most = std::max<std::size_t>(block_bytes / sizeof(GatherEntry), 1);
    if (spare.size() < 2)
      for (int i = 0; i < 2; ++i) spare.push_back(os.node().allocate(block_bytes));
    std::byte* const list = take_last(spare);
    std::byte* const together = take_last(spare);
    std::uint64_t at = 0;
    for (std::size_t i = 0; i < by_processor.size();) {
      std::uint64_t bytes = 0;
      std::size_t n = 0;
      const requests::Piece& first = by_processor[i];
      for (; i < by_processor.size() && by_processor[i].processor == first.processor && n < most; ++i, ++n) {
        const GatherEntry wanted{by_processor[i].memory_offset, by_processor[i].file_offset, by_processor[i].bytes};
        os.memory().put(list + n * sizeof wanted, &wanted, sizeof wanted);
        bytes += wanted.bytes;
      }
      os.charge(Cost::piece);
      os.charge(Cost::directory_entry, static_cast<double>(n));
      co_await os.send(server_.messages_.gather.message(node(first), {0, action.expect(node(first), together, at)},
                                                        list, static_cast<std::uint32_t>(n * sizeof(GatherEntry))));
      at += bytes;
    }
    while (action.outstanding()) co_await action.arrival();
    // Scatter.
    at = 0;
    for (const requests::Piece& piece : by_processor) {
      os.memory().copy(buffer + (piece.file_offset - start_of(job)), together + at, piece.bytes);
      at += piece.bytes;
    }
    os.charge(Cost::copy_per_byte, static_cast<double>(at));
    os.charge(Cost::directory_entry, static_cast<double>(pieces.size()));
    os.copied(at);
    spare.push_back(together);
    spare.push_back(list);
    os.note("write back", job.file, job.block);
  }

  Server& server_;
  const io::Volume& volume_;
  const FlushPlan& plan_;
};

namespace {
/// Charges for a natural merge sort: one pass to find the runs, then the merges.
void charge_sort(os::Os& os, std::span<const DirectoryEntry> entries) {
  const os::NotOnTheMachine mark;
  os.charge(Cost::sort_comparison, static_cast<double>(entries.size()) * (1 + log2_of(sorted_runs(entries))));
}
}  // namespace

os::Task<> Server::collect() {
  const std::size_t everybody = directories_.size();
  bool watching = false;
  for (std::size_t sorted = 0; sorted < everybody;) {
    while (complete_.size() <= sorted || (!params_.early_directories && complete_.size() < everybody)) {
      if (!complete_.empty() && !std::exchange(watching, true)) watch_for_directories();
      if (complete_.size() < everybody) co_await arrived_.wait();
    }
    if (!params_.early_directories) break;
    const Directory& directory = directories_[complete_[sorted++]];
    charge_sort(os_, {reinterpret_cast<const DirectoryEntry*>(directory.memory), directory.expected});
    co_await os_.settle();
  }
}

std::vector<DirectoryEntry> Server::entries() {
  const os::Counted<Cost::directory_entry> mark;
  std::vector<DirectoryEntry> all;
  std::size_t expected = 0;
  for (const Directory& directory : directories_) expected += directory.expected;
  all.reserve(expected);
  for (Directory& directory : directories_) {
    const auto* const first = reinterpret_cast<const DirectoryEntry*>(directory.memory);
    all.insert(all.end(), first, first + directory.expected);
    directory.expected = directory.arrived = 0;
    directory.announced = false;
  }
  complete_.clear();
  return all;
}

os::Task<> Server::serve_flushes() {
  const io::Volume& volume = system_.volume;
  const auto& compute = system_.nodes.compute;
  while (true) {
    co_await collect();
    const std::uint64_t epoch = epoch_;
    std::vector<DirectoryEntry> all = entries();
    const auto n = static_cast<double>(all.size());
    counters_.flushed_entries += all.size();
    if (params_.early_directories) os_.charge(Cost::sort_comparison, n * log2_of(compute.size()));  // a merge
    else charge_sort(os_, all);
    os_.charge<Cost::collective_setup>();
    os_.charge(Cost::directory_entry, n);
    const FlushPlan plan(std::move(all), volume.block_bytes(),
                         [&](std::uint64_t block) { return volume.server_of(block) == io_processor_; });
    auto lists = transfers_.lists();
    for (const FlushPlan::Block& block : plan.blocks()) transfers_.add(lists, block.file, block.block);
    counters_.flushed_blocks += plan.blocks().size();
    transfers_.put_in_order(lists);
    Mover mover(*this, plan);
    // With `fetched`, the previous flush's last blocks may still be in the buffers.
    if (flush_) {
      co_await flush_->completed();
      told_late_ = flush_->take_failures();
    }
    os::counted_from_here<Cost::collective_setup>();
    flush_.emplace(os_);
    transfers_.begin(*flush_, std::move(lists), requests::Operation::write, mover);
    co_await flush_->moved();
    if (params_.done_when == DoneWhen::written || last_flush_) co_await flush_->completed();
    FlushDone done{epoch};
    // With `fetched`, what is still to be written is not known yet; the next flush tells.
    for (const requests::Failed& failed : std::exchange(told_late_, {})) tell(failed, done);
    for (const requests::Failed& failed : flush_->take_failures()) tell(failed, done);
    for (std::size_t k = 0; k < compute.size(); ++k) {
      const std::size_t p = (k + io_processor_) % compute.size();
      FlushDone to = done;
      if (std::exchange(directories_[p].given_up, false)) to.status = hal::Status::refused;
      co_await os_.send(messages_.done.message(compute[p]->id(), to));
    }
  }
}

void Server::tell(const requests::Failed& failed, FlushDone& done) {
  system_.record.failed(failed);
  done.status = failed.status;
}

os::Task<> Server::serve_sync(hal::Message& request) {
  // With `fetched`, the last blocks may still be in the buffers.
  if (flush_) co_await flush_->completed();
  co_await io::answer_sync(request, system_.nodes.io[io_processor_], system_.volume, system_.record);
}

}  // namespace sunstar::file_systems::enwrich
