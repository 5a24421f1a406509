// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "sw/file_systems/striped/object_server.h"
#include "sw/file_systems/versioned/params.h"
#include "sw/file_systems/versioned/version_log.h"
#include "sw/io/sync.h"

namespace sunstar::file_systems::versioned {

using Key = VersionLog::Key;

/// An I/O processor: a server of objects that answers a write when its bytes are in the log. It merges complete
/// stripes, or the oldest ones if the log is full: their bytes go to the store. A read gets the version of each byte
/// that was the newest when it began, or a later one.
class LogServer final : public striped::ObjectServer {
 public:
  LogServer(System& system, const striped::Messages& messages, const Params& params, std::uint32_t io_processor)
      : ObjectServer(system, messages, params.objects, io_processor),
        params_(params.log),
        log_(os_.node().allocate(params.log.size.count), params.log.size.count),
        merged_(os_, "room in the log") {}

  void add_statistics(StatisticSet& set) {
    ObjectServer::add_statistics(set);
    const std::string prefix = os_.node().name() + ".log.";
    set.counter(prefix + "writes", "runs of bytes put into the log", "1", writes_);
    set.counter(prefix + "waits", "writes that waited for room", "1", waits_);
    set.counter(prefix + "merges", "stripes merged", "1", merges_);
    set.counter(prefix + "part_merges", "merged stripes that first had to be read in part", "1", part_merges_);
    set.counter(prefix + "read_bytes", "bytes that reads found in the log", "B", from_log_);
  }

 private:
  os::Task<std::byte*> room(std::uint64_t bytes) override {
    std::byte* data = log_.take(bytes);
    if (!data) ++waits_;
    for (++waiting_; !data; data = log_.take(bytes)) {
      merge_some();
      co_await merged_.wait();
    }
    --waiting_;
    co_return data;
  }

  os::Task<hal::Status> keep(std::span<const striped::Part> parts, std::byte* data) override {
    for (const striped::Part& part : parts) {
      os_.charge(os::Cost::log_append);
      ++writes_;
      const Key stripe{part.file, part.stripe};
      log_.publish(stripe, {part.from, part.from + part.bytes}, data);
      data += part.bytes;
      if (whole(stripe)) whole_.push_back(stripe);
    }
    merge_some();
    co_return hal::Status::ok;
  }

  void give_back(std::byte* data, std::uint64_t bytes) override {
    log_.give_back(data, bytes);
    merged_.wake_all();
  }

  os::Task<hal::Status> fetch(const striped::Part& part, std::byte* buffer) override {
    const io::ByteRange range{part.from, part.from + part.bytes};
    // The read keeps these versions, even if the log drops them.
    std::vector<std::pair<std::uint32_t, content::Content>> newest;
    std::uint32_t found = 0;
    const std::uint32_t from = part.from - part.from % volume_.sector_bytes();
    for (const VersionLog::Piece& piece : log_.newest({part.file, part.stripe}, range)) {
      newest.emplace_back(piece.range.from - from, content::Content{});
      os_.memory().read(piece.data, piece.range.bytes(), newest.back().second);
      found += piece.range.bytes();
    }
    os_.charge(os::Cost::directory_entry, 1.0 + static_cast<double>(newest.size()));
    from_log_ += found;
    if (found < part.bytes) {
      const hal::Status status = co_await transfer({part.file, part.stripe}, {from, range.to}, buffer, false);
      if (status != hal::Status::ok) co_return status;
    }
    for (const auto& [at, bytes] : newest) os_.memory().write(buffer + at, bytes);
    co_return hal::Status::ok;
  }

  os::Task<hal::Status> sync(std::vector<requests::Failed>& lost) override {
    ++waiting_;
    for (merge_some(); !log_.empty(); merge_some()) co_await merged_.wait();
    --waiting_;
    const hal::Status status = co_await io::sync(node_, volume_, lost_);
    lost.swap(lost_);
    co_return status;
  }

  /// Begins to merge complete stripes; incomplete ones, too, if a write waits or the log is rather full.
  void merge_some() {
    const auto most = params_.merges * node_.store.units();
    while (merging_ < most && !whole_.empty()) {
      const Key stripe = whole_.front();
      whole_.pop_front();
      if (log_.holds(stripe) && !log_.merging(stripe) && whole(stripe)) begin_merge(stripe);
    }
    const auto full = static_cast<std::uint64_t>(params_.merge_above * static_cast<double>(params_.size.count));
    while (merging_ < most && log_.oldest() && (waiting_ > 0 || log_.used() > full)) begin_merge(*log_.oldest());
  }

  // Takes a copy of the key, which may be the log's own: the log forgets it when the merge begins.
  void begin_merge(Key stripe) {
    ++merging_;
    ++merges_;
    const VersionLog::Version up_to = log_.begin_merge(stripe);
    os_.spawn(merge(stripe, up_to, log_.newest(stripe, {0, volume_.block_bytes()})), "merge");
  }

  os::Task<> merge(Key stripe, VersionLog::Version up_to, std::vector<VersionLog::Piece> pieces) {
    io::ByteRange range{pieces.front().range.from, pieces.back().range.to};
    const std::uint32_t sector = volume_.sector_bytes();
    std::uint32_t bytes = 0;
    for (const VersionLog::Piece& piece : pieces) bytes += piece.range.bytes();
    const bool gaps = range.bytes() != bytes || range.from % sector != 0 ||
                      (range.to % sector != 0 && range.to != volume_.bytes_in_block(stripe.first, stripe.second));
    range.from -= range.from % sector;
    if (buffers_.empty()) buffers_.push_back(os_.node().allocate(volume_.block_bytes()));
    std::byte* const buffer = buffers_.back();
    buffers_.pop_back();
    hal::Status status = hal::Status::ok;
    if (gaps) {
      ++part_merges_;
      status = co_await transfer(stripe, range, buffer, false);
    }
    os_.charge(os::Cost::directory_entry, static_cast<double>(pieces.size()));
    // No copy of the processor's: disks take lists of addresses.
    for (const VersionLog::Piece& piece : pieces)
      os_.memory().copy(buffer + (piece.range.from - range.from), piece.data, piece.range.bytes());
    if (status == hal::Status::ok) status = co_await transfer(stripe, range, buffer, true);
    if (status != hal::Status::ok)
      for (const VersionLog::Piece& piece : pieces)
        lost_.push_back({stripe.first, requests::Operation::write,
                         stripe.second * volume_.block_bytes() + piece.range.from, piece.range.bytes(), status});
    log_.end_merge(stripe, up_to);
    buffers_.push_back(buffer);
    --merging_;
    if (log_.holds(stripe) && whole(stripe)) whole_.push_back(stripe);
    merge_some();
    merged_.wake_all();
  }

  os::Task<hal::Status> transfer(const Key& stripe, io::ByteRange range, std::byte* memory, bool write) {
    io::AwaitedRequest request(os_);
    volume_.aim(request, stripe.first, stripe.second, range.from, range.bytes());
    request.data = {memory};
    request.write = write;
    co_return co_await request.carry_out(node_.store);
  }

  bool whole(const VersionLog::Key& stripe) const {
    return log_.bytes(stripe) == volume_.bytes_in_block(stripe.first, stripe.second);
  }

  const LogParams params_;
  VersionLog log_;
  std::deque<VersionLog::Key> whole_;  // complete stripes: may be merged at once
  std::uint32_t merging_ = 0;
  std::uint32_t waiting_ = 0;  // calls that wait for room, or for all merges
  os::WaitQueue merged_;
  std::vector<std::byte*> buffers_;
  std::vector<requests::Failed> lost_;
  std::uint64_t writes_ = 0, merges_ = 0, part_merges_ = 0, waits_ = 0, from_log_ = 0;
};

}  // namespace sunstar::file_systems::versioned
