// SPDX-License-Identifier: MIT
#include "sw/io/store/blank_sectors.h"

namespace sunstar::io {

bool BlankSectors::takes(DiskRequest& request) {
  if (request.synchronise) return false;
  const os::NotOnTheMachine mark;
  Ranges& blank = units_[request.unit];
  const auto range = Ranges::interval_type::right_open(request.sector, request.sector + request.sectors);
  if (request.write) {
    blank.erase(range);
    return false;
  }
  if (!boost::icl::contains(blank, range)) return false;
  ++reads_;
  os_.spawn(end(request), "a read of blank sectors");
  return true;
}

os::Task<> BlankSectors::end(DiskRequest& request) {
  const std::uint64_t bytes = std::uint64_t{request.sectors} * sector_bytes_;
  os_.charge(os::Cost::clear_per_byte, static_cast<double>(bytes));
  os_.clear(request.data.bytes, bytes);
  co_await os_.settle();
  request.finished(hal::Status::ok);
}

StoreServer::StoreServer() = default;
StoreServer::~StoreServer() = default;

void StoreServer::leave_blank(os::Os& os, std::uint32_t sector_bytes, std::uint32_t unit, std::uint64_t sector,
                              std::uint64_t sectors) {
  if (!blank_) blank_ = std::make_unique<BlankSectors>(os, sector_bytes);
  blank_->add(unit, sector, sectors);
}

void StoreServer::add_statistics(StatisticSet& set) {
  if (blank_) blank_->add_statistics(set);
}

void StoreServer::submit(DiskRequest& request) {
  if (!blank_ || !blank_->takes(request)) queue(request);
}

void StoreServer::submit_row(std::span<DiskRequest* const> requests) {
  if (!blank_) return queue_row(requests);
  std::vector<DiskRequest*> left;
  std::ranges::remove_copy_if(requests, std::back_inserter(left), [this](DiskRequest* r) { return blank_->takes(*r); });
  if (!left.empty()) queue_row(left);
}

}  // namespace sunstar::io
