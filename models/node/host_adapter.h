// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <deque>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/kernel/content_extension.h"
#include "models/node/address_map.h"
#include "models/node/hal.h"
#include "models/scsi/initiator.h"

namespace sunstar::node {

class Node;

/// A SCSI host adapter: registers on the node bus, DMA between memory and SCSI bus, an interrupt at the end of each
/// command. A node has one for each of its SCSI buses.
class HostAdapter : public sc_core::sc_module, private scsi::InitiatorListener {
 public:
  /// What the processor writes to the command register.
  struct Descriptor {
    hal::BlockCommand* command;
    std::uint32_t target;
    std::uint64_t data_address;
  };

  tlm_utils::passthrough_target_socket<HostAdapter> registers;
  tlm_utils::simple_initiator_socket<HostAdapter> dma;
  scsi::Initiator initiator;

  HostAdapter(const sc_core::sc_module_name& name, Node& node, std::uint32_t index, const scsi::BusParams& bus,
              std::uint32_t targets, std::uint32_t sector_bytes);
  ~HostAdapter() override;

  /// The disk at target `t` as firmware sees it; `sectors`: its capacity, `reports_early`: as hal.h says.
  hal::BlockDevice& device(std::uint32_t t, std::uint64_t sectors, bool reports_early = true);
  /// When the last byte of the writes completed so far is on its medium.
  Time on_medium() const { return on_medium_; }
  /// Disk commands under way.
  std::uint64_t pending() const { return initiator.pending(); }
  void add_statistics(StatisticSet& set) { initiator.register_statistics(set); }

 private:
  struct Disk;
  struct Slot {
    scsi::Command command;
    hal::BlockCommand* wanted = nullptr;
    std::uint64_t address = 0;
  };

  void access(tlm::tlm_generic_payload&, sc_core::sc_time&);
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
