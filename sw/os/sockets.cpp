// SPDX-License-Identifier: MIT
#include "sw/os/sockets.h"

#include <algorithm>
#include <cassert>

#include "sw/os/os.h"

namespace sunstar::os {

namespace {
constexpr std::uint32_t header_bytes = sizeof(hal::Message::header);
/// What an acknowledgement that goes alone names as its handler; nobody carries it out.
constexpr std::uint16_t acknowledges = 0xffff;
}  // namespace

Sockets::Connection& Sockets::to(hal::NodeId node) {
  while (connections_.size() <= node) connections_.emplace_back(os_);
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
  m.acknowledged = std::exchange(c.received, 0);
  c.segments = 0;
  c.in_flight += on_wire(m) + header_bytes;
  ++segments_;
  os_.leave(m, when);
}

bool Sockets::has_room(const Connection& c, std::uint32_t bytes) const {
  return c.in_flight == 0 || c.in_flight + bytes + header_bytes <= params_.window.count;
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

bool Sockets::arrived(hal::Message& m) {
  Connection& c = to(m.source);
  const bool alone = m.handler == acknowledges;
  if (alone) {
    os_.charge_handler({{Cost::acknowledgement}});
  } else {
    const std::uint32_t bytes = on_wire(m);
    os_.charge_handler({{Cost::segment_receive}, {Cost::receive_per_byte, static_cast<double>(bytes)}});
    // The receiver takes what is there at one go: a read for each run of segments of one message.
    if (m.source != reading_) os_.charge_handler({{Cost::socket_read}});
    reading_ = m.part ? m.source : nobody;
    c.received += bytes + header_bytes;
    // A sender whose window is half full may be about to wait.
    if (++c.segments >= params_.acknowledge_every || c.received >= params_.window.count / 2) acknowledge(m.source);
  }
  if (m.acknowledged > 0) {
    assert(m.acknowledged <= c.in_flight || os_.things_fail());
    c.in_flight -= std::min<std::uint64_t>(m.acknowledged, c.in_flight);
    c.room.wake_all();
  }
  if (!alone && !m.part) return true;
  // A part gives its place in the FIFO back: its data come with the last one.
  if (m.part) os_.node().network().accept(m, nullptr, os_.handler_end());
  os_.node().network().release(m);
  return false;
}

void Sockets::acknowledge(hal::NodeId node) {
  Connection& c = to(node);
  hal::Message m;
  m.target = node;
  m.handler = acknowledges;
  m.reply = true;
  m.acknowledged = std::exchange(c.received, 0);
  c.segments = 0;
  ++acknowledgements_;
  os_.charge_handler({{Cost::acknowledgement}});
  os_.leave(m, os_.handler_end());
}

void Sockets::forget(hal::NodeId node) {
  Connection& c = to(node);
  c.in_flight = 0;
  c.room.wake_all();
}

void Sockets::add_statistics(StatisticSet& set) {
  const std::string prefix = os_.node().name() + ".sockets";
  set.counter(prefix + ".segments", "TCP segments sent", "1", segments_);
  set.counter(prefix + ".acknowledgements", "acknowledgements sent that went alone", "1", acknowledgements_);
  set.counter(prefix + ".window_waits", "segments that waited for room in a TCP window", "1", waits_);
}

}  // namespace sunstar::os
