// SPDX-License-Identifier: MIT
#include "sw/os/interrupt_entry.h"

#include <type_traits>
#include <utility>

namespace sunstar::os {

InterruptEntry::InterruptEntry(hal::Node& node, Common& common)
    : RunQueue(node, common), spread_(node.interrupted() == hal::Interrupts::spread), lines_(node.cores()) {
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    lines_[i].entry = this;
    lines_[i].core = &cores_[i];
  }
}

// Only the simulation's times tell which message finds another one's handler: counted firmware has no part in it.
template <class What>
void InterruptEntry::take(Line& line, What& what, bool found) {
  turn_to(*line.core);
  hold_threads();
  if (!counting) found_ = found;
  handle(what);
  if (!counting) {
    line.handled_message = std::is_same_v<What, hal::Message>;
    if (line.handled_message) line.messages_end = handler_end_;
  }
  handler_ends(handler_end_);
  leave_handler();
}
template void InterruptEntry::take(Line&, hal::Message&, bool);
template void InterruptEntry::take(Line&, hal::BlockCommand&, bool);

void InterruptEntry::wait(Line& line, Arrived arrived) { line.waiting.push_back({arrived, now()}); }

void InterruptEntry::begin_handler(const char* name, hal::RequestId request, Cycles cost) {
  const NotOnTheMachine mark;
  activity_.end();
  handler_begins(name, request);
  if (found_) return lengthen_handler(cost);
  ++interrupts_;
  handler_end_ = processor().interrupt(cycles_of(Cost::interrupt) + cost);
}

void InterruptEntry::keep_busy() {
  if (handler_end_ <= now()) return;
  Line& line = lines_[core()];
  line.end = handler_end_;
  if (!std::exchange(line.core->handles, true)) {
    activity_.begin();
    if (observer()) observer_->defers(line.path, line.end);
    processor().at(line.end, line);
  }
  handler_end_ = now();
}

void InterruptEntry::handler_ended(Line& line) {
  if (line.end > now()) return line.core->processor->at(line.end, line);  // a timer has made it longer
  line.core->handles = false;
  activity_.end();
  turn_to(*line.core);
  if (observer()) observer_->resumes(line.path, Stage::timer);
  hold_threads();
  if (!off()) make_all_ready(line.core->woken_by_handler);
  while (!line.waiting.empty() && !line.core->handles) {
    const Waiting next = take_first(line.waiting);
    if (!off() && observer()) observer_->interrupt_waited(now() - next.since);
    std::visit(
        [&]<class What>(What* what) {
          if (off()) lose(*what);
          else take(line, *what, std::is_same_v<What, hal::Message> && line.handled_message);
        },
        next.interrupt);
  }
  if (!off()) release_threads();
}

}  // namespace sunstar::os
