// SPDX-License-Identifier: MIT
#include "sw/os/delivery.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "sw/os/os.h"

namespace sunstar::os {

namespace {
/// What an acknowledgement that goes alone names as its handler; nobody carries it out.
constexpr std::uint16_t acknowledges_alone = 0xfffe;
/// Numbers on the wire, where TCP's header does not have them already: 32 bits of its own, 16 of the others.
constexpr std::int32_t numbers_bytes = 8;
constexpr Duration tick = std::chrono::milliseconds{10};  // HZ in Linux 2.4
constexpr unsigned most_doublings = 9;                    // of the timeout: TCP_RTO_MAX is 120 s
}  // namespace

Delivery::Delivery(Os& os, const Acknowledged& params)
    : os_(os), params_(params), first_((os.incarnation() - 1) << 24), alarm_(os, [this] { look(); }) {}

void Delivery::send(const hal::Message& m, Time when) {
  Link& link = links_[m.target];
  hal::Message numbered = m;
  numbered.number = first_ + link.next++;
  numbered.all_below = link.below;
  link.owed = 0;
  link.owed_until = Time::max();
  if (!os_.sockets_) numbered.more_on_wire += numbers_bytes;
  numbered.held = below(numbered.number, link);
  Held& held = link.held.emplace(numbered.number, Held{numbered, {}, when + params_.timeout}).first->second;
  if (m.bytes > 0) os_.memory().read(m.data, m.bytes, held.data);
  look_at(held.due);
  os_.network_.send(numbered, when);
}

bool Delivery::arrived(hal::Message& m) {
  Link& link = links_[m.source];
  take_acknowledgement(link, m);
  settle(link, m);
  const bool is_new = m.number >= link.below && link.beyond.insert(m.number).second;
  while (link.beyond.erase(link.below) > 0) ++link.below;
  if (m.number > 0) {
    // Who sends what has come has not heard of it.
    if (!is_new || ++link.owed >= params_.acknowledge_every) {
      acknowledge(m.source, link);
    } else if (link.owed_until == Time::max()) {
      link.owed_until = os_.now() + params_.acknowledge_after;
      look_at(link.owed_until);
    }
  }
  if (m.number > 0 && is_new) return true;
  duplicates_ += m.number > 0;
  os_.receive(m);
  return false;
}

/// How far below a number the first is that is held.
std::uint16_t Delivery::below(Number number, const Link& link) {
  const Number first = link.held.empty() ? number : std::min(number, link.held.begin()->first);
  return static_cast<std::uint16_t>(std::min<Number>(number - first, most_below));
}

/// What the sender holds no more will not come: it has come, or was given up.
void Delivery::settle(Link& link, const hal::Message& m) {
  if (m.number <= m.held || m.number - m.held <= link.below) return;
  link.below = m.number - m.held;
  link.beyond.erase(link.beyond.begin(), link.beyond.lower_bound(link.below));
}

void Delivery::take_acknowledgement(Link& link, const hal::Message& m) {
  link.held.erase(link.held.begin(), link.held.lower_bound(m.all_below));
  if (m.handler != acknowledges_alone) return;
  std::array<Range, ranges> more;
  std::memcpy(more.data(), m.header.data(), sizeof more);
  for (const Range& range : more) link.held.erase(link.held.lower_bound(range.from), link.held.lower_bound(range.end));
}

void Delivery::acknowledge(hal::NodeId node, Link& link) {
  hal::Message m;
  m.target = node;
  m.handler = acknowledges_alone;
  m.reply = true;
  m.all_below = link.below;
  std::array<Range, ranges> more{};
  std::size_t n = 0;
  for (const Number number : link.beyond) {
    if (n > 0 && more[n - 1].end == number) ++more[n - 1].end;
    else if (n < ranges) more[n++] = {number, number + 1};
    else break;
  }
  std::memcpy(m.header.data(), more.data(), sizeof more);
  link.owed = 0;
  link.owed_until = Time::max();
  ++acknowledgements_;
  os_.charge_handler({{os_.sockets_ ? Cost::acknowledgement : Cost::message_send}});
  os_.activity_.begin();
  os_.network_.send(m, os_.handler_end());
}

// Timers go off with the clock's ticks, so that one look serves all that is due.
void Delivery::look_at(Time t) {
  const Time next{(t.time_since_epoch() + tick - Duration{1}) / tick * tick};
  if (next < alarm_.due()) alarm_.set(next);
}

void Delivery::look() {
  Time next = Time::max();
  for (auto& [node, link] : links_) {
    if (link.owed_until <= os_.now()) acknowledge(node, link);
    next = std::min(next, link.owed_until);
    for (auto at = link.held.begin(); at != link.held.end();) {
      Held& held = at->second;
      if (held.due <= os_.now()) {
        if (held.sent > params_.resends) {
          ++given_up_;
          at = link.held.erase(at);
          continue;
        }
        held.message.all_below = link.below;
        held.message.held = below(at->first, link);
        resend(held);
      }
      next = std::min(next, held.due);
      ++at;
    }
  }
  if (next != Time::max()) look_at(next);
}

void Delivery::resend(Held& held) {
  ++resent_;
  held.due = os_.now() + params_.timeout * (1 << std::min(held.sent, most_doublings));
  ++held.sent;
  hal::Message& m = held.message;
  if (m.bytes > 0) {
    if (m.bytes > buffer_bytes_) {
      buffer_ = os_.node().allocate(m.bytes);
      buffer_bytes_ = m.bytes;
    }
    os_.memory().write(buffer_, held.data);
    m.data = buffer_;
  }
  os_.charge_handler({{Cost::interrupt}, {os_.sockets_ ? Cost::segment_send : Cost::message_send}});
  os_.activity_.begin();
  os_.network_.send(m, os_.handler_end());
}

void Delivery::forget(hal::NodeId node) {
  if (const auto found = links_.find(node); found != links_.end()) found->second.held.clear();
}

void Delivery::add_statistics(StatisticSet& set) {
  const std::string prefix = os_.node().name() + ".delivery";
  set.counter(prefix + ".resent", "messages sent again", "1", resent_);
  set.counter(prefix + ".given_up", "messages sent again as often as they may be", "1", given_up_);
  set.counter(prefix + ".duplicates", "messages dropped because they had come before", "1", duplicates_);
  set.counter(prefix + ".acknowledgements", "acknowledgements that went alone", "1", acknowledgements_);
}

void Delivery::count_on(const Delivery& before) {
  resent_ = before.resent_;
  given_up_ = before.given_up_;
  duplicates_ = before.duplicates_;
  acknowledgements_ = before.acknowledgements_;
}

}  // namespace sunstar::os
