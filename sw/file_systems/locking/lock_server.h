// SPDX-License-Identifier: MIT
#pragma once
#include <map>

#include "sw/file_systems/locking/messages.h"
#include "sw/file_systems/locking/params.h"
#include "sw/file_systems/striped/object_server.h"
#include "sw/os/mutex.h"

namespace sunstar::file_systems::locking {

/// An I/O processor: a server of objects and of their locks. It has no cache: it writes clients' bytes to the store at
/// once, and answers when they are there.
///
/// A client that does not answer a call back, because it is gone, is evicted: it loses its locks and requests once the
/// writes that it had begun have ended. Should it be there after all, its requests are refused until it knows.
class LockServer final : public striped::ObjectServer {
 public:
  LockServer(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor);

  void add_statistics(StatisticSet& set);

 private:
  os::Task<std::byte*> room(std::uint64_t bytes) override;
  os::Task<hal::Status> keep(std::span<const striped::Part> parts, std::byte* data) override;
  void give_back(std::byte* data, std::uint64_t bytes) override;
  os::Task<hal::Status> fetch(const striped::Part& part, std::byte* buffer) override;
  os::Task<hal::Status> sync(std::vector<requests::Failed>& lost) override;
  bool admits(hal::NodeId client, std::uint32_t its) override { return its == connection(client); }

  std::uint32_t connection(hal::NodeId client) const;
  using Id = LockTable::Id;
  struct Entry {
    hal::NodeId client;
    striped::ObjectId object;
    messages::ReplyTo reply;  ///< of a request that waits
    bool granted = false;
  };
  os::Task<> enqueue(hal::NodeId client, Enqueue asked);
  os::Task<> carry_out(LockTable::Steps steps);
  os::Task<> answer(hal::NodeId client, messages::ReplyTo reply, Granted granted);
  os::Task<> call_back(Id lock);
  os::Task<> release(Id lock);
  os::Task<> evict(hal::NodeId client, Id because_of);

  const Messages& messages_;
  const std::uint64_t request_size_;
  std::vector<std::byte*> data_, answers_;  // buffers
  std::map<striped::ObjectId, LockTable> tables_;
  boost::unordered_flat_map<Id, Entry> entries_;
  std::map<hal::NodeId, std::uint32_t> connections_;  // of clients that have been evicted, how often
  os::Mutex evicting_;
  Id next_;
  std::uint64_t granted_ = 0, waited_ = 0, refused_ = 0, called_back_ = 0, evicted_ = 0;
};

}  // namespace sunstar::file_systems::locking
