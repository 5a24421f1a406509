// SPDX-License-Identifier: MIT
#include "sw/os/os.h"

#include <algorithm>
#include <cassert>

namespace sunstar::os {

Os::Os(hal::Node& node, Common& common, std::uint32_t incarnation)
    : Timers(node, common),
      network_(node.network()),
      incarnation_(incarnation),
      common_(common),
      sockets_(common.sockets ? std::make_unique<Sockets>(*this, *common.sockets) : nullptr),
      transport_(sockets_ || common.delivery ? std::make_unique<Transport>(*this, common, sockets_.get()) : nullptr) {
  node.boot(*this);
}

Os::~Os() { end_threads(); }

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
  if (off() || (!counting && transport_ && transport_->has_no_room(m))) [[unlikely]]
    lose(m);
  else interrupt(m);
}

void Os::handle(hal::Message& m) {
  if (!counting && transport_) [[unlikely]]
    return brought_by_transport(m);
  const Counted<Cost::message_dispatch> mark;
  Entry& entry = handlers_[m.handler];
  begin_handler(entry.name, m.request, entry.cost);
  carry_out(entry, m);
}

// The handler of the message that a segment completes runs in the segment's interrupt.
void Os::brought_by_transport(hal::Message& m) {
  const hal::NodeId source = m.source;
  const bool named = !m.part && m.handler < handlers_.size();
  begin_handler(named ? handlers_[m.handler].name : sockets_ ? "segment" : "acknowledgement", m.request, Cycles{});
  if (sockets_) sockets_->arrived(m);
  if (transport_->arrived(m)) complete(m);
  while (hal::Message* const next = transport_->waited(source)) complete(*next);
}

// The data of a part come with the last one.
void Os::complete(hal::Message& m) {
  if (m.part) return transport_->pass_over(m);
  Entry& entry = handlers_[m.handler];
  lengthen_handler(entry.cost);
  carry_out(entry, m);
}

void Os::carry_out(Entry& entry, hal::Message& m) {
  {
    const NotOnTheMachine mark;
    ++entry.calls;
  }
  entry.action(m);
}

void Os::lose(hal::Message& m) {
  activity_.end();
  network_.accept(m, nullptr, now());
  network_.release(m);
}

// A node that was started again drives no disks: what ends was begun before.
void Os::block_done(hal::BlockCommand& command) {
  if (off() || incarnation_ > 1) [[unlikely]]
    lose(command);
  else interrupt(command);
}

void Os::handle(hal::BlockCommand& command) {
  begin_handler("disk done", command.request, Cycles{});
  static_cast<BlockWork&>(command).ended();
}

void Os::lose(hal::BlockCommand& /*command*/) { activity_.end(); }

void Os::spawn_at(Time t, Task<> body, ThreadKind& kind) {
  Thread& thread = create(std::move(body), kind, ThreadOptions{});
  charge_creation(thread);
  if (t <= handler_end_) start(thread);
  else call_at(t, [this, &thread] { start(thread); });
}

void Os::describe_waiting(std::vector<std::string>& lines) const {
  RunQueue::describe_waiting(lines);
  if (!counting && transport_ && transport_->given_up() > 0)
    lines.push_back(concat(node_.name(), ": has given up messages (", transport_->given_up(),
                           "), lost as often as machine.delivery lets it send them",
                           watched_peers() ? "" : "; where machine.peers.kind is trusted, nobody notices"));
}

void Os::forget(hal::NodeId node) {
  if (sockets_) sockets_->forget(node);
  if (transport_) transport_->forget(node);
  for (std::uint32_t left = network_.give_up(node); left > 0; --left) activity_.end();
}

// What the hardware still does for it comes to its end, and nobody looks.
void Os::power_off() {
  stop();
  cancel_alarms();
  forget_timers();
  if (transport_) transport_->power_off();
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
  if (transport_) transport_->count_on(*before.transport_);
}

void Os::add_statistics(StatisticSet& set) const {
  if (sockets_) sockets_->add_statistics(set);
  if (transport_) transport_->add_statistics(set);
  set.group([this](StatisticSet& all) { add_costs(all, node_.name(), tally_of_handlers()); });
}

}  // namespace sunstar::os
