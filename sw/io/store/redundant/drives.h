// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <vector>

#include "sw/io/store/disk_driver.h"
#include "sw/messages/endpoint.h"

namespace sunstar::io::redundant {

/// The drives of an array as its server reaches them, by their numbers in the array.
class Drives {
 public:
  virtual ~Drives() = default;
  /// The request's unit is the drive.
  virtual void submit(DiskRequest& request) = 0;
  /// The server has submitted all commands of a job that can begin now.
  virtual void submitted_all() {}
  virtual bool to_synchronise(std::uint32_t drive) const = 0;
  /// The sectors that the drive may have lost with its power, once, and whether there are any.
  virtual bool lost(std::uint32_t drive) const = 0;
  virtual DiskDriver::Sectors take_lost(std::uint32_t drive) = 0;
};

/// The drives of one I/O processor, which has the server.
class OwnDrives final : public Drives {
 public:
  explicit OwnDrives(DiskDrivers& drivers) : drivers_(drivers) {}
  void submit(DiskRequest& request) override { drivers_.submit(request); }
  bool to_synchronise(std::uint32_t drive) const override { return drivers_[drive].to_synchronise(); }
  bool lost(std::uint32_t drive) const override { return !drivers_[drive].lost().empty(); }
  DiskDriver::Sectors take_lost(std::uint32_t drive) override { return drivers_[drive].take_lost(); }

 private:
  DiskDrivers& drivers_;
};

/// A command to a drive of another I/O processor. It carries data to write; its reply carries data read.
struct DriveRequest {
  enum class What : std::uint32_t { read, write, synchronise };
  std::uint64_t sector = 0;
  std::uint32_t sectors = 0, drive = 0;
  What what = What::read;
  std::uint32_t in_background = 0;
  messages::ReplyTo reply;
};
using DriveRequests = messages::Kind<DriveRequest>;

/// An I/O processor's service for such requests. Each request has a thread, which waits only for a drive of its own,
/// and replies are always sunk: so no request waits for another. If the drive has been without power, the reply's
/// status is not_ready from then on.
class DriveService {
 public:
  DriveService(messages::Endpoint& endpoint, DiskDrivers& drivers, const DriveRequests& kind)
      : endpoint_(endpoint), drivers_(drivers) {
    kind.starts_thread(endpoint.os, "drive request", [this](hal::Message& m) { return serve(m); });
  }

 private:
  os::Task<> serve(hal::Message& request) {
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

  messages::Endpoint& endpoint_;
  DiskDrivers& drivers_;
  std::map<std::uint32_t, std::vector<std::byte*>> buffers_;  // free buffers, by sectors
};

/// Drives with the same number at several I/O processors: the array's drive d is at the I/O processor d.
class DrivesAcross final : public Drives {
 public:
  /// `nodes`: the I/O processors, with the server at `own`; complete by the first request.
  DrivesAcross(messages::Endpoint& endpoint, DiskDrivers& drivers, const DriveRequests& kind,
               const std::vector<hal::NodeId>& nodes, std::uint32_t own, std::uint32_t number, std::uint32_t drives)
      : endpoint_(endpoint),
        driver_(drivers[number]),
        sector_bytes_(endpoint.os.node().block_device(number).sector_bytes()),
        kind_(kind),
        nodes_(nodes),
        own_(own),
        number_(number),
        written_(drives, false) {}

  void submit(DiskRequest& request) override {
    if (request.unit == own_) return driver_.submit(request);
    if (request.write) written_[request.unit] = true;
    if (request.synchronise) written_[request.unit] = false;
    endpoint_.os.spawn(carry_out(request), "drive request", {.urgent = true, .daemon = true});
  }

  bool to_synchronise(std::uint32_t drive) const override {
    return drive == own_ ? driver_.to_synchronise() : written_[drive];
  }
  bool lost(std::uint32_t drive) const override { return drive == own_ && !driver_.lost().empty(); }
  DiskDriver::Sectors take_lost(std::uint32_t) override { return driver_.take_lost(); }

 private:
  os::Task<> carry_out(DiskRequest& request) {
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

  messages::Endpoint& endpoint_;
  DiskDriver& driver_;
  const std::uint32_t sector_bytes_;
  const DriveRequests& kind_;
  const std::vector<hal::NodeId>& nodes_;
  const std::uint32_t own_, number_;
  std::vector<bool> written_;  // by drive: written since it was synchronised
};

}  // namespace sunstar::io::redundant
