// SPDX-License-Identifier: MIT
#include "sw/file_systems/locking/client_locks.h"
#include "sw/file_systems/locking/lock_server.h"
#include "sw/file_systems/locking/page_cache.h"
#include "sw/file_systems/striped/node_client.h"
#include "sw/file_systems/striped/process.h"

namespace sunstar::file_systems::locking {

using io::ByteRange;
using io::ByteRanges;
using os::Cost;
using striped::FileRun;
using striped::ObjectId;

/// The file system in a compute processor: a write-back cache of pages, all of them under locks. A call holds the locks
/// of its bytes until it has ended, so it is atomic.
class Client final : public striped::NodeClient {
 public:
  Client(System& system, const Messages& messages, const Params& params, messages::Endpoint& endpoint)
      : system_(system),
        params_(params),
        os_(endpoint.os),
        targets_(system, messages, params.objects, endpoint),
        cache_(os_, system.volume, params.pages.size.count),
        locks_(system, messages, targets_, endpoint,
               [this](ObjectId object, Extent extent) { return give_up(object, extent); }),
        call_ended_(os_, "a call of another process on the same bytes"),
        sent_(os_, "changed pages on their way to the server"),
        room_(os_, "room in the cache") {
    targets_.when_evicted = [this](hal::NodeId server) { evicted(server); };
  }

  os::Task<> carry_out(const requests::Access& access, std::byte* memory, Failures& failed) override {
    const FileRun run{access.file, access.offset, access.bytes};
    const bool writes = access.operation == requests::Operation::write;
    const auto in_the_way = [&](const Call& other) {
      return other.run.file == run.file && (writes || other.writes) && other.run.offset < run.offset + run.bytes &&
             run.offset < other.run.offset + other.run.bytes;
    };
    while (std::ranges::any_of(calls_, in_the_way)) co_await call_ended_.wait();
    const auto call = calls_.insert(calls_.end(), {run, writes});
    std::vector<ClientLocks::Acquired> locks;
    std::vector<striped::ObjectExtent> extents = striped::extents_of(system_.volume, run);
    const Mode mode = writes ? Mode::write : Mode::read;
    for (const striped::ObjectExtent& wanted : extents) {
      const auto acquired = co_await locks_.acquire(wanted, mode, params_.lock_ahead > 0 ? Enqueue::exact : 0);
      locks.push_back(acquired);
    }
    std::deque<Outcome> parts;
    striped::for_each_part(system_.volume, run, [&](const Part& part) {
      const ObjectId object = striped::object_of(system_.volume, part.file, part.stripe);
      const auto its = std::ranges::lower_bound(extents, object, {}, &striped::ObjectExtent::object);
      const ClientLocks::Acquired& lock = locks[static_cast<std::size_t>(its - extents.begin())];
      parts.push_back({part, lock.lock, lock.status});
    });
    striped::Together together(os_, "part of a call");
    std::byte* at = memory;
    for (Outcome& one : parts) {
      auto work = writes ? write_part(one, at) : read_part(one, at);
      if (writes || parts.size() == 1) co_await work;
      else together.add(std::move(work));
      at += one.part.bytes;
    }
    co_await together.all();
    for (const Outcome& one : parts)
      if (one.status != hal::Status::ok)
        failed.push_back({run.file, access.operation, offset_of(system_.volume, one.part), one.part.bytes, one.status});
    for (const ClientLocks::Acquired& one : locks)
      if (one.lock) locks_.done(*one.lock);
    calls_.erase(call);
    call_ended_.wake_all();
  }

  os::Task<> announce(FileRun run, requests::Operation operation) override {
    const Mode mode = operation == requests::Operation::write ? Mode::write : Mode::read;
    for (const striped::ObjectExtent& wanted : striped::extents_of(system_.volume, run)) {
      const auto acquired = co_await locks_.acquire(wanted, mode, Enqueue::exact | Enqueue::no_wait);
      if (acquired.lock) locks_.done(*acquired.lock);
    }
  }

  std::uint32_t announced() const override { return params_.lock_ahead; }
  os::Task<> flush() override {
    for (const ObjectId object : cache_.objects()) co_await write_back(object, {0, striped::no_end});
  }

  void count_cache(Losses& losses) const override {
    cache_.for_each([&](const PageCache::Stripe& stripe) { losses.add_cached(stripe, system_.volume.block_bytes()); });
  }

  void add_statistics(StatisticSet& set) override {
    const std::string name = os_.node().name();
    set.counter(name + ".page_cache.fetched", "requests for pages", "1", fetched_);
    set.counter(name + ".page_cache.sends", "requests to write changed pages", "1", sends_);
    set.counter(name + ".page_cache.sent_bytes", "bytes of those pages", "B", sent_bytes_);
    set.counter(name + ".page_cache.throttled", "times that a call waited until changed pages had been sent", "1",
                throttled_);
    ClientLocks::Counts& locks = locks_.counts();
    set.counter(name + ".locks.matched", "parts of calls for which the node had a lock", "1", locks.matched);
    set.counter(name + ".locks.asked", "locks asked for", "1", locks.asked);
    set.counter(name + ".locks.returned", "locks returned because a server called them back", "1", locks.returned);
    set.counter(name + ".locks.not_ahead", "locks that were not to be had in advance", "1", locks.refused);
  }

 private:
  using Part = striped::Part;
  /// A call under way. The node's processes share its locks, so an overlapping call of theirs waits for this one.
  struct Call {
    striped::FileRun run;
    bool writes;
  };
  struct Outcome {
    Part part;
    const ClientLocks::Lock* lock;
    hal::Status status = hal::Status::ok;
  };
  os::Task<> read_part(Outcome& outcome, std::byte* memory) {
    if (outcome.status != hal::Status::ok) co_return;
    const Part& part = outcome.part;
    const BlockKey key{part.file, part.stripe};
    const ByteRange range{part.from, part.from + part.bytes}, pages = cache_.whole_pages(key, range);
    PageCache::Stripe& stripe = *co_await obtain(key, pages.bytes());
    hal::Status status = hal::Status::ok;
    {
      const auto guard = co_await stripe.mutex.lock();
      ByteRanges missing(pages);
      missing.remove(stripe.valid());
      if (!missing.empty()) status = co_await fetch(stripe, missing);
      if (outcome.lock->gone) status = hal::Status::refused;
      if (status == hal::Status::ok) os_.copy(memory, stripe.data() + part.from, part.bytes);
    }
    stripe.unpin();
    room_.wake_all();
    outcome.status = status;
  }

  // A page that is written in part must be there.
  os::Task<> write_part(Outcome& outcome, std::byte* memory) {
    if (outcome.status != hal::Status::ok) co_return;
    const Part& part = outcome.part;
    const BlockKey key{part.file, part.stripe};
    const std::uint32_t unit = targets_.unit_of(part);
    const ByteRange range{part.from, part.from + part.bytes}, pages = cache_.whole_pages(key, range);
    std::uint64_t& dirty = dirty_[unit];
    while (dirty > 0 && dirty + part.bytes > params_.pages.dirty.count) {
      ++throttled_;
      if (targets_.may_write(unit))
        for (const ObjectId object : cache_.changed())
          if (unit_of(object) == unit && targets_.may_write(unit)) send(object, {0, striped::no_end});
      co_await sent_.wait();
    }
    dirty += part.bytes;  // bytes that are written twice before they are sent count once: see below
    PageCache::Stripe& stripe = *co_await obtain(key, pages.bytes());
    hal::Status status = hal::Status::ok;
    {
      const auto guard = co_await stripe.mutex.lock();
      ByteRanges missing;
      if (range.from > pages.from) missing.add(cache_.whole_pages(key, {range.from, range.from + 1}));
      if (range.to < pages.to) missing.add(cache_.whole_pages(key, {range.to - 1, range.to}));
      missing.remove(stripe.valid());
      if (!missing.empty()) status = co_await fetch(stripe, missing);
      if (outcome.lock->gone) status = hal::Status::refused;
      const ObjectId object = striped::object_of(system_.volume, part.file, part.stripe);
      const std::uint64_t before = cache_.dirty_bytes(object);
      if (status == hal::Status::ok) {
        os_.copy(stripe.data() + part.from, memory, part.bytes);
        cache_.add_valid(stripe, pages);
        cache_.add_dirty(stripe, range);
      }
      dirty = dirty - part.bytes + (cache_.dirty_bytes(object) - before);
    }
    stripe.unpin();
    room_.wake_all();
    co_await os_.settle();
    send_full(striped::object_of(system_.volume, part.file, part.stripe));
    outcome.status = status;
  }

  os::Task<PageCache::Stripe*> obtain(const BlockKey& key, std::uint32_t bytes) {
    os_.charge(Cost::cache_lookup);
    for (;;) {
      if (PageCache::Stripe* const found = cache_.obtain(key, bytes)) {
        found->pin();
        co_return found;
      }
      ++throttled_;
      bool any = false;
      for (const ObjectId object : cache_.changed())
        if (!any && targets_.may_write(unit_of(object))) any = send(object, {0, striped::no_end});
      co_await room_.wait();
    }
  }

  /// Fetches pages of a stripe, all runs at a time.
  os::Task<hal::Status> fetch(PageCache::Stripe& stripe, ByteRanges missing) {
    std::vector<Part> runs;
    const auto most = static_cast<std::uint32_t>(params_.objects.request_size.count);
    for (const ByteRange range : missing)
      for (std::uint32_t at = range.from; at < range.to; at += most)
        runs.push_back({stripe.key().file, at, std::min(most, range.to - at), stripe.key().number});
    fetched_ += runs.size();
    hal::Status status = hal::Status::ok;
    striped::Together together(os_, "fetch of pages");
    for (const Part& run : runs) {
      auto work = fetch_run(run, stripe.data() + run.from, status);
      if (runs.size() == 1) co_await work;
      else together.add(std::move(work));
    }
    co_await together.all();
    if (status != hal::Status::ok) co_return status;
    for (const ByteRange range : missing) cache_.add_valid(stripe, range);
    co_return status;
  }

  os::Task<> fetch_run(Part part, std::byte* memory, hal::Status& status) {
    const hal::Status its = co_await targets_.read(part, memory);
    if (its != hal::Status::ok) status = its;
  }

  void send_full(ObjectId object) {
    while (cache_.dirty_bytes(object) >= params_.objects.request_size.count && targets_.may_write(unit_of(object)))
      if (!send(object, {0, striped::no_end})) return;
  }

  /// Begins to send changed bytes of the object in that extent; false if there are none to send.
  bool send(ObjectId object, const Extent& extent) {
    auto taken = cache_.take(object, extent, params_.objects.request_size.count);
    if (taken.empty()) return false;
    targets_.begin_write(unit_of(object));
    os_.spawn(send_taken(object, std::move(taken)), "write back");
    return true;
  }

  os::Task<> send_taken(ObjectId object, std::vector<PageCache::Taken> taken) {
    ++sends_;
    std::vector<striped::Targets::Piece> pieces;
    for (const PageCache::Taken& one : taken) {
      pieces.push_back({{object.file, one.pages.from, one.pages.bytes(), one.stripe->key().number},
                        one.stripe->data() + one.pages.from});
      sent_bytes_ += one.pages.bytes();
    }
    const hal::Status status = co_await targets_.write(pieces);
    std::uint64_t bytes = 0;
    for (const PageCache::Taken& one : taken) {
      bytes += one.stripe->sending().bytes();
      if (status != hal::Status::ok)
        for (const ByteRange range : one.stripe->sending()) lose(*one.stripe, range, status);
      one.stripe->sent();
    }
    dirty_[unit_of(object)] -= bytes;
    sent_.wake_all();
    room_.wake_all();
    send_full(object);
  }

  os::Task<> write_back(ObjectId object, Extent extent) {
    for (;;) {
      const std::uint32_t unit = unit_of(object);
      while (targets_.may_write(unit) && send(object, extent)) {
      }
      if (cache_.sending(object, extent)) co_await sent_.wait();
      else if (cache_.dirty_in(object, extent)) co_await targets_.slots(unit).wait();
      else co_return;
    }
  }

  os::Task<> give_up(ObjectId object, Extent extent) {
    co_await write_back(object, extent);
    cache_.drop(object, extent);
    room_.wake_all();
  }

  void lose(const PageCache::Stripe& stripe, ByteRange range, hal::Status status) {
    const os::NotOnTheMachine mark;
    const std::uint64_t offset = stripe.key().number * system_.volume.block_bytes() + range.from;
    system_.record.failed({stripe.key().file, requests::Operation::write, offset, range.bytes(), status});
  }

  /// Bytes that were written under lost locks must not be sent.
  void evicted(hal::NodeId server) {
    locks_.forget(server);
    for (const ObjectId object : cache_.objects()) {
      if (targets_.server_of(unit_of(object)) != server) continue;
      cache_.forget(object, [&](const PageCache::Stripe& stripe, ByteRange range) {
        lose(stripe, range, hal::Status::refused);
        dirty_[unit_of(object)] -= range.bytes();
      });
    }
    sent_.wake_all();
  }

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

// A parallel file system with extent locks, after what is published of Lustre. docs/file-systems/locking.md follows one
// call.
std::unique_ptr<FileSystem> make(const Params& params, Run& run) {
  striped::require_pages(params.objects, run.volume);
  if (params.pages.size.count < 2 * std::uint64_t{run.volume.block_bytes()})
    throw ConfigError("file_system.pages.size is " + std::to_string(params.pages.size.count) +
                      " bytes; it must hold two blocks of the file system, " +
                      std::to_string(2 * std::uint64_t{run.volume.block_bytes()}) + " bytes.");
  return std::make_unique<striped::Kind<Params, Messages, LockServer, Client>::FileSystem>(run, params);
}

std::uint64_t memory(const Params& params, const Sizes& sizes) {
  const std::uint64_t cache = most_stripes(params.pages.size.count, sizes.block_bytes) * sizes.block_bytes;
  const bool serves = params.server_pages && sizes.disks_of_node > 0;
  const std::uint64_t server = serves ? io::memory(*params.server_pages, sizes.block_bytes) : 0;
  return cache + server + striped::memory(params.objects, sizes);
}

}  // namespace sunstar::file_systems::locking
