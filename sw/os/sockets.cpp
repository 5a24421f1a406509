// SPDX-License-Identifier: MIT
#include "sw/os/sockets.h"

#include <algorithm>
#include <cassert>

#include "sw/os/os.h"

namespace sunstar::os {

namespace {
constexpr std::uint32_t header_bytes = sizeof(hal::Message::header);  // of a segment in the receive pool
/// What an acknowledgement that goes alone names as its handler; nobody carries it out.
constexpr std::uint16_t acknowledges = 0xffff;
constexpr Duration fast_tick = std::chrono::milliseconds{200};  // of BSD's timer
constexpr unsigned most_backoffs = 6;                           // of the timeout: BSD's longest is 64 s
}  // namespace

// A connection begins with its whole window: those of a file system have been used before it is measured.
Sockets::Connection& Sockets::to(hal::NodeId node) {
  while (connections_.size() <= node) {
    Connection& c = connections_.emplace_back(os_);
    c.congestion = params_.window.count;
    c.threshold = params_.window.count;
  }
  return connections_[node];
}

std::uint32_t Sockets::on_wire(const hal::Message& m) {
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(m.bytes) + m.more_on_wire);
}

hal::Message Sockets::segment_of(const hal::Message& m, std::uint32_t sent) const {
  hal::Message one = m;
  if (!counting) one.file_data = false;  // TCP's checksum finds what is spoilt
  one.part = m.bytes - sent > segment();
  if (one.part) {
    one.data = nullptr;
    one.bytes = 0;
    one.more_on_wire = static_cast<std::int32_t>(segment());
  } else {
    one.more_on_wire = -static_cast<std::int32_t>(sent);
  }
  return one;
}

void Sockets::transmit(hal::Message& m, Time when) {
  Connection& c = to(m.target);
  if (may_lose()) {
    m.reply = true;  // the node takes what comes, or drops it
    m.number = c.next++;
    m.all_below = c.expected;
    c.owes = false;
    Held held{m, {}};
    if (m.bytes > 0) os_.memory().read(m.data, m.bytes, held.data);
    c.held.push_back(held);
    if (c.due == Time::max()) c.due = when + params_.timeout;
    look_later();
  }
  m.acknowledged = std::exchange(c.received, 0);
  c.segments = 0;
  if (!c.gone) c.in_flight += on_wire(m);
  ++segments_;
  os_.leave(m, when);
}

bool Sockets::has_room(const Connection& c, std::uint32_t bytes) const {
  const std::uint64_t window = std::min(params_.window.count, may_lose() ? c.congestion : params_.window.count);
  return c.in_flight == 0 || c.gone || c.in_flight + bytes <= window;
}

// What the thread has computed takes its time first, and acknowledgements may come meanwhile.
Task<> Sockets::room_for(hal::NodeId node, std::uint32_t bytes) {
  Connection& c = to(node);  // stays where it is while the deque grows
  if (has_room(c, bytes)) co_return;
  co_await os_.settle();
  if (has_room(c, bytes)) co_return;
  ++waits_;
  while (!has_room(c, bytes)) co_await c.room.wait();
}

Task<> Sockets::send(const hal::Message& m) {
  os_.charge(Cost::socket_write);
  std::uint32_t sent = 0;
  for (bool more = true; more;) {
    hal::Message one = segment_of(m, sent);
    const std::uint32_t bytes = on_wire(one);
    co_await room_for(m.target, bytes);
    os_.charge(Cost::segment_send);
    os_.charge(Cost::send_per_byte, bytes);
    co_await os_.settle();
    if (sent == 0) os_.give_request(m);
    one.request = m.request;
    transmit(one, os_.now());
    sent += bytes;
    more = one.part;
  }
}

void Sockets::send_at(Time t, const hal::Message& m) {
  os_.charge_handler({{Cost::socket_write}});
  std::uint32_t sent = 0;
  for (bool more = true; more;) {
    hal::Message one = segment_of(m, sent);
    const std::uint32_t bytes = on_wire(one);
    os_.charge_handler({{Cost::segment_send}, {Cost::send_per_byte, static_cast<double>(bytes)}});
    transmit(one, std::max(t, os_.handler_end()));
    sent += bytes;
    more = one.part;
  }
}

bool Sockets::has_no_room(const hal::Message& m) {
  if (!may_lose()) return false;
  while (!pool_.empty() && pool_.front().until <= os_.now()) {
    pool_bytes_ -= pool_.front().bytes;
    pool_.pop_front();
  }
  const std::uint64_t bytes = on_wire(m) + header_bytes;
  if (pool_bytes_ + bytes <= params_.receive_pool.count) {
    pool_bytes_ += bytes;
    return false;
  }
  ++dropped_;
  return true;
}

bool Sockets::arrived(hal::Message& m) {
  Connection& c = to(m.source);
  c.gone = false;
  const bool alone = m.handler == acknowledges;
  if (alone) {
    os_.charge_handler({{Cost::acknowledgement}});
  } else {
    const std::uint32_t bytes = on_wire(m);
    os_.charge_handler({{Cost::segment_receive}, {Cost::receive_per_byte, static_cast<double>(bytes)}});
    // The receiver takes what is there at one go: a read for each run of segments of one message.
    if (m.source != reading_) os_.charge_handler({{Cost::socket_read}});
    reading_ = m.part ? m.source : nobody;
  }
  if (may_lose()) pool_.push_back({os_.handler_end(), on_wire(m) + header_bytes});
  acknowledged(c, m, alone);
  if (!alone && !in_order(c, m)) return false;
  if (!alone) count(c, m);
  if (!alone && !m.part) return true;
  pass_over(m);
  return false;
}

// A part gives its place in the FIFO back: its data come with the last one.
void Sockets::pass_over(hal::Message& m) {
  if (m.handler != acknowledges) os_.node().network().accept(m, nullptr, os_.handler_end());
  os_.node().network().release(m);
}

void Sockets::count(Connection& c, const hal::Message& m) {
  c.received += on_wire(m);
  // A sender whose window is half full may be about to wait.
  if (++c.segments >= params_.acknowledge_every || c.received >= params_.window.count / 2) acknowledge(m.source);
  else if (may_lose()) c.owes = true, look_later();
}

// What is behind a gap waits; what has come before is gone. Of either its sender learns at once, and of all that waited
// when the gap is filled.
bool Sockets::in_order(Connection& c, hal::Message& m) {
  if (!may_lose()) return true;
  if (m.number == c.expected) {
    ++c.expected;
    if (c.beyond.empty()) return true;
    for (const auto& [number, waits] : c.beyond)
      if (number == c.expected) ++c.expected;
    acknowledge(m.source);
    return true;
  }
  const hal::NodeId source = m.source;
  if (m.number < c.expected || !c.beyond.emplace(m.number, &m).second) pass_over(m);
  acknowledge(source);
  return false;
}

hal::Message* Sockets::waited(hal::NodeId node) {
  if (!may_lose()) return nullptr;
  Connection& c = to(node);
  while (!c.beyond.empty() && c.beyond.begin()->first < c.expected) {
    hal::Message& m = *c.beyond.begin()->second;
    c.beyond.erase(c.beyond.begin());
    if (!m.part) return &m;
    pass_over(m);
  }
  return nullptr;
}

void Sockets::acknowledged(Connection& c, const hal::Message& m, bool alone) {
  if (!may_lose()) {
    if (m.acknowledged == 0) return;
    c.in_flight -= std::min<std::uint64_t>(m.acknowledged, c.in_flight);
    c.room.wake_all();
    return;
  }
  const Number first = c.next - static_cast<Number>(c.held.size());
  if (m.all_below <= first) {
    if (alone && m.all_below == first && !c.held.empty() && ++c.repeated == 3 && first >= c.lost_below)
      recover(c, false);
    return;
  }
  for (Number n = first; n < m.all_below; ++n) {
    c.in_flight -= on_wire(c.held.front().message);
    c.held.pop_front();
    const std::uint64_t one = segment();
    c.congestion += c.congestion < c.threshold ? one : one * one / c.congestion;
  }
  c.congestion = std::min<std::uint64_t>(c.congestion, params_.window.count);
  c.repeated = 0;
  c.doublings = 0;
  c.due = c.held.empty() ? Time::max() : os_.handler_end() + params_.timeout;
  if (m.all_below < c.lost_below && !c.held.empty()) resend(c);
  c.room.wake_all();
}

void Sockets::recover(Connection& c, bool all) {
  c.threshold = std::max(c.in_flight / 2, std::uint64_t{2} * segment());
  c.congestion = all ? segment() : c.threshold;
  c.lost_below = c.next;
  resend(c);
}

void Sockets::resend(Connection& c) {
  ++resent_;
  Held& held = c.held.front();
  hal::Message& m = held.message;
  m.all_below = to(m.target).expected;
  if (m.bytes > 0) {
    if (!buffer_) buffer_ = os_.node().allocate(params_.segment.count);
    os_.memory().write(buffer_, held.data);
    m.data = buffer_;
  }
  os_.charge_handler({{Cost::segment_send}, {Cost::send_per_byte, static_cast<double>(on_wire(m))}});
  os_.leave(m, os_.handler_end());
}

void Sockets::look_later() {
  if (std::exchange(looks_, true)) return;
  const Time next{(os_.now().time_since_epoch() / fast_tick + 1) * fast_tick};
  os_.call_at(
      next, [this] { look(); }, Stage::timer);
}

void Sockets::look() {
  looks_ = false;
  for (std::size_t n = 0; n < connections_.size(); ++n) {
    Connection& c = connections_[n];
    if (c.owes) acknowledge(static_cast<hal::NodeId>(n));
    if (c.due <= os_.now()) {
      recover(c, true);
      c.doublings = std::min(c.doublings + 1, most_backoffs);
      c.due = os_.now() + params_.timeout * (1 << c.doublings);
    }
    if (!c.held.empty()) look_later();
  }
}

void Sockets::acknowledge(hal::NodeId node) {
  Connection& c = to(node);
  hal::Message m;
  m.target = node;
  m.handler = acknowledges;
  m.reply = true;
  m.acknowledged = std::exchange(c.received, 0);
  m.all_below = c.expected;
  c.owes = false;
  c.segments = 0;
  ++acknowledgements_;
  os_.charge_handler({{Cost::acknowledgement}});
  os_.leave(m, os_.handler_end());
}

void Sockets::forget(hal::NodeId node) {
  Connection& c = to(node);
  c.gone = true;
  c.in_flight = 0;
  c.held = {};
  c.due = Time::max();
  c.room.wake_all();
}

void Sockets::add_statistics(StatisticSet& set) {
  const std::string prefix = os_.node().name() + ".sockets";
  set.counter(prefix + ".segments", "TCP segments sent", "1", segments_);
  set.counter(prefix + ".acknowledgements", "acknowledgements sent that went alone", "1", acknowledgements_);
  set.counter(prefix + ".window_waits", "segments that waited for room in a TCP window", "1", waits_);
  if (!may_lose()) return;
  set.counter(prefix + ".dropped", "segments that found no room in the receive pool", "1", dropped_);
  set.counter(prefix + ".resent", "segments sent again", "1", resent_);
}

void Sockets::count_on(const Sockets& before) {
  segments_ = before.segments_;
  acknowledgements_ = before.acknowledgements_;
  waits_ = before.waits_;
  dropped_ = before.dropped_;
  resent_ = before.resent_;
}

}  // namespace sunstar::os
