// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "sw/file_systems/striped/object_server.h"
#include "sw/file_systems/versioned/params.h"
#include "sw/file_systems/versioned/version_log.h"

namespace sunstar::file_systems::versioned {

/// An I/O processor: a server of objects that answers a write when its bytes are in the log. It merges complete
/// stripes, or the oldest ones if the log is full: their bytes go to the store. A read gets the version of each byte
/// that was the newest when it began, or a later one.
class LogServer final : public striped::ObjectServer {
 public:
  LogServer(System& system, const striped::Messages& messages, const Params& params, std::uint32_t io_processor);

  void add_statistics(StatisticSet& set);

 private:
  os::Task<std::byte*> room(std::uint64_t bytes) override;
  os::Task<hal::Status> keep(std::span<const striped::Part> parts, std::byte* data) override;
  void give_back(std::byte* data, std::uint64_t bytes) override;
  os::Task<hal::Status> fetch(const striped::Part& part, std::byte* buffer) override;
  os::Task<hal::Status> sync(std::vector<requests::Failed>& lost) override;

  void merge_some();
  void begin_merge(VersionLog::Key stripe);
  os::Task<> merge(VersionLog::Key stripe, VersionLog::Version up_to, std::vector<VersionLog::Piece> pieces);
  os::Task<hal::Status> transfer(const VersionLog::Key& stripe, io::ByteRange range, std::byte* memory, bool write);
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
