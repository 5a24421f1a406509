// SPDX-License-Identifier: MIT
#include "models/node/processor_watch.h"

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::node {

namespace {
enum State { idle, thread, in_interrupt };
}

ProcessorWatch::ProcessorWatch(node::Processor& cpu, WaveFile& waves)
    : cpu_(cpu),
      waves_(waves),
      state_(waves.word(std::string(cpu.name()) + ".state", {"processor_state", {"idle", "thread", "interrupt"}})) {
  waves.add(*this);
}

void ProcessorWatch::add(const std::string& name, std::function<std::size_t()> figure) {
  const auto signal = waves_.number(name);
  if (signal != WaveFile::unseen) figures_.push_back({signal, std::move(figure)});
}

Time ProcessorWatch::interrupt(Cycles c) {
  look();
  const Time end = cpu_.interrupt(c);
  show_state();
  return end;
}

Time ProcessorWatch::lengthen_interrupt(Cycles c) {
  look();
  const Time end = cpu_.lengthen_interrupt(c);
  show_state();
  return end;
}

void ProcessorWatch::execute(Cycles c, hal::Callback& done) {
  look();
  cpu_.execute(c, timer(done));
  show_state();
}

void ProcessorWatch::add(Cycles c) {
  look();
  cpu_.add(c);
  show_state();
}

void ProcessorWatch::at(Time when, hal::Callback& callback) {
  look();
  cpu_.at(when, timer(callback));
}

ProcessorWatch::Timer& ProcessorWatch::timer(hal::Callback& callback) {
  if (spare_.empty()) {
    spare_.push_back(&timers_.emplace_back());
    spare_.back()->watch = this;
  }
  Timer& t = *spare_.back();
  spare_.pop_back();
  t.callback = &callback;
  return t;
}

void ProcessorWatch::Timer::run() {
  watch->look();
  watch->spare_.push_back(this);
  callback->run();
}

void ProcessorWatch::look() {
  const Time t = now();
  if (t == last_) return;
  settle();
  last_ = t;
}

Time ProcessorWatch::settle() {
  for (const Figure& f : figures_) waves_.change(f.signal, last_, static_cast<int>(f.value()));
  return now();
}

// Interrupt-level work comes first and has no gaps; thread-level work follows.
void ProcessorWatch::show_state() {
  const Time t = now(), interrupts = cpu_.core().interrupt_end(), threads = cpu_.core().thread_end();
  Time from = t;
  if (interrupts > from) {
    waves_.change(state_, from, in_interrupt);
    from = interrupts;
  }
  if (threads > from) {
    waves_.change(state_, from, thread);
    from = threads;
  }
  waves_.change(state_, from, idle);
}

}  // namespace sunstar::node
