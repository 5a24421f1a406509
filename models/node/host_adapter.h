// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>

#include "models/node/hal.h"
#include "models/scsi/initiator.h"

namespace sunstar::node {

class Node;

/// A node's adapter for drives: registers on the node bus, DMA between memory and drives, an interrupt at the end of
/// each command. A derived class knows the drives' protocol.
class BlockAdapter : public sc_core::sc_module {
 public:
  tlm_utils::passthrough_target_socket<BlockAdapter> registers;
  tlm_utils::simple_initiator_socket<BlockAdapter> dma;

  /// When the last byte of the writes completed so far is on its medium.
  Time on_medium() const { return on_medium_; }
  virtual void add_statistics(StatisticSet& set) = 0;

 protected:
  /// A drive as firmware sees it.
  struct Drive : hal::BlockDevice {
    Drive(BlockAdapter& a, std::uint32_t t, std::uint64_t s, std::uint32_t b, bool e)
        : adapter(a), target(t), capacity(s), bytes(b), early(e) {}
    virtual ~Drive() = default;
    void submit(hal::BlockCommand&) override;
    std::uint64_t sectors() const override { return capacity; }
    std::uint32_t sector_bytes() const override { return bytes; }
    bool reports_early() const override { return early; }

    BlockAdapter& adapter;
    std::uint32_t target;
    std::uint64_t capacity;
    std::uint32_t bytes;
    bool early;
  };
  /// The processor writes it to the command register.
  struct Descriptor {
    hal::BlockCommand* command;
    Drive* drive;
    std::uint64_t data_address;
  };

  BlockAdapter(const sc_core::sc_module_name& name, Node& node, std::uint32_t index);
  virtual void access(tlm::tlm_generic_payload&, sc_core::sc_time&) = 0;

  Node& node_;
  Time on_medium_{};

 private:
  std::uint32_t index_;
};

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
