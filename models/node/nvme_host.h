// SPDX-License-Identifier: MIT
#pragma once
#include "models/node/host_adapter.h"
#include "models/node/node.h"
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

  NvmeHost(const sc_core::sc_module_name& name, Node& node, std::uint32_t index, std::uint32_t drives)
      : BlockAdapter(name, node, index), doorbells("doorbells", drives), memory("memory", drives) {
    for (auto& socket : memory) socket.register_b_transport(this, &NvmeHost::to_memory);
    doorbell_.set_command(tlm::TLM_WRITE_COMMAND);
  }

  nvme::Host& host() { return *this; }
  /// Drive `t` as firmware sees it: its capacity, the bytes of a sector, the pairs of queues that the node uses and the
  /// length of a submission queue.
  hal::BlockDevice& device(std::uint32_t t, std::uint64_t sectors, std::uint32_t sector_bytes, std::uint32_t queues,
                           std::uint32_t queue_depth) {
    return drives_.emplace_back(*this, t, sectors, sector_bytes, queues, queue_depth);
  }

  void add_statistics(StatisticSet& set) override {
    const std::string prefix = std::string(name()) + ".";
    set.counter(prefix + "commands", "commands submitted", "1", commands_);
    set.counter(prefix + "failures", "commands that failed", "1", failures_);
    set.counter(prefix + "response_time", "from doorbell to interrupt, summed over commands", "s", response_);
  }

 private:
  struct QueuedDrive final : Drive {
    QueuedDrive(NvmeHost& h, std::uint32_t t, std::uint64_t s, std::uint32_t b, std::uint32_t queues,
                std::uint32_t depth)
        : Drive(h, t, s, b, false), most(depth - 1), under_way(queues) {}
    std::uint32_t depth() const override { return static_cast<std::uint32_t>(under_way.size()) * most; }

    // The next queue in turn that has room.
    std::uint32_t next_queue() {
      const auto queues = static_cast<std::uint32_t>(under_way.size());
      for (std::uint32_t tried = 1; under_way[turn] == most && tried < queues; ++tried) turn = (turn + 1) % queues;
      return std::exchange(turn, (turn + 1) % queues);
    }

    std::uint32_t most;                    // most commands in a queue: a full ring would look like an empty one
    std::vector<std::uint32_t> under_way;  // by queue
    std::uint32_t turn = 0;
  };
  struct Slot final : nvme::Entry {
    hal::BlockCommand* wanted = nullptr;
    QueuedDrive* drive = nullptr;
  };

  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time&) override {
    const auto& d = *reinterpret_cast<const Descriptor*>(payload.get_data_ptr());
    const hal::BlockCommand& wanted = *d.command;
    if (free_.empty()) free_.push_back(&slots_.emplace_back());
    Slot& slot = *take_last(free_);
    slot.wanted = d.command;
    slot.what = wanted.help == hal::Help::none    ? nvme::Entry::What::command
                : wanted.help == hal::Help::abort ? nvme::Entry::What::abort
                                                  : nvme::Entry::What::reset;
    slot.drive = static_cast<QueuedDrive*>(d.drive);
    slot.command = {slot.what == nvme::Entry::What::command ? slot.drive->next_queue() : 0,
                    wanted.synchronise ? nvme::Operation::flush
                    : wanted.write     ? nvme::Operation::write
                                       : nvme::Operation::read,
                    wanted.sector, wanted.synchronise ? 0 : wanted.sectors};
    slot.address = d.data_address;
    slot.request = wanted.request;
    slot.number = ++entries_;
    slot.aborts = 0;
    if (wanted.aborts)
      if (const auto aborted = std::ranges::find(slots_, wanted.aborts, &Slot::wanted); aborted != slots_.end())
        slot.aborts = aborted->number;
    if (slot.what == nvme::Entry::What::command) {
      ++commands_;
      ++slot.drive->under_way[slot.command.queue];
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    doorbell_.set_data_ptr(reinterpret_cast<unsigned char*>(static_cast<nvme::Entry*>(&slot)));
    doorbell_.set_data_length(nvme::submission_entry);
    doorbell_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    sc_core::sc_time none = sc_core::SC_ZERO_TIME;
    doorbells[d.drive->target]->b_transport(doorbell_, none);
  }

  void completed(nvme::Entry& entry) override {
    auto& slot = static_cast<Slot&>(entry);
    hal::BlockCommand& wanted = *std::exchange(slot.wanted, nullptr);
    wanted.status = status_of(entry.status);
    wanted.bad_sector = entry.information;
    wanted.core = entry.command.queue;
    if (entry.what == nvme::Entry::What::command) {
      --slot.drive->under_way[entry.command.queue];
      response_ += seconds(now() - entry.submitted);
      failures_ += entry.status != nvme::Status::success;
    }
    on_medium_ = std::max(on_medium_, entry.on_medium);
    free_.push_back(&slot);
    node_.firmware().block_done(wanted);
  }

  void to_memory(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) { dma->b_transport(payload, delay); }

  std::deque<QueuedDrive> drives_;
  std::deque<Slot> slots_;
  std::vector<Slot*> free_;
  tlm::tlm_generic_payload doorbell_;
  std::uint64_t entries_ = 0, commands_ = 0, failures_ = 0;
  double response_ = 0;
};

}  // namespace sunstar::node
