// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "models/core/content/content_map.h"
#include "models/core/error.h"
#include "models/node/hal.h"

namespace sunstar::disk_platform {

/// A node on which only the drives take time: its processor is infinitely fast, and it has no network. There is no
/// kernel. Callbacks due at the same time come in the order in which they were asked for. The drives move no data, so
/// all memory is the same zeros.
class FreeNode final : public hal::Node, private hal::Processor, private hal::NetworkPort, private hal::DmaEngine {
 public:
  /// Its next device, which must outlive it.
  void add(hal::BlockDevice& device) { devices_.push_back(&device); }

  void forget(hal::Callback&) override {}  // its calls end with the last request
  void at(Time t, hal::Callback& callback) override { due_.push({t, asked_++, &callback}); }
  Time next() const { return due_.empty() ? Time::max() : due_.top().at; }
  /// Makes the next callback, which must be due at some time.
  void call_next() {
    const Due next = due_.top();
    due_.pop();
    now_ = next.at;
    next.callback->run();
  }
  /// Makes the callbacks that are due before `t`; then it is `t`.
  void run_until(Time t) {
    while (!due_.empty() && due_.top().at < t) call_next();
    now_ = t;
  }
  void block_done(hal::BlockCommand& command) { firmware_->block_done(command); }

  // hal::Node
  hal::NodeId id() const override { return 0; }
  const std::string& name() const override { return name_; }
  Time now() const override { return now_; }
  hal::Processor& processor() override { return *this; }
  hal::NetworkPort& network() override { return *this; }
  hal::DmaEngine& dma() override { return *this; }
  std::uint32_t block_devices() const override { return static_cast<std::uint32_t>(devices_.size()); }
  hal::BlockDevice& block_device(std::uint32_t i) override { return *devices_[i]; }
  content::Memory& memory() override { return memory_; }
  std::byte* allocate(std::uint64_t bytes) override {
    if (bytes > room) throw SimulationError("a request needs ", bytes, " bytes of memory");
    if (bytes > zeros_) memory_.clear(host_.get() + zeros_, bytes - zeros_);
    zeros_ = std::max(zeros_, bytes);
    return host_.get();
  }
  Time copied(std::uint64_t) override { return now_; }
  void boot(hal::Firmware& firmware) override { firmware_ = &firmware; }

 private:
  // hal::Processor
  Time interrupt(Cycles) override { return now_; }
  Time lengthen_interrupt(Cycles) override { return now_; }
  void execute(Cycles, hal::Callback& done) override { at(now_, done); }
  void add(Cycles) override {}
  void wait_for_memory(Time) override {}
  // hal::NetworkPort and hal::DmaEngine: unused
  void send(const hal::Message&, Time) override {}
  Time accept(hal::Message&, std::byte*, Time from) override { return from; }
  void release(hal::Message&) override {}
  void copy(std::byte*, const std::byte*, std::uint64_t, hal::Callback& done) override { at(now_, done); }

  struct Due {
    Time at;
    std::uint64_t number;
    hal::Callback* callback;
    bool operator<(const Due& other) const {  // the queue's top is the greatest
      return std::pair(at, number) > std::pair(other.at, other.number);
    }
  };

  const std::string name_ = "host";
  std::vector<hal::BlockDevice*> devices_;
  hal::Firmware* firmware_ = nullptr;
  Time now_{};
  std::priority_queue<Due> due_;
  std::uint64_t asked_ = 0;
  // All zeros are described, so the host commits none of it.
  static constexpr std::uint64_t room = std::uint64_t{1} << 31;
  std::unique_ptr<std::byte[]> host_ = std::make_unique_for_overwrite<std::byte[]>(room);
  content::Memory memory_{host_.get(), room};
  std::uint64_t zeros_ = 0;  // bytes
};

}  // namespace sunstar::disk_platform
