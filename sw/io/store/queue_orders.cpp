// SPDX-License-Identifier: MIT
#include "sw/io/store/disk_driver.h"

// The orders in which a disk may serve its waiting requests. Each is one function and one line in the table.
namespace sunstar::io {

namespace {

DiskQueue::iterator first_come_first_served(DiskQueue& queue, const DiskPosition&) { return queue.begin(); }

/// The request with the lowest sector from `position` on, or with the lowest sector of all if none is left above.
DiskQueue::iterator upwards(DiskQueue& queue, std::uint64_t position) {
  auto above = queue.end(), lowest = queue.begin();
  for (auto i = queue.begin(); i != queue.end(); ++i) {
    if (i->sector >= position && (above == queue.end() || i->sector < above->sector)) above = i;
    if (i->sector < lowest->sector) lowest = i;
  }
  return above != queue.end() ? above : lowest;
}

/// Goes upwards from the end of the last request.
DiskQueue::iterator cyclical_scan(DiskQueue& queue, const DiskPosition& last) { return upwards(queue, last.after); }

/// Goes upwards from the start of the last request: a write of the sectors that have just been read comes next.
DiskQueue::iterator c_look(DiskQueue& queue, const DiskPosition& last) { return upwards(queue, last.first); }

/// Sweeps over the disk, upwards. Requests that arrive during a sweep wait for the next sweep, so that no request waits
/// for longer than two sweeps, however many arrive ahead of the arm.
DiskQueue::iterator fair_cyclical_scan(DiskQueue& queue, const DiskPosition&) {
  return std::ranges::min_element(queue, {}, [](const DiskRequest& r) { return std::pair(r.sweep, r.sector); });
}

/// Picks the request nearest in logical block numbers; of two equally near ones, the older.
DiskQueue::iterator shortest_seek_first(DiskQueue& queue, const DiskPosition& last) {
  const auto distance = [position = last.after](const DiskRequest& r) {
    return r.sector > position ? r.sector - position : position - r.sector;
  };
  return std::ranges::min_element(queue, {}, distance);
}

struct Named {
  const char* name;
  QueueOrder order;
};
const Named orders[] = {
    {"first-come-first-served", first_come_first_served},
    {"cyclical-scan", cyclical_scan},
    {"c-look", c_look},
    {"fair-cyclical-scan", fair_cyclical_scan},
    {"shortest-seek-first", shortest_seek_first},
};

}  // namespace

std::vector<std::string> queue_order_names() { return names_of(orders); }
QueueOrder queue_order(const std::string& name) { return named(orders, name).order; }

}  // namespace sunstar::io
