// SPDX-License-Identifier: MIT
#include "sw/os/sockets.h"

#include <algorithm>
#include <cassert>

#include "sw/os/os.h"

namespace sunstar::os {

// A connection begins with its whole window: those of a file system have been used before it is measured.
Sockets::Connection& Sockets::to(hal::NodeId node) {
  return connections_.try_emplace(node, os_, window()).first->second;
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

std::uint16_t Sockets::next_stream(hal::NodeId node) {
  const std::uint32_t n = params_.connections;
  return static_cast<std::uint16_t>(os_.node().id() * (n - 1) + to(node).turn++ % n);
}

void Sockets::transmit(const hal::Message& m, Time when) {
  Connection& c = to(m.target);
  if (!c.gone) c.in_flight += on_wire(m);
  ++counts_.segments;
  os_.leave(m, when);
}

bool Sockets::has_room(const Connection& c, std::uint32_t bytes) {
  return c.in_flight == 0 || c.gone || c.in_flight + bytes <= c.congestion;
}

// What the thread has computed takes its time first, and acknowledgements may come meanwhile.
Task<> Sockets::room_for(hal::NodeId node, std::uint32_t bytes) {
  Connection& c = to(node);  // stays where it is when others are added
  if (has_room(c, bytes)) co_return;
  co_await os_.settle();
  if (has_room(c, bytes)) co_return;
  ++counts_.waits;
  while (!has_room(c, bytes)) co_await c.room.wait();
}

Task<> Sockets::send(const hal::Message& m) {
  os_.charge(Cost::socket_write);
  std::uint32_t sent = 0;
  const std::uint16_t stream = next_stream(m.target);
  for (bool more = true; more;) {
    hal::Message one = segment_of(m, sent);
    one.stream = stream;
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
  const std::uint16_t stream = next_stream(m.target);
  for (bool more = true; more;) {
    hal::Message one = segment_of(m, sent);
    one.stream = stream;
    charge_segment(one);
    transmit(one, std::max(t, os_.handler_end()));
    sent += on_wire(one);
    more = one.part;
  }
}

void Sockets::arrived(const hal::Message& m) {
  to(m.source).gone = false;
  if (Transport::is_acknowledgement(m)) return os_.charge_handler({{Cost::acknowledgement}});
  os_.charge_handler({{Cost::segment_receive}, {Cost::receive_per_byte, static_cast<double>(on_wire(m))}});
  // The receiver takes what is there at one go: a read for each run of segments of one message.
  if (reading_.size() <= os_.core()) reading_.resize(os_.core() + 1, nobody);
  std::uint64_t& reading = reading_[os_.core()];
  const std::uint64_t its = std::uint64_t{m.source} << 16 | m.stream;
  if (its != reading)
    os_.charge_handler({{Cost::socket_read}, {Cost::select_per_socket, static_cast<double>(connections_.size())}});
  reading = m.part ? its : nobody;
}

void Sockets::acknowledged(hal::NodeId node, std::uint64_t bytes) {
  Connection& c = to(node);
  c.in_flight -= std::min(bytes, c.in_flight);
  const std::uint64_t one = segment();
  c.congestion += c.congestion < c.threshold ? one : one * one / c.congestion;
  c.congestion = std::min(c.congestion, window());
  c.room.wake_all();
}

void Sockets::lost(hal::NodeId node, bool timed_out) {
  Connection& c = to(node);
  c.threshold = std::max(c.in_flight / 2, std::uint64_t{2} * segment());
  c.congestion = timed_out ? segment() : c.threshold;
}

void Sockets::charge_segment(const hal::Message& m) {
  os_.charge_handler({{Cost::segment_send}, {Cost::send_per_byte, static_cast<double>(on_wire(m))}});
}

void Sockets::forget(hal::NodeId node) {
  Connection& c = to(node);
  c.gone = true;
  c.in_flight = 0;
  c.room.wake_all();
}

void Sockets::add_statistics(StatisticSet& set) {
  const std::string prefix = os_.node().name() + ".sockets";
  set.counter(prefix + ".segments", "TCP segments sent", "1", counts_.segments);
  set.counter(prefix + ".window_waits", "segments that waited for room in a TCP window", "1", counts_.waits);
}

}  // namespace sunstar::os
