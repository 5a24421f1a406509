// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "sw/file_systems/locking/messages.h"
#include "sw/file_systems/striped/targets.h"

namespace sunstar::file_systems::locking {

/// The locks that a node has, for all its processes. It keeps a lock until the server calls it back; the calls that use
/// it end first, and the bytes written under it go to the server.
class ClientLocks {
 public:
  struct Lock {
    LockTable::Id id = 0;
    striped::ObjectId object;
    Extent extent;
    Mode mode = Mode::read;
    std::uint32_t users = 0;
    bool called_back = false;         ///< nobody begins to use it any more
    bool gone = false;                ///< evicted: it leaves when nobody uses it
    os::WaitQueue* unused = nullptr;  ///< of the thread that waits until `users` is 0
  };
  /// `give_up` is awaited before a lock is returned: it writes back and forgets the pages cached under the lock.
  using GiveUp = std::function<os::Task<>(striped::ObjectId, Extent)>;
  ClientLocks(System& system, const Messages& messages, striped::Targets& targets, messages::Endpoint& endpoint,
              GiveUp give_up);

  struct Acquired {
    Lock* lock = nullptr;  ///< null if the server could not be asked, or has refused
    hal::Status status = hal::Status::ok;
  };
  /// A lock of that extent, held or asked for, to be used until done(). `flags`: of an Enqueue.
  os::Task<Acquired> acquire(const striped::ObjectExtent& wanted, Mode mode, std::uint16_t flags);
  void done(Lock& lock);
  /// The server has evicted this node.
  void forget(hal::NodeId server);

  struct Counts {
    std::uint64_t matched = 0, asked = 0, returned = 0, refused = 0;
  };
  Counts& counts() { return counts_; }

 private:
  using Locks = std::multimap<std::uint64_t, Lock>;  // by begin
  Lock* match(const striped::ObjectExtent& wanted, Mode mode);
  os::Task<> called_back(hal::NodeId server, CallBack asked);
  void erase(LockTable::Id id);
  hal::NodeId server_of(striped::ObjectId object) const;

  System& system_;
  const Messages& messages_;
  striped::Targets& targets_;
  messages::Endpoint& endpoint_;
  os::Os& os_;
  const GiveUp give_up_;
  std::map<striped::ObjectId, Locks> locks_;
  boost::unordered_flat_map<LockTable::Id, Locks::iterator> by_id_;
  // Requests for locks whose answers no thread has seen: the server, and the name of the reply. Once an answer has
  // come, another request may have the name.
  std::multiset<std::pair<hal::NodeId, std::uint32_t>> asking_;
  os::WaitQueue changed_;
  std::vector<std::byte*> answers_;
  Counts counts_;
};

}  // namespace sunstar::file_systems::locking
