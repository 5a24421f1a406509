// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <vector>

#include "models/kernel/content_extension.h"
#include "models/node/block_adapter.h"
#include "models/scsi/initiator.h"

namespace sunstar::node {

/// A SCSI host adapter. A node has one for each of its SCSI buses.
class HostAdapter final : public BlockAdapter, private scsi::InitiatorListener {
 public:
  scsi::Initiator initiator;

  HostAdapter(const sc_core::sc_module_name& name, Node& node, std::uint32_t index, std::uint32_t targets);

  /// The disk at target `t` as firmware sees it: its capacity, the bytes of a sector; `reports_early`: see hal.h.
  hal::BlockDevice& device(std::uint32_t t, std::uint64_t sectors, std::uint32_t sector_bytes, bool reports_early) {
    return disks_.emplace_back(*this, t, sectors, sector_bytes, reports_early);
  }
  void add_statistics(StatisticSet& set) override { initiator.register_statistics(set); }

 private:
  struct Slot {
    scsi::Command command;
    hal::BlockCommand* wanted = nullptr;
    std::uint64_t address = 0;
  };

  void access(tlm::tlm_generic_payload&, sc_core::sc_time&) override;
  void data_phase(scsi::Command&, const scsi::Burst&, Time start) override;
  void complete(scsi::Command&) override;
  void fail(scsi::Command&, const scsi::Failure& why) override;

  void ended(scsi::Command&, hal::Status status);

  std::deque<Slot> slots_;
  std::vector<Slot*> free_slots_;
  std::deque<Drive> disks_;
  ContentPayload payload_;
};

}  // namespace sunstar::node
