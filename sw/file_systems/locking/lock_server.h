// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_map.hpp>
#include <map>

#include "sw/file_systems/locking/messages.h"
#include "sw/file_systems/locking/params.h"
#include "sw/file_systems/striped/object_server.h"
#include "sw/io/page_cache/page_cache.h"
#include "sw/io/sync.h"
#include "sw/os/mutex.h"

namespace sunstar::file_systems::locking {

/// An I/O processor: a server of objects and of their locks. It answers a write when the bytes are in the store or, if
/// it has one, in its page cache.
///
/// A client that does not answer a call back, because it is gone, is evicted: it loses its locks and requests once the
/// writes that it had begun have ended. Should it be there after all, its requests are refused until it knows.
class LockServer final : public striped::ObjectServer {
 public:
  LockServer(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor)
      : ObjectServer(system, messages, params.objects, io_processor),
        messages_(messages),
        request_size_(params.objects.request_size.count),
        cache_(params.server_pages ? std::make_unique<io::PageCache>(node_, volume_, *params.server_pages) : nullptr),
        evicting_(os_, "an eviction"),
        next_((std::uint64_t{io_processor} << 40) + 1) {
    messages.enqueue.on_arrival<os::Cost::request_decode>(os_, [this](hal::Message& m) {
      const Enqueue asked = messages::Kind<Enqueue>::header(m);
      const hal::NodeId client = m.source;
      os_.receive(m);
      os_.spawn_at(os_.handler_end(), enqueue(client, asked), "lock request");
    });
  }

  void add_statistics(StatisticSet& set) {
    ObjectServer::add_statistics(set);
    if (cache_) cache_->add_statistics(set, os_.node().name() + ".server_pages");
    const std::string prefix = os_.node().name() + ".locks.";
    set.counter(prefix + "granted", "locks granted", "1", granted_);
    set.counter(prefix + "waited", "requests for locks that had to wait", "1", waited_);
    set.counter(prefix + "refused", "requests in advance that would have had to wait", "1", refused_);
    set.counter(prefix + "called_back", "locks called back", "1", called_back_);
    set.counter(prefix + "evicted", "clients whose locks were taken", "1", evicted_);
  }

 private:
  os::Task<std::byte*> room(std::uint64_t) override {
    if (data_.empty()) data_.push_back(os_.node().allocate(request_size_ + volume_.sector_bytes()));
    std::byte* const buffer = data_.back();
    data_.pop_back();
    co_return buffer;
  }

  os::Task<hal::Status> keep(std::span<const striped::Part> parts, std::byte* data) override {
    const hal::Status status = cache_ ? co_await keep_in_cache(parts, data) : co_await keep_in_store(parts, data);
    data_.push_back(data);
    co_return status;
  }

  os::Task<hal::Status> keep_in_cache(std::span<const striped::Part> parts, const std::byte* data) {
    hal::Status status = hal::Status::ok;
    for (const striped::Part& part : parts) {
      content::Content bytes;
      os_.memory().read(data, part.bytes, bytes);
      const hal::Status its = co_await cache_->write(part.file, part.stripe, part.from, bytes);
      if (its != hal::Status::ok) status = its;
      data += part.bytes;
    }
    co_return status;
  }

  os::Task<hal::Status> keep_in_store(std::span<const striped::Part> parts, std::byte* data) {
    std::deque<io::AwaitedRequest> writes;
    std::byte* from = data;
    for (const striped::Part& part : parts) {
      io::AwaitedRequest& one = writes.emplace_back(os_);
      volume_.aim(one, part.file, part.stripe, part.from, part.bytes);
      one.write = true;
      one.data = {from};
      one.begin(node_.store);
      from += part.bytes;
    }
    hal::Status status = hal::Status::ok;
    for (io::AwaitedRequest& one : writes)
      if (const hal::Status its = co_await one.end(); its != hal::Status::ok) status = its;
    co_return status;
  }

  void give_back(std::byte* data, std::uint64_t) override { data_.push_back(data); }

  os::Task<hal::Status> fetch(const striped::Part& part, std::byte* buffer) override {
    if (cache_) {
      const auto found = co_await cache_->read(0, part.file, part.stripe, part.from, part.bytes);
      if (!found.cluster) co_return found.status;
      os_.copy(buffer + part.from % volume_.sector_bytes(), found.cluster->base + part.from, part.bytes);
      co_await os_.settle();
      cache_->release(*found.cluster);
      co_return hal::Status::ok;
    }
    io::AwaitedRequest read(os_);
    volume_.aim(read, part.file, part.stripe, part.from, part.bytes);
    read.data = {buffer};
    co_return co_await read.carry_out(node_.store);
  }

  os::Task<hal::Status> sync(std::vector<requests::Failed>& lost) override {
    if (cache_) {
      const hal::Status status = co_await cache_->sync();
      lost = std::exchange(cache_->lost(), {});
      co_return status;
    }
    const hal::Status status = co_await node_.store.synchronise();
    io::add_lost(co_await node_.store.take_lost_writes(), node_, volume_, lost);
    co_return status;
  }

  bool admits(hal::NodeId client, std::uint32_t its) override { return its == connection(client); }

  std::uint32_t connection(hal::NodeId client) const {
    const auto found = connections_.find(client);
    return found == connections_.end() ? 0 : found->second;
  }

  using Id = LockTable::Id;
  struct Entry {
    hal::NodeId client;
    striped::ObjectId object;
    messages::ReplyTo reply;  ///< of a request that waits
    bool granted = false;
  };

  os::Task<> enqueue(hal::NodeId client, Enqueue asked) {
    const striped::ObjectId object{asked.file, asked.object};
    if (!admits(client, asked.connection)) {
      asked.reply.status = hal::Status::refused;
      co_await answer(client, asked.reply, {});
      co_return;
    }
    const Id id = next_++;
    LockTable::Steps steps;
    {
      const auto charged = os_.charged<os::Cost::lock_request>();
      const LockTable::Request request{asked.extent, asked.mode, (asked.flags & Enqueue::exact) != 0,
                                       (asked.flags & Enqueue::no_wait) != 0};
      steps = tables_[object].request(id, request);
    }
    if (steps.refused) {
      ++refused_;
      co_await answer(client, asked.reply, {});
      co_return;
    }
    waited_ += steps.granted.empty();
    entries_.emplace(id, Entry{client, object, asked.reply});
    co_await carry_out(std::move(steps));
  }

  // The answers leave one after the other; each thread that calls back waits on its own.
  os::Task<> carry_out(LockTable::Steps steps) {
    for (const Id lock : steps.call_back) os_.spawn(call_back(lock), "lock call back");
    for (const LockTable::Grant& grant : steps.granted) {
      const auto found = entries_.find(grant.id);
      if (found == entries_.end()) continue;  // its client has been evicted meanwhile
      Entry& entry = found->second;
      entry.granted = true;
      ++granted_;
      if (grant.called_back) os_.spawn(call_back(grant.id), "lock call back");
      co_await answer(entry.client, entry.reply, {grant.id, grant.extent, grant.called_back});
    }
  }

  os::Task<> answer(hal::NodeId client, messages::ReplyTo reply, Granted granted) {
    if (answers_.empty()) answers_.push_back(os_.node().allocate(sizeof granted));
    std::byte* const buffer = answers_.back();
    answers_.pop_back();
    std::memcpy(buffer, &granted, sizeof granted);
    co_await node_.endpoint.answer(client, reply, buffer, sizeof granted);
    answers_.push_back(buffer);
  }

  os::Task<> call_back(Id lock) {
    const auto found = entries_.find(lock);
    if (found == entries_.end()) co_return;  // its client has been evicted
    ++called_back_;
    const hal::NodeId client = found->second.client;
    const std::uint32_t request = found->second.reply.expected;
    messages::ReplyAction returned(node_.endpoint);
    co_await os_.send(messages_.call_back.message(
        client,
        {.reply = returned.expect(client), .lock = lock, .connection = connection(client), .request = request}));
    while (returned.outstanding()) co_await returned.arrival();
    const bool gone = returned.take_status() == hal::Status::no_answer;
    if (gone) co_await evict(client, lock);
    else if (entries_.contains(lock)) co_await release(lock);
  }

  os::Task<> release(Id lock) {
    const auto found = entries_.find(lock);
    const striped::ObjectId object = found->second.object;
    entries_.erase(found);
    LockTable::Steps steps;
    {
      const auto charged = os_.charged<os::Cost::lock_request>();
      steps = tables_.at(object).release(lock);
    }
    co_await carry_out(std::move(steps));
  }

  os::Task<> evict(hal::NodeId client, Id because_of) {
    const auto guard = co_await evicting_.lock();
    if (!entries_.contains(because_of)) co_return;  // done already
    ++evicted_;
    ++connections_[client];
    std::vector<Id> its;
    for (const auto& [id, entry] : entries_)
      if (entry.client == client) its.push_back(id);
    std::ranges::sort(its);
    co_await done_with(client);
    for (const Id id : its) {
      const auto found = entries_.find(id);
      if (found == entries_.end()) continue;
      Entry& entry = found->second;
      entry.reply.status = hal::Status::refused;
      if (!entry.granted) co_await answer(client, entry.reply, {});
      if (entries_.contains(id)) co_await release(id);
    }
  }

  const Messages& messages_;
  const std::uint64_t request_size_;
  const std::unique_ptr<io::PageCache> cache_;  // null: none
  std::vector<std::byte*> data_, answers_;      // buffers
  std::map<striped::ObjectId, LockTable> tables_;
  boost::unordered_flat_map<Id, Entry> entries_;
  std::map<hal::NodeId, std::uint32_t> connections_;  // of clients that have been evicted, how often
  os::Mutex evicting_;
  Id next_;
  std::uint64_t granted_ = 0, waited_ = 0, refused_ = 0, called_back_ = 0, evicted_ = 0;
};

}  // namespace sunstar::file_systems::locking
