// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <boost/container/flat_set.hpp>
#include <boost/icl/interval_map.hpp>
#include <cstdint>
#include <map>
#include <vector>

#include "sw/file_systems/striped/objects.h"

namespace sunstar::file_systems::locking {

using striped::Extent;

enum class Mode : std::uint8_t {
  read,  ///< protected read: others may read
  write  ///< protected write: nobody else may read or write
};
inline bool compatible(Mode a, Mode b) { return a == Mode::read && b == Mode::read; }

inline auto interval(const Extent& e) { return boost::icl::interval<std::uint64_t>::right_open(e.begin, e.end); }

/// The extent locks of one object, as Lustre's lock manager grants them. Requests that conflict wait, first come first
/// served; the table calls back the conflicting locks, once each. A lock is granted as wide as other locks and waiting
/// requests leave room, so that a client that is alone asks once. With many conflicting locks it grows only forward
/// (more than 4), a write lock by at most 32 MiB (more than 32).
///
/// Knows neither time nor messages. Intervals are kept in maps by their bytes, so a step costs the logarithm of the
/// number of locks, plus the locks found.
class LockTable {
 public:
  using Id = std::uint64_t;
  struct Request {
    Extent extent;  ///< whole pages
    Mode mode = Mode::read;
    bool exact = false;    ///< is not to grow
    bool no_wait = false;  ///< is refused if anything is in the way
  };
  struct Grant {
    Id id;
    Extent extent;
    bool called_back;  ///< others wait for it already
  };
  struct Steps {
    std::vector<Grant> granted;
    std::vector<Id> call_back;
    bool refused = false;  ///< the request
  };

  /// Ids are in order of arrival.
  Steps request(Id id, const Request& request) {
    Steps steps;
    std::vector<Id> others;
    for (const Mode mode : modes) {
      if (compatible(mode, request.mode)) continue;
      for (const auto* all : {&held_, &waiting_})
        (*all)[static_cast<std::size_t>(mode)].overlapping(request.extent, others);
    }
    std::ranges::sort(others);
    others.erase(std::unique(others.begin(), others.end()), others.end());
    if (request.no_wait && !others.empty()) {
      steps.refused = true;
      return steps;
    }
    for (const Id other : others) {
      Entry& in_the_way = entries_.at(other);
      in_the_way.waiters.push_back(id);
      if (!in_the_way.granted || in_the_way.called_back) continue;
      in_the_way.called_back = true;
      steps.call_back.push_back(other);
    }
    Entry& entry = entries_[id];
    entry.request = request;
    entry.in_the_way = static_cast<std::uint32_t>(others.size());
    if (others.empty()) grant(id, entry, steps);
    else index(entry).add(id, request.extent);
    return steps;
  }

  /// A lock is returned, or a request withdrawn.
  Steps release(Id id) {
    Steps steps;
    const auto found = entries_.find(id);
    Entry gone = std::move(found->second);
    entries_.erase(found);
    index(gone).remove(id, gone.granted ? gone.extent : gone.request.extent);
    std::ranges::sort(gone.waiters);
    for (const Id waiter : gone.waiters) {
      const auto its = entries_.find(waiter);
      if (its == entries_.end() || --its->second.in_the_way > 0) continue;  // withdrawn, or others are in its way
      index(its->second).remove(waiter, its->second.request.extent);
      grant(waiter, its->second, steps);
    }
    return steps;
  }

  bool empty() const { return entries_.empty(); }
  std::size_t locks() const { return held_[0].count + held_[1].count; }

 private:
  static constexpr std::size_t grows_forward = 4, contended = 32;
  static constexpr std::uint64_t most_grown = 32 << 20;
  using Ids = boost::container::flat_set<Id>;
  /// Locks of one mode, or requests that wait, by their bytes.
  struct Index {
    boost::icl::interval_map<std::uint64_t, Ids> by_byte;
    std::size_t count = 0;

    void add(Id id, const Extent& e) {
      by_byte.add({interval(e), Ids{id}});
      ++count;
    }

    void remove(Id id, const Extent& e) {
      by_byte.subtract({interval(e), Ids{id}});
      --count;
    }

    void overlapping(const Extent& e, std::vector<Id>& to) const {
      const auto [first, last] = by_byte.equal_range(interval(e));
      for (auto at = first; at != last; ++at) to.insert(to.end(), at->second.begin(), at->second.end());
    }

    /// Shrinks `room` around `asked` until it holds no byte of the index; false if `asked` holds one.
    bool limit(const Extent& asked, Extent& room) const {
      const auto after = by_byte.lower_bound(interval(asked));  // the first that does not lie before it
      if (after != by_byte.begin()) room.begin = std::max(room.begin, std::prev(after)->first.upper());
      if (after == by_byte.end()) return true;
      if (after->first.lower() < asked.end) return false;
      room.end = std::min(room.end, after->first.lower());
      return true;
    }
  };
  struct Entry {
    Request request;
    Extent extent;  ///< as granted
    bool granted = false, called_back = false;
    std::uint32_t in_the_way = 0;  ///< locks, and requests before it
    std::vector<Id> waiters;       ///< that it is in the way of
  };
  static constexpr std::array modes{Mode::read, Mode::write};
  Index& index(const Entry& e) { return (e.granted ? held_ : waiting_)[static_cast<std::size_t>(e.request.mode)]; }

  Extent widest(const Request& request) const {
    const Extent& asked = request.extent;
    if (request.exact) return asked;
    Extent room{0, striped::no_end};
    std::size_t conflicting = 0;
    for (const Mode mode : modes) {
      if (compatible(mode, request.mode)) continue;
      for (const auto* all : {&held_, &waiting_}) {
        const Index& index = (*all)[static_cast<std::size_t>(mode)];
        conflicting += index.count;
        if (!index.limit(asked, room)) return asked;
      }
    }
    if (conflicting > grows_forward) room.begin = asked.begin;
    if (conflicting > contended && request.mode == Mode::write)
      room.end = std::min(room.end, std::max(asked.end, asked.begin + most_grown));
    return room;
  }

  void grant(Id id, Entry& entry, Steps& steps) {
    entry.extent = widest(entry.request);
    entry.granted = true;
    index(entry).add(id, entry.extent);
    entry.called_back = !entry.waiters.empty();
    steps.granted.push_back({id, entry.extent, entry.called_back});
  }

  std::map<Id, Entry> entries_;          // objects are many, and most have one lock: a table of slots would take 2 KiB
  std::array<Index, 2> held_, waiting_;  // by mode
};

}  // namespace sunstar::file_systems::locking
