// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_map.hpp>
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
              GiveUp give_up)
      : system_(system),
        messages_(messages),
        targets_(targets),
        endpoint_(endpoint),
        os_(endpoint.os),
        give_up_(std::move(give_up)),
        changed_(os_, "a lock") {
    messages.call_back.on_arrival<os::Cost::request_decode>(os_, [this](hal::Message& m) {
      const CallBack asked = messages::Kind<CallBack>::header(m);
      const hal::NodeId server = m.source;
      os_.receive(m);
      os_.spawn_at(os_.handler_end(), called_back(server, asked), "lock call back");
    });
  }

  struct Acquired {
    Lock* lock = nullptr;  ///< null if the server could not be asked, or has refused
    hal::Status status = hal::Status::ok;
  };

  /// A lock of that extent, held or asked for, to be used until done(). `flags`: of an Enqueue.
  os::Task<Acquired> acquire(const striped::ObjectExtent& wanted, Mode mode, std::uint16_t flags) {
    if (Lock* const lock = match(wanted, mode)) {
      ++counts_.matched;
      ++lock->users;
      co_return Acquired{lock};
    }
    ++counts_.asked;
    const hal::NodeId server = server_of(wanted.object);
    if (answers_.empty()) answers_.push_back(os_.node().allocate(sizeof(Granted)));
    std::byte* const answer = answers_.back();
    answers_.pop_back();
    messages::ReplyAction reply(endpoint_);
    const Enqueue ask{.reply = reply.expect(server, answer),
                      .extent = wanted.extent,
                      .file = wanted.object.file,
                      .object = wanted.object.object,
                      .connection = targets_.connection(server),
                      .mode = mode,
                      .flags = flags};
    asking_.emplace(server, ask.reply.expected);
    co_await os_.send(messages_.enqueue.message(server, ask));
    while (reply.outstanding()) co_await reply.arrival();
    asking_.erase(asking_.find({server, ask.reply.expected}));
    changed_.wake_all();
    Acquired acquired{nullptr, reply.take_status()};
    Granted granted;
    std::memcpy(&granted, answer, sizeof granted);
    answers_.push_back(answer);
    if (acquired.status == hal::Status::refused) targets_.refused(server, ask.connection);
    if (acquired.status != hal::Status::ok) co_return acquired;
    if (granted.lock == 0 || ask.connection != targets_.connection(server)) {
      ++counts_.refused;
      if (granted.lock != 0) acquired.status = hal::Status::refused;
      co_return acquired;
    }
    const auto at = locks_[wanted.object].emplace(
        granted.extent.begin,
        Lock{granted.lock, wanted.object, granted.extent, mode, 1, granted.called_back != 0, false, nullptr});
    by_id_.emplace(granted.lock, at);
    acquired.lock = &at->second;
    co_return acquired;
  }

  void done(Lock& lock) {
    if (--lock.users > 0) return;
    if (lock.unused) lock.unused->wake_all();
    else if (lock.gone) erase(lock.id);
  }

  /// The server has evicted this node.
  // Processes that use a lock of that server go on with it: the server refuses their writes.
  void forget(hal::NodeId server) {
    std::vector<LockTable::Id> unused;
    for (auto& [object, locks] : locks_) {
      if (server_of(object) != server) continue;
      for (auto& [begin, lock] : locks) {
        lock.called_back = lock.gone = true;
        if (lock.users == 0 && !lock.unused) unused.push_back(lock.id);
      }
    }
    for (const LockTable::Id id : unused) erase(id);
    changed_.wake_all();
  }

  struct Counts {
    std::uint64_t matched = 0, asked = 0, returned = 0, refused = 0;
  };
  Counts& counts() { return counts_; }

 private:
  using Locks = std::multimap<std::uint64_t, Lock>;  // by begin

  Lock* match(const striped::ObjectExtent& wanted, Mode mode) {
    const auto charged = os_.charged<os::Cost::lock_match>();
    const auto object = locks_.find(wanted.object);
    if (object == locks_.end()) return nullptr;
    auto at = object->second.upper_bound(wanted.extent.begin);
    for (int looked = 0; looked < 8 && at != object->second.begin(); ++looked) {  // locks for reading may be many
      Lock& lock = (--at)->second;
      if (!lock.called_back && lock.extent.covers(wanted.extent) && (mode == Mode::read || lock.mode == Mode::write))
        return &lock;
      if (lock.mode == Mode::write) break;  // no other lock overlaps it, so no earlier one covers the extent
    }
    return nullptr;
  }

  // The call may overtake the answer that grants the lock; that answer may also have been lost.
  os::Task<> called_back(hal::NodeId server, CallBack asked) {
    while (asked.connection == targets_.connection(server) && !by_id_.contains(asked.lock) &&
           asking_.contains({server, asked.request}))
      co_await changed_.wait();
    if (const auto found = by_id_.find(asked.lock); found != by_id_.end()) {
      Lock& lock = found->second->second;
      os::WaitQueue unused(os_, "a lock that is called back");
      lock.called_back = true;
      lock.unused = &unused;
      while (lock.users > 0) co_await unused.wait();
      if (!lock.gone) co_await give_up_(lock.object, lock.extent);
      erase(asked.lock);
      ++counts_.returned;
    }
    co_await os_.send(endpoint_.reply(server, asked.reply));
  }

  void erase(LockTable::Id id) {
    const auto found = by_id_.find(id);
    const striped::ObjectId object = found->second->second.object;
    Locks& locks = locks_.at(object);
    locks.erase(found->second);
    if (locks.empty()) locks_.erase(object);
    by_id_.erase(found);
  }

  hal::NodeId server_of(striped::ObjectId object) const {
    return targets_.server_of(system_.volume.unit_of(object.file, object.object));
  }

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
