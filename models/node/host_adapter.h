// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <memory>
#include <vector>

#include "models/kernel/content_extension.h"
#include "models/node/block_adapter.h"
#include "models/scsi/initiator.h"

namespace sunstar::node {

class Node;

/// A SCSI host adapter. A node has one for each of its SCSI buses.
class HostAdapter final : public BlockAdapter, private scsi::InitiatorListener {
 public:
  scsi::Initiator initiator;

  HostAdapter(const sc_core::sc_module_name& name, Node& node, std::uint32_t index, const scsi::BusParams& bus,
              std::uint32_t targets, std::uint32_t sector_bytes);
  ~HostAdapter() override;

  /// The disk at target `t` as firmware sees it; `sectors`: its capacity, `reports_early`: as hal.h says.
  hal::BlockDevice& device(std::uint32_t t, std::uint64_t sectors, bool reports_early = true);
  Time on_medium() const override { return on_medium_; }
  void add_statistics(StatisticSet& set) override { initiator.register_statistics(set); }

 private:
  struct Disk;
  struct Slot {
    scsi::Command command;
    hal::BlockCommand* wanted = nullptr;
    std::uint64_t address = 0;
  };

  void access(tlm::tlm_generic_payload&, sc_core::sc_time&) override;
  void data_phase(scsi::Command&, const scsi::Burst&, Time start, Duration length) override;
  void complete(scsi::Command&) override;
  void fail(scsi::Command&, const scsi::Failure& why) override;

  void ended(scsi::Command&, hal::Status status);

  Node& node_;
  std::uint32_t index_;
  std::uint32_t sector_bytes_;
  std::deque<Slot> slots_;
  std::vector<Slot*> free_slots_;
  std::vector<std::unique_ptr<Disk>> disks_;
  ContentPayload payload_;
  Time on_medium_{};
};

}  // namespace sunstar::node
