// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <cstring>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/node/hal.h"
#include "models/node/processor_core.h"
#include "sw/os/costs.h"
#include "tests/support/time.h"

// Nodes without a simulation kernel, for tests of firmware: hal.h over a plain list of things to happen. One cycle is
// one nanosecond, a message needs one microsecond, a disk one millisecond, and nothing ever contends, so that expected
// times are worked out in the head.
namespace sunstar::test {

/// Coming events, in order of time; those due at the same time come in the order in which they were asked for.
class Timeline {
 public:
  Time now() const { return now_; }
  void at(Time t, std::function<void()> action) { due_.emplace(std::max(t, now_), std::move(action)); }
  /// Runs until nothing is left to happen, or up to `end`.
  void run(Time end = Time::max()) {
    while (!due_.empty() && due_.begin()->first <= end) {
      now_ = due_.begin()->first;
      const auto action = std::move(due_.begin()->second);
      due_.erase(due_.begin());
      action();
    }
  }

 private:
  Time now_{};
  std::multimap<Time, std::function<void()>> due_;  // equal keys stay in order of insertion
};

class FakeNode;

/// A disk that needs one millisecond a command; the bytes move at its end. It takes one command at a time, or more.
class FakeDisk final : public hal::BlockDevice {
 public:
  struct Entry {
    Time when;
    bool write;
    std::uint64_t sector;
    std::uint32_t sectors;
  };

  FakeDisk(FakeNode& node, std::uint64_t sectors) : node_(node), bytes(sectors * 512) {}
  void submit(hal::BlockCommand&) override;
  std::uint64_t sectors() const override { return bytes.size() / 512; }
  std::uint32_t sector_bytes() const override { return 512; }
  std::uint32_t depth() const override { return takes; }

 private:
  FakeNode& node_;
  std::uint32_t under_way_ = 0;

 public:
  std::vector<std::byte> bytes;
  std::vector<Entry> log;  ///< reads and writes in the order of their arrival
  unsigned synchronisations = 0;
  std::uint32_t takes = 1;                     ///< at a time
  bool broken = false;                         ///< every command ends with an error
  hal::Status error = hal::Status::no_device;  ///< what it answers when it is broken
  bool lost_power = false;  ///< the next command ends with an error and does nothing; the test loses what was written
  std::set<std::uint64_t> bad;  ///< sectors that cannot be read until they are written
};

/// The nodes of a test, numbered from 0, each a message away from every other.
class FakeMachine {
 public:
  struct Entry {
    Time when;  ///< it left
    hal::Message message;
  };

  explicit FakeMachine(std::size_t nodes);
  FakeNode& operator[](std::size_t i) { return *nodes_[i]; }
  std::size_t size() const { return nodes_.size(); }
  /// Messages that have arrived and have not been released.
  std::size_t unreleased() const { return packets_.size(); }

  Timeline timeline;
  Duration latency = 1_us;
  /// How often a message arrives: a network that loses messages or brings them twice.
  std::function<int(const hal::Message&)> copies = [](const hal::Message&) { return 1; };
  std::vector<Entry> sent;

 private:
  friend class FakeNode;
  struct Packet : hal::Message {
    content::Content held;
  };
  std::list<Packet> packets_;
  std::vector<std::unique_ptr<FakeNode>> nodes_;
};

/// A core whose cycle is a nanosecond.
class FakeCore : public hal::Processor {
 public:
  explicit FakeCore(Timeline& timeline) : timeline_(timeline) {}
  virtual ~FakeCore() = default;
  std::uint64_t interrupts = 0;

  static Duration length(Cycles c) { return Duration{static_cast<std::int64_t>(c.count * 1000)}; }
  Time interrupt(Cycles c) override {
    ++interrupts;
    return lengthen_interrupt(c);
  }
  Time lengthen_interrupt(Cycles c) override { return core_.interrupt(timeline_.now(), length(c)); }
  void execute(Cycles c, hal::Callback& done) override {
    assert(!pending_);
    pending_ = &done;
    core_.execute(timeline_.now(), length(c));
    wait_for_end();
  }
  void add(Cycles c) override { core_.execute(timeline_.now(), length(c)); }
  void wait_for_memory(Time until) override { core_.wait_for_memory(until); }
  void at(Time t, hal::Callback& callback) override {
    const auto made = std::make_shared<bool>(true);
    calls_[&callback] = made;
    timeline_.at(t, [&callback, made] {
      if (*made) callback.run();
    });
  }
  void forget(hal::Callback& callback) override { *calls_.at(&callback) = false; }

 private:
  void wait_for_end() {
    timeline_.at(core_.thread_end(), [this] {
      if (core_.thread_end() > timeline_.now()) return wait_for_end();  // interrupts came in between
      std::exchange(pending_, nullptr)->run();
    });
  }

  Timeline& timeline_;
  node::ProcessorCore core_;
  hal::Callback* pending_ = nullptr;
  std::map<hal::Callback*, std::shared_ptr<bool>> calls_;  // by callback: whether to make the last call
};

class FakeNode final : public hal::Node, public FakeCore, public hal::NetworkPort, public hal::DmaEngine {
 public:
  FakeNode(FakeMachine& machine, hal::NodeId id)
      : FakeCore(machine.timeline), machine_(machine), id_(id), name_("node" + std::to_string(id)) {}

  /// From now on it has that many cores.
  void set_cores(std::uint32_t n, hal::Interrupts interrupted = hal::Interrupts::first_core) {
    interrupted_ = interrupted;
    while (further_.size() + 1 < n) further_.emplace_back(machine_.timeline);
  }

  FakeDisk& add_disk(std::uint64_t sectors) { return *disks_.emplace_back(std::make_unique<FakeDisk>(*this, sectors)); }
  FakeDisk& disk(std::size_t i) { return *disks_[i]; }
  hal::Firmware& firmware() { return *firmware_; }
  Timeline& timeline() { return machine_.timeline; }
  std::uint64_t copied_bytes = 0;
  Duration memory_time{};  ///< for a byte that passes the bus, on a node with several cores

  // hal::Node
  hal::NodeId id() const override { return id_; }
  const std::string& name() const override { return name_; }
  Time now() const override { return machine_.timeline.now(); }
  hal::Processor& processor() override { return *this; }
  std::uint32_t cores() const override { return static_cast<std::uint32_t>(1 + further_.size()); }
  FakeCore& core(std::uint32_t i) override { return i == 0 ? *this : further_[i - 1]; }
  hal::Interrupts interrupted() const override { return interrupted_; }
  hal::NetworkPort& network() override { return *this; }
  hal::DmaEngine& dma() override { return *this; }
  std::uint32_t block_devices() const override { return static_cast<std::uint32_t>(disks_.size()); }
  hal::BlockDevice& block_device(std::uint32_t i) override { return *disks_[i]; }
  content::Memory& memory() override { return memory_; }
  std::byte* allocate(std::uint64_t bytes) override {
    assert(bytes <= memory_.size() - taken_);
    return memory_.base() + std::exchange(taken_, taken_ + (bytes + 63) / 64 * 64);
  }
  Time copied(std::uint64_t bytes) override {
    copied_bytes += bytes;
    memory_free_ = std::max(memory_free_, now()) + memory_time * static_cast<std::int64_t>(2 * bytes);
    return memory_free_;
  }
  void boot(hal::Firmware& firmware) override { firmware_ = &firmware; }

  // hal::NetworkPort
  void send(const hal::Message& m, Time when) override {
    when = std::max(when, now());
    machine_.sent.push_back({when, m});
    machine_.sent.back().message.source = id_;
    for (int copies = machine_.copies(machine_.sent.back().message); copies > 0; --copies) bring(m, when);
  }
  void bring(const hal::Message& m, Time when) {
    auto packet = std::make_shared<std::list<FakeMachine::Packet>>(1);
    static_cast<hal::Message&>(packet->front()) = machine_.sent.back().message;
    memory_.read(m.data, m.bytes, packet->front().held);
    timeline().at(when + machine_.latency, [this, packet] {
      machine_.packets_.splice(machine_.packets_.end(), *packet);
      FakeMachine::Packet& arrived = machine_.packets_.back();
      arrived.content = &arrived.held;
      machine_[arrived.target].firmware().message_arrived(arrived);
    });
  }
  Time accept(hal::Message& m, std::byte* destination, Time from) override {
    if (destination && m.bytes > 0) memory_.write(destination, *m.content);
    return from;
  }
  void release(hal::Message& m) override {
    machine_.packets_.remove_if([&m](const hal::Message& p) { return &p == &m; });
  }

  // hal::DmaEngine
  void copy(std::byte* to, const std::byte* from, std::uint64_t bytes, hal::Callback& done) override {
    memory_.copy(to, from, bytes);
    timeline().at(now() + 1_us, [&done] { done.run(); });
  }

 private:
  FakeMachine& machine_;
  hal::NodeId id_;
  std::string name_;
  hal::Firmware* firmware_ = nullptr;
  hal::Interrupts interrupted_ = hal::Interrupts::first_core;
  std::deque<FakeCore> further_;
  Time memory_free_{};
  std::vector<std::unique_ptr<FakeDisk>> disks_;
  // The host commits only its used part.
  static constexpr std::uint64_t memory_bytes = std::uint64_t{1} << 28;
  std::unique_ptr<std::byte[]> host_ = std::make_unique_for_overwrite<std::byte[]>(memory_bytes);
  content::Memory memory_{host_.get(), memory_bytes};
  std::uint64_t taken_ = 0;
};

inline FakeMachine::FakeMachine(std::size_t nodes) {
  for (std::size_t i = 0; i < nodes; ++i)
    nodes_.push_back(std::make_unique<FakeNode>(*this, static_cast<hal::NodeId>(i)));
}

inline void FakeDisk::submit(hal::BlockCommand& c) {
  assert(under_way_ < takes && c.sector + c.sectors <= sectors());
  ++under_way_;
  if (c.synchronise) ++synchronisations;
  else log.push_back({node_.now(), c.write, c.sector, c.sectors});
  node_.timeline().at(node_.now() + 1_ms, [this, &c] {
    --under_way_;
    if (std::exchange(lost_power, false)) {
      c.status = hal::Status::interrupted;
      c.powered_on = true;
      return node_.firmware().block_done(c);
    }
    c.status = broken ? error : hal::Status::ok;
    const auto spoilt = bad.lower_bound(c.sector), end = bad.lower_bound(c.sector + c.sectors);
    if (!broken && !c.synchronise && spoilt != end) {
      if (c.write) bad.erase(spoilt, end);
      else c.status = hal::Status::medium_error;
    }
    const std::span<std::byte> sectors(&bytes[c.sector * 512], c.sectors * 512);
    content::Content data;
    if (!broken && c.write) {
      node_.memory().read(c.data.bytes, c.sectors * 512, data);
      data.make_bytes(sectors.data());
    }
    if (c.status == hal::Status::ok && !c.write && !c.synchronise)
      node_.memory().write(c.data.bytes, content::Content(sectors));
    node_.firmware().block_done(c);
  });
}

/// A cost table in which everything is free; a test sets what it is about.
inline os::Costs free_of_charge() {
  os::Costs costs;
  boost::mp11::mp_for_each<boost::describe::describe_members<os::Costs, boost::describe::mod_public>>(
      [&](auto member) { costs.*member.pointer = Cycles{0}; });
  return costs;
}

}  // namespace sunstar::test
