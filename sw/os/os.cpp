// SPDX-License-Identifier: MIT
#include "sw/os/os.h"

#include <cassert>

namespace sunstar::os {

/// A function to be called at a later time.
struct Os::Deferred final : hal::Callback, boost::intrusive::list_base_hook<> {
  Os* os = nullptr;
  std::function<void()> action;
  void run() override {
    const auto now = std::move(action);
    action = nullptr;
    os->live_deferred_->erase(os->live_deferred_->iterator_to(*this));
    os->spare_deferred_.push_back(this);
    Os& o = *os;
    o.dispatching_ = true;
    now();
    o.dispatch();
  }
};

Os::Os(hal::Node& node, const Costs& costs)
    : node_(node),
      processor_(node.processor()),
      network_(node.network()),
      id_(node.id()),
      costs_(costs),
      live_deferred_(new boost::intrusive::list<Deferred>) {
  node.boot(*this);
}

Os::~Os() {
  ending_ = true;
  for (Deferred* d : spare_deferred_) delete d;
  live_deferred_->clear_and_dispose([](Deferred* d) { delete d; });
  delete live_deferred_;
  // Unfinished threads end here: destroying the outermost frame destroys those it waits for. A thread leaves the queue
  // it waits in by itself.
  while (!all_.empty()) delete &all_.front();
}

void Os::spawn(Task<> body, const char* name, Urgency urgency) {
  Thread* t;
  if (spare_.empty()) {
    t = new Thread;
  } else {
    t = spare_.back().release();
    spare_.pop_back();
  }
  t->body_ = std::move(body);
  t->next_step_ = t->body_.begin(*t);
  t->name_ = name;
  t->ended_ = false;
  t->urgent_ = urgency == Urgency::urgent;
  all_.push_back(*t);
  make_ready(*t);
}

void Os::make_ready(Thread& t) {
  t.waiting_for_ = nullptr;
  if (t.urgent_) ready_.push_front(t);
  else ready_.push_back(t);
  if (!stretch_ && !dispatching_) dispatch();
}

void Os::begin_stretch(std::coroutine_handle<> h) {
  current_->next_step_ = h;
  stretch_ = current_;
  const Cycles c = debt_;
  debt_ = {};
  processor_.execute(c, *this);
}

void Os::run() {
  Thread& t = *stretch_;
  stretch_ = nullptr;
  dispatching_ = true;
  step(t);
  dispatch();
}

void Os::dispatch() {
  dispatching_ = true;
  while (!stretch_ && !ready_.empty()) {
    Thread& t = ready_.front();
    ready_.pop_front();
    debt_ += costs_.thread_switch;
    step(t);
  }
  dispatching_ = false;
  // A thread that computed and then waited leaves the processor busy with nobody waiting for the end of it.
  if (!stretch_ && debt_.count > 0) {
    processor_.add(debt_);
    debt_ = {};
  }
}

void Os::step(Thread& t) {
  current_ = &t;
  t.next_step_.resume();
  current_ = nullptr;
  if (!t.ended_) return;
  all_.erase(all_.iterator_to(t));
  std::unique_ptr<Thread> owned(&t);
  t.body_.rethrow();
  t.body_ = Task<>();
  spare_.push_back(std::move(owned));
}

Task<> Os::sleep_until(Time t) {
  co_await settle();
  if (t <= now()) co_return;
  WaitQueue alarm(*this, "a point of time");
  call_at(t, [&alarm] { alarm.wake_all(); });  // not after(): an interrupt handler may be running
  co_await alarm.wait();
}

void Os::on_message(std::uint16_t handler, Cycles cost, Handler action) {
  if (handlers_.size() <= handler) handlers_.resize(handler + 1u);
  assert(!handlers_[handler].action);
  handlers_[handler] = {cost, std::move(action)};
}

void Os::message_arrived(hal::Message& m) {
  const Entry& entry = handlers_[m.handler];
  handler_end_ = processor_.interrupt(costs_.interrupt + entry.cost);
  dispatching_ = true;  // threads that the handler makes ready start when it is done
  entry.action(m);
  dispatch();
}

void Os::block_done(hal::BlockCommand& command) {
  handler_end_ = processor_.interrupt(costs_.interrupt);
  dispatching_ = true;
  block_done_(command);
  dispatch();
}

void Os::spawn_at(Time t, Task<> body, const char* name) {
  debt_ += costs_.thread_create;
  if (t <= handler_end_) {
    spawn(std::move(body), name);
    return;
  }
  auto held = std::make_shared<Task<>>(std::move(body));
  after(t, [this, held, name] { spawn(std::move(*held), name); });
}

void Os::after(Time t, std::function<void()> action) {
  if (t <= handler_end_ && handler_end_ > now()) {
    action();
    return;
  }
  call_at(t, std::move(action));
}

void Os::call_at(Time t, std::function<void()> action) {
  Deferred* d;
  if (spare_deferred_.empty()) {
    d = new Deferred;
    d->os = this;
  } else {
    d = spare_deferred_.back();
    spare_deferred_.pop_back();
  }
  d->action = std::move(action);
  live_deferred_->push_back(*d);
  processor_.at(t, *d);
}

void Os::describe_waiting(std::vector<std::string>& lines) const {
  for (const Thread& t : all_)
    if (t.waiting_for()) lines.push_back(node_.name() + ": thread '" + t.name() + "' waits for " + t.waiting_for());
}

}  // namespace sunstar::os
