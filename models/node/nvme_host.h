// SPDX-License-Identifier: MIT
#pragma once
#include "models/node/host_adapter.h"
#include "models/nvme/device.h"

namespace sunstar::node {

/// The status of an NVMe command as firmware sees it.
constexpr hal::Status status_of(nvme::Status status) {
  switch (status) {
    case nvme::Status::success: return hal::Status::ok;
    case nvme::Status::unrecovered_read_error: return hal::Status::medium_error;
    case nvme::Status::namespace_not_ready: return hal::Status::not_ready;
    case nvme::Status::lba_out_of_range: return hal::Status::refused;
    case nvme::Status::host_path_error: return hal::Status::no_device;
    default: return hal::Status::interrupted;
  }
}

/// The root complex of a PCI Express bus of a node, as far as its NVMe drives need it: doorbells pass to the drives,
/// the drives reach the memory over the node bus, and each completion interrupts the processor. Each drive has its own
/// link and a pair of queues for each core, up to the pairs it offers. Commands go to the queues in turn, as if the
/// driver's threads were spread over the cores.
class NvmeHost final : public BlockAdapter, private nvme::Host {
 public:
  sc_core::sc_vector<tlm_utils::simple_initiator_socket<NvmeHost>> doorbells;  ///< bind doorbells[i] to drive i
  sc_core::sc_vector<tlm_utils::passthrough_target_socket<NvmeHost>> memory;   ///< and the drive's memory to memory[i]

  NvmeHost(const sc_core::sc_module_name& name, Node& node, std::uint32_t index, std::uint32_t drives);

  /// The host that drives interrupt.
  nvme::Host& host() { return *this; }
  /// Drive `t` as firmware sees it: its capacity, the bytes of a sector, the pairs of queues that the node uses and the
  /// length of a submission queue.
  hal::BlockDevice& device(std::uint32_t t, std::uint64_t sectors, std::uint32_t sector_bytes, std::uint32_t queues,
                           std::uint32_t queue_depth) {
    return drives_.emplace_back(*this, t, sectors, sector_bytes, queues, queue_depth);
  }
  void add_statistics(StatisticSet& set) override;

 private:
  struct QueuedDrive final : Drive {
    QueuedDrive(NvmeHost& h, std::uint32_t t, std::uint64_t s, std::uint32_t b, std::uint32_t queues,
                std::uint32_t depth)
        : Drive(h, t, s, b, false), most(depth - 1), under_way(queues) {}
    std::uint32_t depth() const override { return static_cast<std::uint32_t>(under_way.size()) * most; }
    std::uint32_t next_queue();

    std::uint32_t most;                    // most commands in a queue: a full ring would look like an empty one
    std::vector<std::uint32_t> under_way;  // by queue
    std::uint32_t turn = 0;
  };
  struct Slot final : nvme::Entry {
    hal::BlockCommand* wanted = nullptr;
    QueuedDrive* drive = nullptr;
  };

  void access(tlm::tlm_generic_payload&, sc_core::sc_time&) override;
  void completed(nvme::Entry&) override;
  void to_memory(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { dma->b_transport(payload, delay); }

  std::deque<QueuedDrive> drives_;
  std::deque<Slot> slots_;
  std::vector<Slot*> free_;
  tlm::tlm_generic_payload doorbell_;
  std::uint64_t entries_ = 0, commands_ = 0, failures_ = 0;
  double response_ = 0;
};

}  // namespace sunstar::node
