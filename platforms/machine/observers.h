// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <vector>

#include "sw/os/observer.h"

namespace sunstar::machine {

/// Several observers of one executive; it has room for one.
class Observers final : public os::Observer {
 public:
  void add(os::Observer& observer) { all_.push_back(&observer); }
  bool any() const { return !all_.empty(); }

  void ready(os::Thread& t) override {
    for (auto* o : all_) o->ready(t);
  }
  void runs(os::Thread& t) override {
    for (auto* o : all_) o->runs(t);
  }
  void waits(os::Thread& t, const char* what) override {
    for (auto* o : all_) o->waits(t, what);
  }
  void ends(os::Thread& t) override {
    for (auto* o : all_) o->ends(t);
  }
  void sends(os::Thread& t, hal::RequestId request) override {
    for (auto* o : all_) o->sends(t, request);
  }
  void serves(os::Thread& t, hal::RequestId request) override {
    for (auto* o : all_) o->serves(t, request);
  }
  void interrupt_begins(const char* name, hal::RequestId request) override {
    for (auto* o : all_) o->interrupt_begins(name, request);
  }
  void interrupt_ends(Time end) override {
    for (auto* o : all_) o->interrupt_ends(end);
  }
  void notes(const char* what, std::uint64_t file, std::uint64_t block) override {
    for (auto* o : all_) o->notes(what, file, block);
  }

 private:
  std::vector<os::Observer*> all_;
};

}  // namespace sunstar::machine
