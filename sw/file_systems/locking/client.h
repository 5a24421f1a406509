// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <list>
#include <map>
#include <vector>

#include "sw/file_systems/locking/client_locks.h"
#include "sw/file_systems/locking/page_cache.h"
#include "sw/file_systems/locking/params.h"
#include "sw/file_systems/striped/node_client.h"

namespace sunstar::file_systems::locking {

/// The file system in a compute processor: a write-back cache of pages, all of them under locks. A call holds the locks
/// of all that it touches until it has ended, so it is atomic.
class Client final : public striped::NodeClient {
 public:
  Client(System& system, const Messages& messages, const Params& params, messages::Endpoint& endpoint);

  os::Task<> carry_out(const requests::Access& access, std::byte* memory, Failures& failed) override;
  os::Task<> announce(striped::FileRun run, requests::Operation operation) override;
  std::uint32_t announced() const override { return params_.lock_ahead; }
  os::Task<> flush() override;
  void count_cache(Losses& losses) const override;
  void add_statistics(StatisticSet& set) override;

 private:
  using Part = striped::Part;
  /// A call under way. Calls of the node's own processes, whose locks are the node's, wait for those that they overlap.
  struct Call {
    striped::FileRun run;
    bool writes;
  };
  struct Outcome {
    Part part;
    const ClientLocks::Lock* lock;
    hal::Status status = hal::Status::ok;
  };
  os::Task<> read_part(Outcome& outcome, std::byte* memory);
  os::Task<> write_part(Outcome& outcome, std::byte* memory);
  os::Task<PageCache::Stripe*> obtain(const BlockKey& key, std::uint32_t bytes);
  os::Task<hal::Status> fetch(PageCache::Stripe& stripe, io::ByteRanges missing);
  os::Task<> fetch_run(Part part, std::byte* memory, hal::Status& status);
  void send_full(striped::ObjectId object);
  bool send(striped::ObjectId object, const Extent& extent);
  os::Task<> send_taken(striped::ObjectId object, std::vector<PageCache::Taken> taken);
  os::Task<> write_back(striped::ObjectId object, Extent extent);
  os::Task<> give_up(striped::ObjectId object, Extent extent);
  void lose(const PageCache::Stripe& stripe, io::ByteRange range, hal::Status status);
  void evicted(hal::NodeId server);
  std::uint32_t unit_of(striped::ObjectId object) const { return system_.volume.unit_of(object.file, object.object); }

  System& system_;
  const Params params_;
  os::Os& os_;
  striped::Targets targets_;
  PageCache cache_;
  ClientLocks locks_;
  std::list<Call> calls_;
  os::WaitQueue call_ended_, sent_, room_;
  std::map<std::uint32_t, std::uint64_t> dirty_;  // changed bytes of a unit that have not been sent
  std::uint64_t fetched_ = 0, sends_ = 0, sent_bytes_ = 0, throttled_ = 0;
};

}  // namespace sunstar::file_systems::locking
