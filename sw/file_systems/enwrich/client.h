// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/file_systems/client_server.h"
#include "sw/file_systems/enwrich/messages.h"
#include "sw/file_systems/enwrich/write_cache.h"
#include "sw/io/striped_client.h"

namespace sunstar::file_systems::enwrich {

/// A compute processor: appends writes to its cache and takes part in flushes.
///
/// Reads are not cached: each goes to the disk. All caches are flushed before a read that opens the file: the
/// processor's first read of it, or its first since it last wrote to it.
class Client final : public ComputeProcessor, private messages::Peers::Waiter {
 public:
  Client(Run& run, Common& common, const Params& params, workload::Team& team, std::uint32_t processor);
  void start() { os_.spawn(flush_thread(), "flush"); }
  /// Makes the calls of its application.
  os::Task<> run();
  /// Flushes what all caches hold, as the run's last.
  os::Task<> sync();
  /// Flushes what all caches hold, and brings it to the media.
  os::Task<> fsync();
  /// Its node has stopped: counts what its cache held.
  void count_cache(Losses& losses) const;

 private:
  os::Task<> transfer(const requests::Access& access);
  os::Task<> write(const requests::Access& access);
  os::Task<> read(const requests::Access& access);
  /// Asks all nodes for a flush, unless one is wanted or under way already.
  os::Task<> begin_flush(Reason reason);
  bool flushing() const { return requested_ > completed_; }
  /// Waits until no flush is wanted or under way.
  os::Task<> flushed();
  /// Asks for a flush and waits for its end.
  os::Task<> flush(Reason reason);
  os::Task<> flush_thread();
  /// Sends each I/O processor the entries that concern its disks, or a message that there are none.
  os::Task<> send_directories();
  os::Task<> timeout_thread();
  bool due() const;
  /// Waits until all I/O processors are done that are there.
  os::Task<> all_done();
  void done(hal::NodeId io, const FlushDone& said);
  void lost(hal::NodeId io) override;
  /// What this flush was to bring to an I/O processor is lost.
  void lose(std::uint32_t io_processor, hal::Status status);
  void answer_piece(hal::Message& m);
  void answer_gather(hal::Message& m);
  void refuse(hal::Message& m, messages::ReplyTo to);
  const std::byte* cached(std::uint64_t time_stamp, std::uint64_t file_offset) const;

  const Messages& messages_;
  const WriteCacheParams& params_;
  Counters& counters_;
  messages::Barrier& flush_barrier_;
  io::StripedClient striped_;
  WriteCache cache_;
  std::byte* data_;  // the cache's data, a ring
  // Two buffers: I/O processors that have all directories gather while this processor still sends others theirs.
  std::byte* directory_;                         // a part of the directory before it is sent
  std::byte* gathered_;                          // pieces of a block before they are sent
  std::vector<char> opened_;                     // by file: whether it is open for reading
  std::uint64_t requested_ = 0, completed_ = 0;  // flushes, counted alike on all processors
  hal::Status lost_ = hal::Status::ok;           // what a flush has found out and no call has returned yet
  std::size_t done_ = 0;                         // I/O processors that are done with the current flush
  std::uint64_t last_time_stamp_ = 0;
  Time last_flush_{};
  bool last_ = false;  // the current flush is the run's last
  os::WaitQueue wanted_, all_done_, ended_;
  std::vector<char> done_by_;  // by I/O processor, on a machine of which something can fail
  bool sends_ = false;         // the directories of the current flush go out, or have gone
};

}  // namespace sunstar::file_systems::enwrich
