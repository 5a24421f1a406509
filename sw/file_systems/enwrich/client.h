// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/file_systems/enwrich/counters.h"
#include "sw/file_systems/enwrich/messages.h"
#include "sw/file_systems/enwrich/params.h"
#include "sw/file_systems/enwrich/write_cache.h"
#include "sw/io/striped_client.h"
#include "sw/messages/barrier.h"

namespace sunstar::file_systems::enwrich {

/// A compute processor: appends writes to its cache and takes part in flushes.
///
/// Reads are not cached: each goes to the disk, after a flush if the processor opens the file, that is, reads it for
/// the first time or for the first time after writing to it.
class Client {
 public:
  struct Barriers {
    messages::Barrier &calls, &flushes;
  };
  Client(System& system, const Messages& messages, const WriteCacheParams& params, Counters& counters,
         const Barriers& barriers, std::uint32_t processor);

  /// Starts the program, and the threads that flush.
  void start();
  /// The processor stops at the end of the flush under way, or now: its program ends and its cache is lost.
  void stop();
  /// Entries that its directory can ever hold.
  std::uint64_t most_entries() const { return cache_.most_entries(); }

 private:
  os::Task<> main();
  os::Task<> transfer(const workload::Access& access);
  os::Task<> write(const workload::Access& access);
  os::Task<> read(const workload::Access& access);
  /// Tells everybody, unless a flush is wanted or under way already.
  os::Task<> begin_flush(Reason reason);
  bool flushing() const { return requested_ > completed_; }
  /// Waits until no flush is wanted or under way.
  os::Task<> flushed();
  /// Flushes and waits for the end of it.
  os::Task<> flush(Reason reason);
  os::Task<> flush_thread();
  /// To each I/O processor the entries that concern its disks, or that there are none.
  os::Task<> send_directories();
  os::Task<> timeout_thread();
  bool due() const;
  void answer_piece(hal::Message& m);
  void answer_gather(hal::Message& m);
  const std::byte* cached(std::uint64_t time_stamp, std::uint64_t file_offset) const;

  System& system_;
  const Messages& messages_;
  const WriteCacheParams& params_;
  Counters& counters_;
  Barriers barriers_;
  std::uint32_t processor_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  io::StripedClient striped_;
  WriteCache cache_;
  std::byte* data_;                              // of the cache, a ring
  std::byte* staging_;                           // a directory on its way out
  std::vector<char> opened_;                     // by file: for reading
  std::uint64_t requested_ = 0, completed_ = 0;  // flushes, counted alike on all processors
  std::size_t done_ = 0;                         // I/O processors that have ended the present one
  std::uint64_t last_time_stamp_ = 0;
  Time last_flush_{};
  bool last_ = false;  // the present flush is the run's last
  os::WaitQueue wanted_, all_done_, ended_;
  bool stopping_ = false;  // at the end of the present flush
  bool stopped_ = false;
};

}  // namespace sunstar::file_systems::enwrich
