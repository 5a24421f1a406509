// SPDX-License-Identifier: MIT
#include "sw/file_systems/locking/lock_table.h"

namespace sunstar::file_systems::locking {

namespace {
auto interval(const Extent& e) { return boost::icl::interval<std::uint64_t>::right_open(e.begin, e.end); }
}  // namespace

void LockTable::Index::add(Id id, const Extent& e) {
  by_byte.add({interval(e), Ids{id}});
  ++count;
}

void LockTable::Index::remove(Id id, const Extent& e) {
  by_byte.subtract({interval(e), Ids{id}});
  --count;
}

void LockTable::Index::overlapping(const Extent& e, std::vector<Id>& to) const {
  const auto [first, last] = by_byte.equal_range(interval(e));
  for (auto at = first; at != last; ++at) to.insert(to.end(), at->second.begin(), at->second.end());
}

bool LockTable::Index::limit(const Extent& asked, Extent& room) const {
  const auto after = by_byte.lower_bound(interval(asked));  // the first that does not lie before it
  if (after != by_byte.begin()) room.begin = std::max(room.begin, std::prev(after)->first.upper());
  if (after == by_byte.end()) return true;
  if (after->first.lower() < asked.end) return false;
  room.end = std::min(room.end, after->first.lower());
  return true;
}

Extent LockTable::widest(const Request& request) const {
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

void LockTable::grant(Id id, Entry& entry, Steps& steps) {
  entry.extent = widest(entry.request);
  entry.granted = true;
  index(entry).add(id, entry.extent);
  entry.called_back = !entry.waiters.empty();
  steps.granted.push_back({id, entry.extent, entry.called_back});
}

LockTable::Steps LockTable::request(Id id, const Request& request) {
  Steps steps;
  std::vector<Id> others;
  for (const Mode mode : modes) {
    if (compatible(mode, request.mode)) continue;
    for (const auto* all : {&held_, &waiting_})
      (*all)[static_cast<std::size_t>(mode)].overlapping(request.extent, others);
  }
  std::ranges::sort(others);
  others.erase(std::ranges::unique(others).begin(), others.end());
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

LockTable::Steps LockTable::release(Id id) {
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

}  // namespace sunstar::file_systems::locking
