// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/scsi/bus.h"
#include "models/scsi/initiator.h"
#include "models/scsi/target.h"

namespace sunstar::test {

/// A command, and where its data are.
struct DataCommand : scsi::Command {
  std::byte* data = nullptr;
};

/// One bus with an initiator and some drives.
struct ScsiMachine : scsi::InitiatorListener {
  struct Crossing {
    std::uint32_t target;
    Time start;
    std::uint32_t offset, bytes;
  };

  Timetable timetable;
  scsi::Bus bus;
  scsi::Initiator initiator;
  std::vector<std::unique_ptr<scsi::Target>> disks;
  std::vector<Crossing> crossings;
  std::vector<scsi::Command*> completed;
  std::vector<std::string> failures;
  std::function<void(scsi::Command&)> then;  // on each completion

  ScsiMachine(const scsi::BusParams& params, const std::vector<disk::DriveParams>& drives,
              const std::vector<disk::DriveStart>& starts = {}, const std::string& prefix = "")
      : timetable((prefix + "timetable").c_str()),
        bus((prefix + "bus").c_str(), params, static_cast<std::uint32_t>(drives.size()), timetable),
        initiator((prefix + "initiator").c_str(), static_cast<std::uint32_t>(drives.size()), *this) {
    initiator.socket.bind(bus.initiator);
    for (std::size_t i = 0; i < drives.size(); ++i) {
      disks.push_back(std::make_unique<scsi::Target>(
          (prefix + "disk" + std::to_string(i)).c_str(), std::make_shared<const disk::DriveType>(drives[i]),
          i < starts.size() ? starts[i] : disk::DriveStart{}, params.disconnect_threshold, timetable));
      bus.targets[i].bind(disks[i]->socket);
    }
  }
  void data_phase(scsi::Command& c, const scsi::Burst& burst, Time start) override {
    crossings.push_back({c.target, start, burst.offset, burst.bytes});
    std::byte* const data = static_cast<DataCommand&>(c).data + burst.offset;
    if (c.write) burst.content.append(std::span<const std::byte>(data, burst.bytes));
    else burst.content.make_bytes(data);
  }
  void complete(scsi::Command& c) override {
    completed.push_back(&c);
    if (then) then(c);
  }
  void fail(scsi::Command&, const scsi::Failure& why) override { failures.push_back(why.sense); }
};

}  // namespace sunstar::test
