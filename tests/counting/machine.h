// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/node/hal.h"
#include "sw/os/counted.h"
#include "tests/support/fake_node.h"

// The nodes on which firmware is counted: hal.h over a list of things to happen, as in tests/support/fake_node.h. Here
// the firmware is entered as hardware enters it, through a trap, and it gives orders to a device by stores to the
// device's registers. Those instructions count; all others of the nodes are the simulation.
namespace sunstar::counting {

using Handler = void (*)(hal::Firmware* firmware, void* what);

/// Interrupts the processor: saves the caller-saved registers, calls handler(firmware, what) and restores them. It
/// counts as the primitive `interrupt`.
extern "C" void sunstar_take_interrupt(hal::Firmware* firmware, void* what, Handler handler);
/// Calls handler(firmware, what) without an interrupt.
void call(hal::Firmware* firmware, void* what, Handler handler);

/// Calls enter(firmware, what, handler) as work of the node.
void run_on_node(hal::NodeId node, void (*enter)(hal::Firmware*, void*, Handler), hal::Firmware* firmware, void* what,
                 Handler handler);

class Node;

struct Machine {
  /// Each node from `first_with_disks` on has `disks` disks.
  Machine(std::size_t nodes, std::size_t first_with_disks, std::size_t disks, std::uint64_t sectors);
  Node& operator[](std::size_t i) { return *nodes[i]; }
  std::size_t size() const { return nodes.size(); }

  test::Timeline timeline;
  std::vector<std::unique_ptr<Node>> nodes;
};

/// A disk whose commands take one millisecond.
class Disk final : public hal::BlockDevice {
 public:
  Disk(Node& node, std::uint64_t sectors) : bytes(sectors * 512), node_(node) {}
  std::vector<std::byte> bytes;

  void submit(hal::BlockCommand& command) override;
  std::uint64_t sectors() const override { return bytes.size() / 512; }
  std::uint32_t sector_bytes() const override { return 512; }
  bool reports_early() const override { return false; }

 private:
  [[gnu::noinline]] void transfer(hal::BlockCommand& c);
  Node& node_;
};

/// A node. A message needs one microsecond.
class Node final : public hal::Node, public hal::Processor, public hal::NetworkPort, public hal::DmaEngine {
 public:
  Node(Machine& machine, hal::NodeId id, std::size_t disks, std::uint64_t sectors)
      : machine_(machine), id_(id), name_("node" + std::to_string(id)) {
    for (; disks > 0; --disks) this->disks.emplace_back(*this, sectors);
  }

  std::deque<Disk> disks;

  // hal::Node
  hal::NodeId id() const override { return id_; }
  const std::string& name() const override { return name_; }
  Time now() const override { return machine_.timeline.now(); }
  hal::Processor& processor() override { return *this; }
  hal::NetworkPort& network() override { return *this; }
  hal::DmaEngine& dma() override { return *this; }
  std::uint32_t block_devices() const override { return static_cast<std::uint32_t>(disks.size()); }
  hal::BlockDevice& block_device(std::uint32_t i) override { return disks[i]; }
  std::byte* allocate(std::uint64_t bytes) override {
    const os::NotOnTheMachine mark;
    return memory_.base() + std::exchange(taken_, taken_ + (bytes + 63) / 64 * 64);
  }
  content::Memory& memory() override { return memory_; }
  Time copied(std::uint64_t) override { return now(); }
  void boot(hal::Firmware& firmware) override { firmware_ = &firmware; }

  // hal::Processor; nothing that firmware computes takes time, so no thread ever waits for the processor
  Time interrupt(Cycles) override { return now() + Duration{1}; }
  Time lengthen_interrupt(Cycles) override { return now() + Duration{1}; }
  void execute(Cycles, hal::Callback&) override { std::abort(); }
  void add(Cycles) override {}
  void wait_for_memory(Time) override {}
  void at(Time t, hal::Callback& callback) override {
    const os::NotOnTheMachine mark;
    machine_.timeline.at(t, [this, &callback] {
      run_on_node(id_, call, firmware_, &callback,
                  [](hal::Firmware*, void* what) { static_cast<hal::Callback*>(what)->run(); });
    });
  }

  void forget(hal::Callback&) override {}  // there are no alarms

  // hal::NetworkPort
  void send(const hal::Message& m, Time when) override;
  Time accept(hal::Message& m, std::byte* destination, Time from) override {
    write(reinterpret_cast<std::uintptr_t>(destination), m.bytes);
    const os::NotOnTheMachine mark;
    deliver(m, destination);
    return from;
  }
  void release(hal::Message& m) override {
    write(reinterpret_cast<std::uintptr_t>(&m));
    const os::NotOnTheMachine mark;
    drop(m);
  }

  // hal::DmaEngine
  void copy(std::byte*, const std::byte*, std::uint64_t, hal::Callback&) override { std::abort(); }

 private:
  friend class Disk;
  struct Packet final : hal::Message {
    content::Content held;
  };

  /// Stores to the registers of a device.
  template <class... Word>
  void write(Word... word) {
    volatile std::uint64_t* at = registers_;
    ((*at = static_cast<std::uint64_t>(word), ++at), ...);
  }
  template <class What>
  void interrupt_with(What& what);

  // What the devices do is not inlined: it must not make the counted code around it save more registers.
  [[gnu::noinline]] void transmit(const hal::Message& m, Time when);
  [[gnu::noinline]] static void deliver(const hal::Message& m, std::byte* destination) {
    if (destination && m.bytes > 0) std::memcpy(destination, m.content->bytes(), m.bytes);
  }
  [[gnu::noinline]] static void drop(hal::Message& m) { delete static_cast<Packet*>(&m); }

  Machine& machine_;
  hal::NodeId id_;
  std::string name_;
  hal::Firmware* firmware_ = nullptr;
  static constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 26;
  std::unique_ptr<std::byte[]> host_ = std::make_unique_for_overwrite<std::byte[]>(memory_bytes);
  content::Memory memory_{host_.get(), memory_bytes};
  std::uint64_t taken_ = 0;
  alignas(64) volatile std::uint64_t registers_[16] = {};
};

}  // namespace sunstar::counting
