// SPDX-License-Identifier: MIT
#include "sw/os/os.h"

#include <algorithm>
#include <cassert>

#include "sw/os/alarm.h"
#include "sw/os/cores.h"
#include "sw/os/delivery.h"

// What watches a run is left out of a build that counts instructions: it exists in the simulation only,
// and would cost registers there.
namespace sunstar::os {

/// A function to be called at a later time.
struct Os::Deferred final : hal::Callback, boost::intrusive::list_base_hook<> {
  Os* os = nullptr;
  std::function<void()> action;
  bool counts = true;          // whether it counts as activity
  hal::RequestId request = 0;  // of whoever asked for it
  Stage wait = Stage::memory;
  std::uint32_t core = 0;  // of whoever asked for it
  Path* path = nullptr;    // for the observer
  void run() override {
    if (os->several()) [[unlikely]]
      os->cores_->turn_to(core);
    if (counts) os->activity_.end();
    if (os->observer()) [[unlikely]]
      os->observer_->resumes(path, wait);
    const auto now = std::move(action);
    action = nullptr;
    os->live_deferred_->erase(os->live_deferred_->iterator_to(*this));
    os->spare_deferred_.push_back(this);
    if (os->off()) [[unlikely]]
      return;
    Os& o = *os;
    o.dispatching_ = true;
    if (!counting) o.works_for(request);
    now();
    if (!counting) o.works_for(0);
    o.dispatch();
  }
};

Os::Os(hal::Node& node, Common& common, std::uint32_t incarnation)
    : Accounts(common.cycles),
      Observed(common.requests),
      node_(node),
      processor_(&node.processor()),
      network_(node.network()),
      incarnation_(incarnation),
      common_(common),
      activity_(common.activity),
      sockets_(common.sockets ? std::make_unique<Sockets>(*this, *common.sockets) : nullptr),
      delivery_(common.delivery ? std::make_unique<Delivery>(*this, *common.delivery) : nullptr),
      cores_(node.cores() > 1 ? std::make_unique<Cores>(*this) : nullptr),
      live_deferred_(new boost::intrusive::list<Deferred>) {
  node.boot(*this);
}

Os::~Os() {
  ending_ = true;
  for (Deferred* d : spare_deferred_) delete d;
  live_deferred_->clear_and_dispose([](Deferred* d) { delete d; });
  delete live_deferred_;
  // Unfinished threads end here: destroying the outermost frame destroys those it waits for. A thread that is destroyed
  // unlinks itself from the queue in which it waits.
  while (!all_.empty()) delete &all_.front();
}

void Os::spawn(Task<> body, ThreadKind& kind, ThreadOptions options) {
  const Counted<Cost::thread_create> mark;
  make_ready(create(std::move(body), kind, options));
}

Thread& Os::create(Task<> body, ThreadKind& kind, ThreadOptions options) {
  Thread* t;
  if (spare_.empty()) {
    t = new Thread;
  } else {
    t = spare_.back().release();
    spare_.pop_back();
  }
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

void Os::make_ready(Thread& t, bool last) {
  const CountedUnlessInside<Cost::thread_switch> mark;
  t.waiting_for_ = nullptr;
  if (several() && cores_->keep(t, last)) [[unlikely]]
    return;
  auto place = t.urgent_ ? ready_.begin() : ready_.end();
  if (t.urgent_ && last)
    while (place != ready_.end() && place->urgent_) ++place;
  ready_.insert(place, t);
  if (observer()) [[unlikely]]
    observer_->ready(t);
  if (!stretch_ && !dispatching_) dispatch();
}

void Os::begin_stretch(std::coroutine_handle<> h) {
  current_->next_step_ = h;
  begin_computing(*current_);
}

// A stretch for all that has been charged.
void Os::begin_computing(Thread& t) {
  if (observer()) [[unlikely]]
    observer_->computes(t);
  const Cycles c = debt_;
  debt_ = {};
  if (t.daemon_) activity_.begin_of_daemon();
  else activity_.begin();
  if (several()) [[unlikely]]
    return cores_->execute(t, c);
  stretch_ = &t;
  processor_->execute(c, *this);
}

void Os::run() {
  Thread& t = *stretch_;
  stretch_ = nullptr;
  activity_.end();
  if (off()) [[unlikely]]
    return;
  if (observer()) [[unlikely]]
    observer_->computed(t);
  dispatching_ = true;
  step(t);
  dispatch();
}

void Os::dispatch() {
  if (several()) [[unlikely]]
    return cores_->dispatch();
  dispatching_ = true;
  while (!stretch_ && !ready_.empty()) {
    const Counted<Cost::thread_switch> mark;
    Thread& t = ready_.front();
    ready_.pop_front();
    kind_ = t.kind_;
    if (observer()) [[unlikely]]
      observer_->runs(t);
    charge(Cost::thread_switch);
    step(t);
  }
  dispatching_ = false;
  // A thread that computed and then waited leaves the processor busy, and nobody waits for the end of that work.
  if (!stretch_ && debt_.count > 0) {
    processor_->add(debt_);
    debt_ = {};
  }
}

void Os::step(Thread& t) {
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
  if (t.ended_ && !several()) bury(t);
}

void Os::bury(Thread& t) {
  if (watcher()) [[unlikely]]
    watcher_->ends(t);
  const Counted<Cost::thread_create> mark;
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
  const bool daemon = current_->daemon_;
  const bool woken = !daemon || (!activity_.retired() && (!activity_.none() || activity_.may_sleep_again()));
  // Not after(): an interrupt handler may be running.
  if (woken)
    call_at(
        t, [&alarm] { alarm.wake_all(); }, daemon ? Stage::timer : Stage::application, !daemon);
  co_await alarm.wait();
}

void Os::on_message(std::uint16_t handler, std::initializer_list<Cost> costs, Handler action, const char* name,
                    std::string (*header)(const hal::Message&)) {
  if (handlers_.size() <= handler) handlers_.resize(handler + 1u);
  Entry& entry = handlers_[handler];
  assert(!entry.action);
  entry.costs = costs;
  entry.costs.push_back(Cost::message_dispatch);
  for (const Cost c : entry.costs) entry.cost += cycles_of(c);
  entry.action = std::move(action);
  entry.name = name;
  entry.header = header;
}

std::string Os::told(const hal::Message& m) const {
  if (m.handler >= handlers_.size() || !handlers_[m.handler].name) return "acknowledgement";
  const Entry& entry = handlers_[m.handler];
  const auto header = entry.header ? entry.header(m) : "";
  return (m.part ? "part of " : "") + std::string(entry.name) + (header.empty() ? "" : " (" + header + ")");
}

void Os::message_arrived(hal::Message& m) {
  if (off()) [[unlikely]] {
    activity_.end();
    network_.accept(m, nullptr, now());
    network_.release(m);
    return;
  }
  if (several()) [[unlikely]]
    return cores_->message_arrived(m);
  handle(m);
}

void Os::handle(hal::Message& m) {
  if (sockets_) [[unlikely]] {
    segment_arrived(m);
    return;
  }
  if (!counting && delivery_) [[unlikely]] {
    dispatching_ = true;
    const bool known = m.handler < handlers_.size();
    message_handler_begins(known ? handlers_[m.handler].name : "acknowledgement", m.request,
                           known ? handlers_[m.handler].cost : Cycles{});
    if (delivery_->arrived(m)) serve_message(handlers_[m.handler], m);
    message_handler_ends();
    return;
  }
  dispatching_ = true;  // threads that the handler makes ready start when the handler has ended
  {
    const Counted<Cost::message_dispatch> mark;
    Entry& entry = handlers_[m.handler];
    message_handler_begins(entry.name, m.request, entry.cost);
    serve_message(entry, m);
  }
  message_handler_ends();
}

// The handler of the message that a segment completes runs in the segment's interrupt.
void Os::segment_arrived(hal::Message& m) {
  if (!several() && sockets_->dropped(m)) return;
  const hal::NodeId source = m.source;
  const auto serve = [this](hal::Message& one) {
    Entry& entry = handlers_[one.handler];
    handler_end_ = processor_->lengthen_interrupt(entry.cost);
    serve_message(entry, one);
  };
  dispatching_ = true;
  message_handler_begins(m.part || m.handler >= handlers_.size() ? "segment" : handlers_[m.handler].name, m.request,
                         Cycles{});
  if ((!delivery_ || delivery_->arrived(m)) && sockets_->arrived(m)) serve(m);
  while (hal::Message* const next = sockets_->waited(source)) serve(*next);
  message_handler_ends();
}

// What arrives while earlier messages are served waits in the interface, and is found there before the handler returns.
void Os::message_handler_begins(const char* name, hal::RequestId request, Cycles cost) {
  const NotOnTheMachine mark;
  activity_.end();
  handler_begins(name, request);
  if (!counting && now() < messages_end_) {  // the machine on which instructions are counted interrupts for each
    handler_end_ = processor_->lengthen_interrupt(cost);
  } else {
    ++interrupts_;
    handler_end_ = processor_->interrupt(cycles_of(Cost::interrupt) + cost);
  }
}

void Os::serve_message(Entry& entry, hal::Message& m) {
  {
    const NotOnTheMachine mark;
    ++entry.calls;
  }
  entry.action(m);
}

void Os::message_handler_ends() {
  messages_end_ = handler_end_;
  handler_ends(handler_end_);
  dispatch();
}

// A node that was started again drives no disks: what ends was begun before.
void Os::block_done(hal::BlockCommand& command) {
  if (off() || incarnation_ > 1) [[unlikely]] {
    activity_.end();
    return;
  }
  if (several()) [[unlikely]]
    return cores_->block_done(command);
  handle(command);
}

void Os::handle(hal::BlockCommand& command) {
  {
    const NotOnTheMachine mark;
    ++interrupts_;
    activity_.end();
    handler_begins("disk done", command.request);
    handler_end_ = processor_->interrupt(cycles_of(Cost::interrupt));
  }
  dispatching_ = true;
  static_cast<BlockWork&>(command).ended();
  handler_ends(handler_end_);
  dispatch();
}

void Os::spawn_at(Time t, Task<> body, ThreadKind& kind) {
  // It is thread time: the thread's own, though the handler that is running asks for it.
  {
    const NotOnTheMachine mark;
    if (!several()) debt_ += cycles_of(Cost::thread_create);
    kind.tally[static_cast<std::size_t>(Cost::thread_create)] += 1;
  }
  if (several()) [[unlikely]]
    return cores_->spawn_at(t, std::move(body), kind);
  if (t <= handler_end_) {
    spawn(std::move(body), kind, ThreadOptions{});
    return;
  }
  auto held = std::make_shared<Task<>>(std::move(body));
  after(t, [this, held, &kind] { spawn(std::move(*held), kind, ThreadOptions{}); });
}

hal::Callback& Os::call_at(Time t, std::function<void()> action, Stage wait, bool counts) {
  Deferred* d;
  if (spare_deferred_.empty()) {
    d = new Deferred;
    d->os = this;
  } else {
    d = spare_deferred_.back();
    spare_deferred_.pop_back();
  }
  d->action = std::move(action);
  d->counts = counts;
  d->wait = wait;
  if (observer()) [[unlikely]]
    observer_->defers(d->path, t);
  d->request = request_;
  if (several()) [[unlikely]]
    d->core = core();
  if (counts) activity_.begin();
  live_deferred_->push_back(*d);
  processor_->at(t, *d);
  return *d;
}

void Os::forget(hal::Callback& call) {
  auto& d = static_cast<Deferred&>(call);
  node_.core(d.core).forget(d);
  live_deferred_->erase(live_deferred_->iterator_to(d));
  spare_deferred_.push_back(&d);
}

void Os::forget_timers() {
  for (Alarm* alarm : alarms_) alarm->forget_timer();
}

void Os::send_numbered(const hal::Message& m, Time t) { delivery_->send(m, t); }

void Os::forget(hal::NodeId node) {
  if (sockets_) sockets_->forget(node);
  if (delivery_) delivery_->forget(node);
  for (std::uint32_t left = network_.give_up(node); left > 0; --left) activity_.end();
}

// What the hardware still does for it comes to its end, and nobody looks.
void Os::power_off() {
  off_ = true;
  ready_.clear();
  for (Alarm* alarm : alarms_) alarm->cancel();
  forget_timers();
  for (std::uint32_t left = network_.close(); left > 0; --left) activity_.end();
}

CostTally Os::tally_of_handlers() const {
  CostTally tally = handlers_kind_->tally;
  tally[static_cast<std::size_t>(Cost::interrupt)] += static_cast<double>(interrupts_);
  for (const Entry& entry : handlers_)
    for (const Cost c : entry.costs) tally[static_cast<std::size_t>(c)] += static_cast<double>(entry.calls);
  return tally;
}

void Os::count_on(const Os& before) {
  Accounts::count_on(before, before.tally_of_handlers());
  if (sockets_) sockets_->count_on(*before.sockets_);
  if (delivery_) delivery_->count_on(*before.delivery_);
}

void Os::add_statistics(StatisticSet& set) const {
  if (sockets_) sockets_->add_statistics(set);
  if (delivery_) delivery_->add_statistics(set);
  set.group([this](StatisticSet& all) { add_costs(all, node_.name(), tally_of_handlers()); });
}

void Os::describe_waiting(std::vector<std::string>& lines) const {
  for (const Thread& t : all_)
    if (t.waiting_for())
      lines.push_back(node_.name() + (t.daemon_ ? ": daemon '" : ": thread '") + t.name() + "' waits for " +
                      t.waiting_for());
}

}  // namespace sunstar::os
