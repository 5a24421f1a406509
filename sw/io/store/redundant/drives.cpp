// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/drives.h"

namespace sunstar::io::redundant {

DriveService::DriveService(messages::Endpoint& endpoint, DiskDrivers& drivers, const DriveRequests& kind)
    : endpoint_(endpoint), drivers_(drivers) {
  kind.starts_thread(endpoint.os, "drive request", [this](hal::Message& m) { return serve(m); });
}

os::Task<> DriveService::serve(hal::Message& request) {
  os::Os& os = endpoint_.os;
  os.charge<os::Cost::request_decode>();
  const DriveRequest asked = DriveRequests::header(request);
  AwaitedRequest command(os);
  command.unit = asked.drive;
  command.sector = asked.sector;
  command.sectors = asked.sectors;
  command.write = asked.what == DriveRequest::What::write;
  command.synchronise = asked.what == DriveRequest::What::synchronise;
  command.in_background = asked.in_background != 0;
  const std::uint32_t sector = os.node().block_device(asked.drive).sector_bytes(), bytes = asked.sectors * sector;
  const std::uint32_t room = std::bit_ceil(asked.sectors);
  std::byte* buffer = nullptr;
  if (bytes > 0) {
    auto& free = buffers_[room];
    if (free.empty()) free.push_back(os.node().allocate(std::uint64_t{room} * sector));
    buffer = free.back();
    free.pop_back();
    command.data = {buffer};
    if (command.write) os.memory().write(buffer, *request.content);
  }
  messages::ReplyTo reply = asked.reply;
  reply.status = co_await command.carry_out(drivers_);
  if (!drivers_[asked.drive].lost().empty()) reply.status = hal::Status::not_ready;
  const bool data = reply.status == hal::Status::ok && asked.what == DriveRequest::What::read;
  co_await endpoint_.answer(request, reply, data ? buffer : nullptr, data ? bytes : 0);
  if (buffer) buffers_[room].push_back(buffer);
}

void DrivesAcross::submit(DiskRequest& request) {
  if (request.unit == own_) return driver_.submit(request);
  if (request.write) written_[request.unit] = true;
  if (request.synchronise) written_[request.unit] = false;
  endpoint_.os.spawn(carry_out(request), "drive request", {.urgent = true, .daemon = true});
}

os::Task<> DrivesAcross::carry_out(DiskRequest& request) {
  using What = DriveRequest::What;
  messages::ReplyAction action(endpoint_);
  const DriveRequest asked{request.sector,
                           request.synchronise ? 0 : request.sectors,
                           number_,
                           request.synchronise ? What::synchronise
                           : request.write     ? What::write
                                               : What::read,
                           request.in_background,
                           action.expect(nodes_[request.unit], request.data.bytes)};
  const bool data = asked.what == What::write;
  const hal::Message message = kind_.message(nodes_[request.unit], asked, data ? request.data.bytes : nullptr,
                                             data ? request.sectors * sector_bytes_ : 0);
  co_await endpoint_.os.send(message);
  while (action.outstanding()) co_await action.arrival();
  request.finished(action.take_status());
}

}  // namespace sunstar::io::redundant
