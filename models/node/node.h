// SPDX-License-Identifier: MIT
#pragma once
#include <list>

#include "models/node/host_adapter.h"
#include "models/node/memory.h"
#include "models/node/network_interface.h"
#include "models/node/node_bus.h"
#include "models/node/processor.h"

namespace sunstar::node {

/// Takes the interrupts of a node's devices while its processor pauses, and delivers them afterwards, in order.
class HeldInterrupts final : public hal::Firmware {
 public:
  void message_arrived(hal::Message& m) override { held_.emplace_back(&m); }
  void block_done(hal::BlockCommand& c) override { held_.emplace_back(&c); }
  void deliver(hal::Firmware& firmware) {
    for (const auto& one : std::exchange(held_, {})) {
      if (auto* const* m = std::get_if<hal::Message*>(&one)) firmware.message_arrived(**m);
      else firmware.block_done(*std::get<hal::BlockCommand*>(one));
    }
  }

 private:
  std::vector<std::variant<hal::Message*, hal::BlockCommand*>> held_;
};

/// One node: the cores of its processor, memory, DMA engine, network interface and host adapters on a node bus, and the
/// hardware side of hal.h. Firmware's calls to a device become register accesses by the processor over the bus.
class Node final : public sc_core::sc_module, public hal::Node, private hal::NetworkPort, private hal::DmaEngine {
 public:
  struct Setup {
    hal::NodeId id = 0;
    NodeParams params;
    std::uint64_t memory_bytes = 0;
    /// For each bus with drives: its adapter, and the number of its drives.
    struct Drives {
      enum class By : std::uint8_t { scsi, nvme };
      By by = By::scsi;
      std::uint32_t number = 0;
    };
    std::vector<Drives> drives;
    std::uint64_t seed = 0;
    const std::vector<std::uint32_t>* router_of = nullptr;  ///< node number -> port of the fabric
    /// Shared by the nodes of a machine: a pool for each node would cost the host's caches more.
    Timetable* timetable = nullptr;
    PayloadPool* payloads = nullptr;
    bool monitored = false;  ///< puts a monitor on the socket of each master of the bus
  };

  Node(const sc_core::sc_module_name& name, const Setup& setup);

  // hal::Node
  hal::NodeId id() const override { return id_; }
  const std::string& name() const override { return name_; }
  Time now() const override;
  hal::Processor& processor() override { return cpu; }
  std::uint32_t cores() const override { return static_cast<std::uint32_t>(1 + further_cores_.size()); }
  Processor& core(std::uint32_t i) override { return i == 0 ? cpu : *further_cores_[i - 1]; }
  hal::Interrupts interrupted() const override { return interrupted_; }
  hal::NetworkPort& network() override { return *this; }
  hal::DmaEngine& dma() override { return *this; }
  std::uint32_t block_devices() const override { return static_cast<std::uint32_t>(devices_.size()); }
  hal::BlockDevice& block_device(std::uint32_t i) override { return *devices_[i]; }
  content::Memory& memory() override { return ram.content(); }
  std::byte* allocate(std::uint64_t bytes) override { return ram.allocate(bytes); }
  Time copied(std::uint64_t bytes) override;
  void boot(hal::Firmware& firmware) override;

  /// Adds a disk behind the node's host adapters; firmware numbers disks in the order in which they are added.
  void add_block_device(hal::BlockDevice& device) { devices_.push_back(&device); }
  hal::Firmware& firmware() { return *takes_interrupts_; }
  /// The cores do nothing until `until`; interrupts of devices wait.
  void pause(Time until);
  /// The node, which has lost its power, starts at `t`; `boot` then gives it its firmware.
  void start(Time t, std::function<void()> boot);
  /// Reports the processor's state, and extends the paths of messages that leave the node: the processor's time before
  /// counts for `computing`.
  void probe(const Probe&, Stage computing);
  /// Bytes to and from memory counted by the monitor on the master's socket; only if Setup::monitored.
  std::uint64_t monitored_bytes(std::uint32_t master) const { return monitors_[master]->bytes(); }
  void add_statistics(StatisticSet&);

  /// The processor accesses a device register; returns the annotated delay.
  sc_core::sc_time access(std::uint64_t address, void* data, unsigned bytes,
                          sc_core::sc_time delay = sc_core::SC_ZERO_TIME);

  Processor cpu;  ///< the first core
  tlm_utils::simple_initiator_socket<Node> processor_socket{
      "processor"};  ///< socket by which all cores reach memory and devices
  NodeBus bus;
  Memory ram;

 private:
  std::unique_ptr<NetworkInterface> network_interface_;

 public:
  NetworkInterface& network_interface;
  node::DmaEngine dma_engine;
  std::vector<std::unique_ptr<BlockAdapter>> host_adapters;

 private:
  // hal::NetworkPort
  void send(const hal::Message&, Time when) override;
  Time accept(hal::Message&, std::byte* destination, Time from) override;
  void release(hal::Message&) override;
  bool one_sided() const override { return network_interface.one_sided(); }
  std::uint32_t close() override { return network_interface.close(); }
  std::uint32_t give_up(hal::NodeId node) override { return network_interface.give_up(node); }
  void open(hal::OpenMemory& memory, std::uint16_t answer) override {
    network_interface.open(memory, ram.address_of(memory.base), answer);
  }
  // hal::DmaEngine
  void copy(std::byte* to, const std::byte* from, std::uint64_t bytes, hal::Callback& done) override;

  template <class Socket>
  void connect(Socket& master, std::uint32_t number);

  void add_processor_statistics(StatisticSet&);

  hal::NodeId id_;
  std::string name_;
  std::uint64_t programmed_io_limit_;
  hal::Firmware *firmware_ = nullptr, *takes_interrupts_ = nullptr;
  struct Call final : hal::Callback {
    explicit Call(std::function<void()> f) : call(std::move(f)) {}
    void run() override { call(); }
    std::function<void()> call;
  };
  void resume();
  Call resume_{[this] { resume(); }};
  std::list<Call> starts_;
  HeldInterrupts held_interrupts_;
  Time paused_until_{};
  std::vector<std::unique_ptr<Processor>> further_cores_;
  hal::Interrupts interrupted_;
  BusyShare threads_, handlers_;  // of all cores, if there are several
  std::vector<std::unique_ptr<BusMonitor>> monitors_;
  std::vector<hal::BlockDevice*> devices_;
  tlm::tlm_generic_payload register_access_;
};

}  // namespace sunstar::node
