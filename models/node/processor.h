// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/simple_initiator_socket.h>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/core/statistics.h"
#include "models/kernel/timetable.h"
#include "models/node/hal.h"
#include "models/node/processor_core.h"

namespace sunstar::node {

/// The processor as a SystemC module: it runs ProcessorCore in simulated time and carries the firmware's register
/// accesses onto the node bus. A stretch of thread-level work costs one event of the timetable; interrupts cost none of
/// their own.
class Processor : public sc_core::sc_module, public hal::Processor, private Timetable::Alarm {
 public:
  tlm_utils::simple_initiator_socket<Processor> socket;

  /// `cycle_ps`: the length of one cycle of this node's clock.
  Processor(const sc_core::sc_module_name& name, double cycle_ps, Timetable& timetable);

  Time interrupt(Cycles) override;
  Time lengthen_interrupt(Cycles) override;
  void execute(Cycles, hal::Callback& done) override;
  void add(Cycles) override;
  void at(Time, hal::Callback&) override;

  Duration length(Cycles c) const { return picoseconds(c.count * cycle_ps_); }
  void add_statistics(StatisticSet&);
  const ProcessorCore& core() const { return core_; }
  bool busy() const { return pending_ != nullptr; }

 private:
  struct Timer {
    Time when;
    std::uint64_t order;
    hal::Callback* callback;
    bool operator>(const Timer& o) const { return when != o.when ? when > o.when : order > o.order; }
  };

  void ring() override;
  void set_alarm();

  double cycle_ps_;
  ProcessorCore core_;
  hal::Callback* pending_ = nullptr;
  std::vector<Timer> timers_;  // a heap, earliest first
  std::uint64_t order_ = 0;
  std::uint64_t interrupts_ = 0;
};

}  // namespace sunstar::node
