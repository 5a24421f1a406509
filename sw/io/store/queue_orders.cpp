// SPDX-License-Identifier: MIT
#include "sw/io/store/disk_driver.h"

// The orders in which a disk may serve its waiting requests. Each is one function and one line in the table.
namespace sunstar::io {

namespace {

DiskRequest& first_come_first_served(DiskQueue& queue, const DiskPosition&) { return queue.by_arrival.front(); }

/// The request with the lowest sector from `position` on, or with the lowest sector of all if none is left above.
DiskRequest& upwards(DiskQueue& queue, std::uint64_t position) {
  const auto above = queue.by_sector.lower_bound({0, position});
  return above != queue.by_sector.end() ? *above : *queue.by_sector.begin();
}

/// Goes upwards from the end of the last request.
DiskRequest& cyclical_scan(DiskQueue& queue, const DiskPosition& last) { return upwards(queue, last.after); }

/// Goes upwards from the start of the last request: a write of the sectors that have just been read comes next.
DiskRequest& c_look(DiskQueue& queue, const DiskPosition& last) { return upwards(queue, last.first); }

/// Sweeps over the disk, upwards. Requests that arrive during a sweep wait for the next sweep, so that no request waits
/// for longer than two sweeps, however many arrive ahead of the arm.
DiskRequest& fair_cyclical_scan(DiskQueue& queue, const DiskPosition&) { return *queue.by_sector.begin(); }

/// Picks the request nearest in logical block numbers; of two equally near ones, the older.
DiskRequest& shortest_seek_first(DiskQueue& queue, const DiskPosition& last) {
  auto& sorted = queue.by_sector;
  const auto above = sorted.lower_bound({0, last.after});
  if (above == sorted.begin()) return *above;
  DiskRequest& below = *sorted.lower_bound({0, std::prev(above)->sector});  // the oldest of equal ones
  if (above == sorted.end()) return below;
  const auto key = [position = last.after](const DiskRequest& r) {
    return std::pair(r.sector > position ? r.sector - position : position - r.sector, r.arrival);
  };
  return key(below) < key(*above) ? below : *above;
}

struct Named {
  const char* name;
  QueueOrder order;
};
const Named orders[] = {
    {"first-come-first-served", {first_come_first_served}},
    {"cyclical-scan", {cyclical_scan, true}},
    {"c-look", {c_look, true}},
    {"fair-cyclical-scan", {fair_cyclical_scan, true, true}},
    {"shortest-seek-first", {shortest_seek_first, true}},
};

}  // namespace

std::vector<std::string> queue_order_names() { return names_of(orders); }
QueueOrder queue_order(const std::string& name) { return named(orders, name).order; }

}  // namespace sunstar::io
