// SPDX-License-Identifier: MIT
#include "sw/os/cores.h"

#include <algorithm>
#include <utility>

namespace sunstar::os {

Cores::Cores(Os& os) : os_(os), spread_(os.node().interrupted() == hal::Interrupts::spread) {
  for (std::uint32_t i = 0; i < os.node().cores(); ++i) cores_.emplace_back(*this, os.node().core(i), i);
  at_ = &cores_.front();
}

void Cores::turn_to(std::uint32_t core) {
  at_ = &cores_[core];
  os_.processor_ = &at_->processor;
  os_.handler_end_ = os_.now();  // no handler runs
}

// --- threads ---

Cores::Core* Cores::idle() {
  const auto found = std::ranges::find_if(cores_.rbegin(), cores_.rend(),
                                          [](const Core& core) { return !core.thread && !core.handles; });
  return found == cores_.rend() ? nullptr : &*found;
}

void Cores::dispatch() {
  leave_handler();
  os_.dispatching_ = true;
  while (!os_.ready_.empty()) {
    Core* const core = idle();
    if (!core) break;
    Thread& t = os_.ready_.front();
    os_.ready_.pop_front();
    turn_to(core->number);
    os_.kind_ = t.kind_;
    if (os_.observer_) os_.observer_->runs(t);
    os_.charge(Cost::thread_switch);
    if (std::exchange(t.owes_creation_, false)) os_.debt_ += os_.cycles_of(Cost::thread_create);
    step(t);
  }
  os_.dispatching_ = false;
}

// What it has charged before it waits or ends takes its time, too: meanwhile neither thread nor core does anything
// else.
void Cores::step(Thread& t) {
  os_.step(t);
  if (at_->thread) return;
  if (os_.debt_.count > 0) {
    t.pauses_ = true;
    return os_.begin_computing(t);
  }
  ready(at_->woken);
  if (t.ended_) os_.bury(t);
}

void Cores::execute(Thread& t, Cycles c) {
  at_->thread = &t;
  t.computes_ = true;
  t.core_ = static_cast<std::uint8_t>(at_->number);
  at_->processor.execute(c, *at_);
  if (const Time passed = std::exchange(at_->memory_busy, Time{}); passed > os_.now())
    at_->processor.wait_for_memory(passed);
}

void Cores::stretch_ended(Core& core) {
  Thread& t = *std::exchange(core.thread, nullptr);
  ++core.stretches;
  t.computes_ = false;
  os_.activity_.end();
  if (os_.off()) return;
  turn_to(core.number);
  if (os_.observer_) os_.observer_->computed(t);
  os_.dispatching_ = true;
  ready(core.woken);
  if (!std::exchange(t.pauses_, false)) step(t);
  else if (t.ended_) os_.bury(t);
  dispatch();
}

bool Cores::keep(Thread& t, bool last) {
  ThreadQueue* until;
  if (os_.current_ && os_.debt_.count > 0) until = &at_->woken;
  else if (!os_.current_ && os_.handler_end_ > os_.now()) until = &at_->woken_by_handler;
  else if (t.computes_) until = &cores_[t.core_].woken;
  else return false;
  t.last_ = last;
  until->push_back(t);
  return true;
}

void Cores::ready(ThreadQueue& woken) {
  while (!woken.empty()) {
    Thread& t = woken.front();
    woken.pop_front();
    os_.make_ready(t, t.last_);
  }
}

void Cores::spawn_at(Time t, Task<> body, ThreadKind& kind) {
  Thread& thread = os_.create(std::move(body), kind, {});
  thread.owes_creation_ = true;
  if (t <= os_.handler_end_) os_.make_ready(thread);
  else os_.after(t, [this, &thread] { os_.make_ready(thread); });
}

// --- interrupts ---

void Cores::message_arrived(hal::Message& m) {
  if (os_.sockets_ && os_.sockets_->dropped(m)) return;
  interrupt(of_source(m.source), &m);
}

void Cores::block_done(hal::BlockCommand& c) { interrupt(cores_[spread_ ? c.core : 0], &c); }

void Cores::interrupt(Core& core, Interrupt what) {
  if (core.handles) core.waiting.push_back({what, os_.now()});
  else serve(core, what, false);
}

// A message that has waited for one before it takes no interrupt of its own.
void Cores::serve(Core& core, Interrupt what, bool waited) {
  turn_to(core.number);
  hal::Message** const m = std::get_if<hal::Message*>(&what);
  os_.messages_end_ = m && waited && core.handled_message ? Time::max() : Time::min();
  core.handled_message = m != nullptr;
  if (m) os_.handle(**m);
  else os_.handle(*std::get<hal::BlockCommand*>(what));
}

// The code of a handler has run; its time has still to pass.
void Cores::leave_handler() {
  if (os_.handler_end_ <= os_.now()) return;
  at_->handler_end = os_.handler_end_;
  if (!std::exchange(at_->handles, true)) {
    os_.activity_.begin();
    if (os_.observer_) os_.observer_->defers(at_->path, os_.handler_end_);
    at_->processor.at(os_.handler_end_, at_->when_handler_ends);
  }
  os_.handler_end_ = os_.now();
}

void Cores::handler_ended(Core& core) {
  if (core.handler_end > os_.now()) {  // a timer has made it longer
    core.processor.at(core.handler_end, core.when_handler_ends);
    return;
  }
  core.handles = false;
  os_.activity_.end();
  turn_to(core.number);
  if (os_.observer_) os_.observer_->resumes(core.path, Stage::timer);
  os_.dispatching_ = true;
  if (!os_.off()) ready(core.woken_by_handler);
  while (!core.waiting.empty() && !core.handles) {
    const Waiting next = core.waiting.front();
    core.waiting.pop_front();
    if (os_.off()) {
      if (auto* const* m = std::get_if<hal::Message*>(&next.interrupt)) os_.message_arrived(**m);
      else os_.block_done(*std::get<hal::BlockCommand*>(next.interrupt));
      continue;
    }
    if (os_.observer_) os_.observer_->interrupt_waited(os_.now() - next.since);
    serve(core, next.interrupt, true);
  }
  if (!os_.off()) dispatch();
}

// --- what the executive asks ---

std::uint32_t Os::core() const { return cores_ ? cores_->now_on() : 0; }

Work Os::last_work() const {
  if (!current_ || debt_.count == 0) return {};
  return {cores_->at_->number, cores_->at_->stretches + 1};
}

bool Os::computes(Work work) const {
  const Cores::Core& core = cores_->cores_[work.core];
  return core.stretches < work.number && &core != cores_->at_;
}

void Os::wait_until_computed(Work work, std::coroutine_handle<> h) {
  Thread& t = *current_;
  block(t, h, "the end of what another thread has computed");
  cores_->cores_[work.core].woken.push_back(t);
}

bool Os::nothing_kept_before_it() const {
  return std::ranges::none_of(cores_->at_->woken, [this](const Thread& t) { return goes_before_it(t); });
}

void Os::stretch_needs_memory(Time until) {
  if (current_) cores_->at_->memory_busy = std::max(cores_->at_->memory_busy, until);
}

}  // namespace sunstar::os
