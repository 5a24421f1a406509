// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "sw/file_systems/pvfs/iod/directory.h"
#include "sw/file_systems/pvfs/iod/page_cache.h"
#include "sw/file_systems/pvfs/protocol/messages.h"
#include "sw/file_systems/system.h"

namespace sunstar::file_systems::pvfs {

/// A data node's daemon (section 3.1), which serves requests for its part of the files from local files; beside it, the
/// flusher's counterpart, which writes what caches flush. The iod is one process: requests share it while they send or
/// receive, but a local read or write holds it until the kernel returns.
class Iod {
 public:
  Iod(System& system, const Messages& messages, const Params& params, Versions& versions, std::uint32_t io_processor);

  void add_statistics(StatisticSet& set);

 private:
  /// Data that have come and are not in the kernel yet.
  struct Piece {
    std::uint64_t offset;
    content::Content data;
  };
  /// A request being served. Its data may overtake it on some networks.
  struct Job final : messages::Peers::Waiter {
    explicit Job(os::Os& os) : arrival(os, "data for an iod") {}
    void lost(hal::NodeId) override {
      source_gone = true;
      arrival.wake_all();
    }
    Request request;
    hal::NodeId source{};
    std::deque<Piece> arrived;
    os::WaitQueue arrival;
    bool source_gone = false;
    bool given_up = false;  ///< data that come late are dropped
  };
  using JobId = std::pair<hal::NodeId, std::uint32_t>;

  Job& job(hal::NodeId source, std::uint32_t number);
  void receive_data(hal::Message& m);
  void receive_flush(hal::Message& m);
  os::Task<> serve(Job& job);
  os::Task<> read(Job& job);
  os::Task<> write(Job& job);
  os::Task<> flush(hal::NodeId source, Flush flush, Piece piece);
  os::Task<hal::Status> store(std::uint32_t file, const Piece& piece);
  /// Notes what the kernel has lost: the answer that leaves next tells. Returns its status.
  hal::Status tell_lost();
  os::Task<> fetch_from_caches(hal::NodeId reader, std::uint32_t file, std::uint64_t stripe, std::uint32_t at,
                               std::uint32_t bytes);
  os::Task<> invalidate(hal::NodeId writer, const FileRun& run);
  os::Task<> sync(hal::NodeId source, messages::ReplyTo to);
  bool mine(std::uint64_t stripe) const { return volume_.server_of(stripe) == io_processor_; }
  template <class Visit>
  void for_each_block(const FileRun& run, Visit visit) const;
  /// Whether the run has all of the block's bytes.
  bool whole(const FileRun& run, const BlockKey& block) const;

  const Messages& messages_;
  const Params params_;
  io::Volume& volume_;
  requests::Recorder& record_;
  Versions& versions_;
  const std::uint32_t io_processor_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  PageCache pages_;
  Directory directory_;
  os::Mutex process_, flusher_;
  std::map<JobId, Job> jobs_;
  std::byte* fetched_ = nullptr;  // a block from another node's cache
  std::uint64_t reads_ = 0, writes_ = 0, flushes_ = 0, invalidations_ = 0, from_caches_ = 0;
};

}  // namespace sunstar::file_systems::pvfs
