// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "sw/file_systems/file_system.h"

namespace sunstar::file_systems {

/// The end of a run: one processor, for all, brings the file system to its own end. Another one does it if that one has
/// stopped; if all have stopped, the run is over.
class Ending {
 public:
  /// `end`: what that processor does.
  Ending(Run& run, std::function<os::Task<>(std::uint32_t processor)> end)
      : run_(run), end_(std::move(end)), over_(run.nodes.compute.size()) {}

  /// The program of a processor has ended. `last`: it is the one.
  os::Task<> program_ended(std::uint32_t processor, bool last) {
    over_[processor] = State::ended;
    if (last) co_await end(processor);
    else look();
  }
  void stopped(std::uint32_t processor) {
    over_[processor] = State::stopped;
    if (ending_ == processor) ending_ = nobody;
    look();
  }

 private:
  enum class State : std::uint8_t { runs, ended, stopped };
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  os::Task<> end(std::uint32_t processor) {
    ending_ = processor;
    co_await end_(processor);
    run_.job.record.finish(run_.nodes.compute[processor]->os.now());
  }
  void look() {
    if (!run_.nodes.compute.front()->os.things_fail() || ending_ != nobody || run_.job.record.finished()) return;
    std::uint32_t first = nobody;
    for (std::uint32_t p = 0; p < over_.size(); ++p) {
      if (over_[p] == State::runs) return;
      if (over_[p] == State::ended && first == nobody) first = p;
    }
    os::Os& os = run_.nodes.compute[first == nobody ? 0 : first]->os;
    if (first == nobody) {  // nobody is left to synchronise
      for (std::uint32_t i = 0; i < run_.nodes.io.size(); ++i) run_.job.record.unsynced(i);
      return run_.job.record.finish(os.now());
    }
    ending_ = first;
    os.spawn(end(first), "main");
  }

  Run& run_;
  std::function<os::Task<>(std::uint32_t)> end_;
  std::vector<State> over_;
  std::uint32_t ending_ = nobody;
};

}  // namespace sunstar::file_systems
