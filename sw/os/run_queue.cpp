// SPDX-License-Identifier: MIT
#include "sw/os/run_queue.h"

#include <algorithm>

// What watches a run is left out of a build that counts instructions: it exists in the simulation only,
// and would cost registers there.
namespace sunstar::os {

RunQueue::RunQueue(hal::Node& node, Common& common)
    : Accounts(common.cycles),
      Observed(common.requests),
      node_(node),
      activity_(common.activity),
      cores_(node.cores()),
      at_(cores_.data()),
      several_(node.cores() > 1) {
  for (std::uint32_t i = 0; i < cores_.size(); ++i) {
    cores_[i].queue = this;
    cores_[i].processor = &node.core(i);
    cores_[i].number = i;
  }
}

void RunQueue::end_threads() {
  ending_ = true;
  while (!all_.empty()) delete &all_.front();
}

Thread& RunQueue::create(Task<> body, ThreadKind& kind, ThreadOptions options) {
  const Counted<Cost::thread_create> mark;
  Thread* const t = spare_.empty() ? new Thread : take_last(spare_).release();
  t->body_ = std::move(body);
  t->next_step_ = t->body_.begin(*t);
  t->kind_ = &kind;
  t->ended_ = false;
  t->urgent_ = options.urgent;
  t->daemon_ = options.daemon;
  {
    const NotOnTheMachine apart;
    t->request_ = request_;
    t->watched_as = 0;
  }
  all_.push_back(*t);
  return *t;
}

// It is thread time: an only core computes it with what it computes next for a thread.
void RunQueue::charge_creation(Thread& t) {
  const NotOnTheMachine mark;
  if (several()) t.owes_creation_ = true;
  else debt_ += cycles_of(Cost::thread_create);
  t.kind_->tally[static_cast<std::size_t>(Cost::thread_create)] += 1;
}

void RunQueue::make_ready(Thread& t, bool last) {
  const CountedUnlessInside<Cost::thread_switch> mark;
  t.waiting_for_ = nullptr;
  if (ThreadQueue* const until_then = several() ? woken_with(t) : nullptr) [[unlikely]] {
    t.last_ = last;
    return until_then->push_back(t);
  }
  auto place = t.urgent_ ? ready_.begin() : ready_.end();
  if (t.urgent_ && last)
    while (place != ready_.end() && place->urgent_) ++place;
  ready_.insert(place, t);
  if (observer()) [[unlikely]]
    observer_->ready(t);
  if (!dispatching_) dispatch();
}

/// The threads that become ready with it when a stretch or a handler has ended; null if it is ready at once.
ThreadQueue* RunQueue::woken_with(const Thread& t) {
  if (current_ && debt_.count > 0) return &at_->woken;
  if (!current_ && handler_end_ > now()) return &at_->woken_by_handler;
  Core& its = cores_[t.core_];
  return its.thread == &t ? &its.woken : nullptr;
}

void RunQueue::make_all_ready(ThreadQueue& woken) {
  while (!woken.empty()) {
    Thread& t = woken.front();
    woken.pop_front();
    make_ready(t, t.last_);
  }
}

RunQueue::Core* RunQueue::idle_core() {
  for (Core* core = &cores_.back();; --core) {
    if (!core->thread && !core->handles) return core;
    if (core == cores_.data()) return nullptr;
  }
}

void RunQueue::dispatch() {
  dispatching_ = true;
  while (!ready_.empty()) {
    Core* const core = idle_core();
    if (!core) break;
    const Counted<Cost::thread_switch> mark;
    Thread& t = ready_.front();
    ready_.pop_front();
    at_ = core;
    kind_ = t.kind_;
    if (observer()) [[unlikely]]
      observer_->runs(t);
    charge(Cost::thread_switch);
    if (t.owes_creation_) [[unlikely]] {
      t.owes_creation_ = false;
      debt_ += cycles_of(Cost::thread_create);
    }
    step(t);
  }
  dispatching_ = false;
  // A thread that computed and then waited leaves an only core busy, and nobody waits for the end of that work.
  if (owes() && !at_->thread) at_->processor->add(std::exchange(debt_, {}));
}

void RunQueue::step(Thread& t) {
  current_ = &t;
  kind_ = t.kind_;
  if (!counting) works_for(t.request_);
  {
    const CountedApart mark;
    t.next_step_.resume();
  }
  current_ = nullptr;
  kind_ = handlers_kind_;
  if (!counting) works_for(0);
  if (at_->thread) return;  // it computes
  if (several() && debt_.count > 0) [[unlikely]] {
    t.pauses_ = true;
    return begin_computing(t);
  }
  if (!at_->woken.empty()) [[unlikely]]
    make_all_ready(at_->woken);
  if (t.ended_) bury(t);
}

void RunQueue::begin_stretch(std::coroutine_handle<> h) {
  current_->next_step_ = h;
  begin_computing(*current_);
}

// A stretch that computes all charges so far.
void RunQueue::begin_computing(Thread& t) {
  if (observer()) [[unlikely]]
    observer_->computes(t);
  if (t.daemon_) activity_.begin_of_daemon();
  else activity_.begin();
  t.core_ = static_cast<std::uint8_t>(at_->number);
  at_->processor->execute(std::exchange(debt_, {}), *at_);
  if (at_->memory_busy > Time{}) at_->processor->wait_for_memory(std::exchange(at_->memory_busy, {}));
  at_->thread = &t;  // not if the stretch goes beyond the most time: then step() ends the thread with that error
}

void RunQueue::stretch_ended(Core& core) {
  Thread& t = *std::exchange(core.thread, nullptr);
  ++core.stretches;
  activity_.end();
  if (off()) [[unlikely]]
    return;
  at_ = &core;
  if (observer()) [[unlikely]]
    observer_->computed(t);
  dispatching_ = true;
  if (!core.woken.empty()) [[unlikely]]
    make_all_ready(core.woken);
  if (!std::exchange(t.pauses_, false)) step(t);
  else if (t.ended_) bury(t);
  release_threads();
}

void RunQueue::bury(Thread& t) {
  if (watcher()) [[unlikely]]
    watcher_->ends(t);
  const Counted<Cost::thread_create> mark;
  all_.erase(all_.iterator_to(t));
  std::unique_ptr<Thread> owned(&t);
  t.body_.rethrow();
  t.body_ = Task<>();
  spare_.push_back(std::move(owned));
}

bool RunQueue::is_first() const {
  if (!ready_.empty() && goes_before_it(ready_.front())) return false;
  return std::ranges::none_of(at_->woken, [this](const Thread& t) { return goes_before_it(t); });
}

void RunQueue::wait_until_computed(Work work, std::coroutine_handle<> h) {
  Thread& t = *current_;
  block(t, h, "the end of what another thread has computed");
  cores_[work.core].woken.push_back(t);
}

void RunQueue::describe_waiting(std::vector<std::string>& lines) const {
  for (const Thread& t : all_)
    if (t.waiting_for())
      lines.push_back(node_.name() + (t.daemon_ ? ": daemon '" : ": thread '") + t.name() + "' waits for " +
                      t.waiting_for());
}

void WaitQueue::wake_all() {
  ThreadQueue woken;  // a thread that waits again meanwhile waits for the next call
  woken.swap(threads_);
  RunQueue& queue = *run_queue_;  // this queue may end with one of its threads
  while (!woken.empty()) {
    Thread& t = woken.front();
    woken.pop_front();
    queue.make_ready(t);
  }
}

}  // namespace sunstar::os
