// SPDX-License-Identifier: MIT
#include "sw/io/store/disk_driver.h"

// The orders in which a disk may serve its waiting requests. Each is one function and one line in the table.
namespace sunstar::io {

namespace {

DiskRequest& first_come_first_served(DiskQueue& queue, DiskPosition&) { return queue.by_arrival[0].front(); }

/// The request with the lowest sector from `position` on, or with the lowest sector of all if none is left above.
DiskRequest& upwards(DiskQueue& queue, std::uint64_t position) {
  const auto above = queue.by_sector.lower_bound({0, position});
  return above != queue.by_sector.end() ? *above : *queue.by_sector.begin();
}

/// Goes upwards from the end of the last request.
DiskRequest& cyclical_scan(DiskQueue& queue, DiskPosition& last) { return upwards(queue, last.after); }

/// Goes upwards from the start of the last request: a write of the sectors that have just been read comes next.
DiskRequest& c_look(DiskQueue& queue, DiskPosition& last) { return upwards(queue, last.first); }

/// Sweeps over the disk, upwards. Requests that arrive during a sweep wait for the next sweep, so that no request waits
/// for longer than two sweeps, however many arrive ahead of the arm.
DiskRequest& fair_cyclical_scan(DiskQueue& queue, DiskPosition&) { return *queue.by_sector.begin(); }

/// Picks the request nearest in logical block numbers; of two equally near ones, the older.
DiskRequest& shortest_seek_first(DiskQueue& queue, DiskPosition& last) {
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

/// LOOK: goes on in the arm's direction, and turns round where nothing is left ahead.
DiskRequest& look(DiskQueue& queue, DiskPosition& last) {
  auto& sorted = queue.by_sector;
  const auto above = last.downwards ? sorted.upper_bound({0, last.first}) : sorted.lower_bound({0, last.after});
  if (above == (last.downwards ? sorted.begin() : sorted.end())) last.downwards = !last.downwards;
  if (!last.downwards) return *above;
  return *sorted.lower_bound({0, std::prev(above)->sector});  // the oldest of equal ones
}

/// Deadline, as Linux's mq-deadline: reads before writes, which are passed over at most twice; upwards in batches of
/// 16; a batch begins with the oldest request if that has waited for 0.5 s (a write: 5 s).
DiskRequest& deadline(DiskQueue& queue, DiskPosition& last) {
  constexpr std::uint32_t batch = 16, most_passed_over = 2;
  const auto ahead = [&] { return queue.by_sector.lower_bound({last.writes, last.after}); };
  const auto there = [&](auto i) { return i != queue.by_sector.end() && i->lot == last.writes; };
  if (++last.batch <= batch && there(ahead())) return *ahead();
  const bool reads = !queue.by_arrival[0].empty(), writes = !queue.by_arrival[1].empty();
  last.writes = !reads || (writes && last.passed_over == most_passed_over);
  last.passed_over = writes && !last.writes ? last.passed_over + 1 : 0;
  last.batch = 1;
  DiskRequest& oldest = queue.by_arrival[last.writes].front();
  const Duration limit = std::chrono::milliseconds{last.writes ? 5000 : 500};
  return there(ahead()) && last.now - oldest.queued < limit ? *ahead() : oldest;
}

struct Named {
  const char* name;
  QueueOrder order;
};
using enum QueueOrder::Needs;
const Named orders[] = {
    {"first-come-first-served", {first_come_first_served}},
    {"cyclical-scan", {cyclical_scan, sectors}},
    {"c-look", {c_look, sectors}},
    {"look", {look, sectors}},
    {"fair-cyclical-scan", {fair_cyclical_scan, sweeps}},
    {"shortest-seek-first", {shortest_seek_first, sectors}},
    {"deadline", {deadline, writes_apart}},
};

}  // namespace

std::vector<std::string> queue_order_names() { return names_of(orders); }
QueueOrder queue_order(const std::string& name) { return named(orders, name).order; }

}  // namespace sunstar::io
