// SPDX-License-Identifier: MIT
#include "sw/os/transport.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "sw/os/os.h"

namespace sunstar::os {

namespace {
/// Numbers on the wire, where TCP's header does not have them already: 32 bits of its own, 16 of the others.
constexpr std::int32_t numbers_bytes = 8;
constexpr Duration tick = std::chrono::milliseconds{10};  // HZ in Linux 2.4
constexpr unsigned most_doublings = 9;                    // of the timeout: TCP_RTO_MAX is 120 s
}  // namespace

// A sender whose window is half full may be about to wait.
Transport::Transport(Os& os, const Common& common, Flow* flow)
    : os_(os),
      params_(common.delivery),
      flow_(flow),
      acknowledge_every_(flow ? common.sockets->acknowledge_every : params_->acknowledge_every),
      acknowledge_bytes_(flow ? common.sockets->window.count / 2 : ~std::uint64_t{0}),
      first_((os.incarnation() - 1) << 24),
      alarm_(os, [this] { look(); }) {}

// --- sending ---

void Transport::send(const hal::Message& m, Time when) {
  Link& link = links_[m.target];
  hal::Message one = m;
  take_along(one, link);
  if (numbered()) hold(one, link, when);
  os_.network_.send(one, when);
}

/// The acknowledgement of what has come so far.
void Transport::take_along(hal::Message& m, Link& link) {
  m.acknowledged = std::exchange(link.owed_bytes, 0);
  m.all_below = link.below;
  link.owed = 0;
  link.owed_until = Time::max();
}

void Transport::hold(hal::Message& m, Link& link, Time when) {
  m.number = first_ + link.next++;
  if (flow_) m.reply = true;  // the node takes what comes, or drops it
  else m.more_on_wire += numbers_bytes;
  m.held = below(m.number, link);
  Held& held = link.held.emplace(m.number, Held{m, {}, when + params_->timeout}).first->second;
  if (m.bytes > 0) os_.memory().read(m.data, m.bytes, held.data);
  look_at(held.due);
}

/// How far below a number the first is that is held.
std::uint16_t Transport::below(Number number, const Link& link) {
  const Number first = link.held.empty() ? number : std::min(number, link.held.begin()->first);
  return static_cast<std::uint16_t>(std::min<Number>(number - first, most_below));
}

// --- arriving ---

bool Transport::has_no_room(const hal::Message& m) {
  if (!numbered() || params_->receive_pool.count == 0) return false;
  while (!pool_.empty() && pool_.front().until <= os_.now()) {
    pool_bytes_ -= pool_.front().bytes;
    pool_.pop_front();
  }
  const std::uint64_t bytes = on_wire(m) + sizeof m.header;
  if (pool_bytes_ > 0 && pool_bytes_ + bytes > params_->receive_pool.count) {
    ++counts_.no_room;
    return true;
  }
  pool_bytes_ += bytes;
  return false;
}

bool Transport::arrived(hal::Message& m) {
  if (numbered() && params_->receive_pool.count > 0) pool_.push_back({os_.handler_end(), on_wire(m) + sizeof m.header});
  Link& link = links_[m.source];
  take_acknowledgement(m, link);
  if (is_acknowledgement(m)) {
    os_.network_.release(m);
    return false;
  }
  const bool once = !numbered() || is_new(m, link);
  const bool now = once && (!numbered() || in_turn(m, link));
  // A sender that repeats a message has missed its acknowledgement; one that lost a segment hears of each behind it.
  owe(m, link, !once || (flow_ && !link.beyond.empty()));
  if (once) return now;
  ++counts_.duplicates;
  pass_over(m);
  return false;
}

bool Transport::is_new(hal::Message& m, Link& link) const {
  // What the sender holds no more will not come: it has come, or was given up.
  if (m.number > m.held) link.below = std::max(link.below, m.number - m.held);
  const bool is_new = m.number >= link.below && link.beyond.emplace(m.number, flow_ ? &m : nullptr).second;
  while (link.beyond.contains(link.below)) ++link.below;
  return is_new;
}

bool Transport::in_turn(hal::Message& m, Link& link) const {
  if (!flow_) {
    link.beyond.erase(link.beyond.begin(), link.beyond.lower_bound(link.below));
    return true;
  }
  if (m.number >= link.below || link.beyond.begin()->second != &m) return false;
  link.beyond.erase(link.beyond.begin());
  return true;
}

hal::Message* Transport::waited(hal::NodeId node) {
  if (!flow_ || !numbered()) return nullptr;
  Link& link = links_[node];
  if (link.beyond.empty() || link.beyond.begin()->first >= link.below) return nullptr;
  hal::Message* const m = link.beyond.begin()->second;
  link.beyond.erase(link.beyond.begin());
  return m;
}

void Transport::pass_over(hal::Message& m) {
  os_.network_.accept(m, nullptr, os_.handler_end());
  os_.network_.release(m);
}

// --- acknowledging ---

void Transport::take_acknowledgement(const hal::Message& m, Link& link) {
  if (!numbered()) {
    if (m.acknowledged > 0) flow_->acknowledged(m.source, m.acknowledged);
    return;
  }
  const HeldOne end = link.held.lower_bound(m.all_below);
  const bool news = end != link.held.begin();
  drop(m.source, link, link.held.begin(), end);
  const bool alone = is_acknowledgement(m);
  if (!flow_) {
    if (!alone) return;
    std::array<Range, ranges> more;
    std::memcpy(more.data(), m.header.data(), sizeof more);
    for (const Range& range : more)
      drop(m.source, link, link.held.lower_bound(range.from), link.held.lower_bound(range.end));
    return;
  }
  if (link.held.empty()) return;
  const HeldOne oldest = link.held.begin();
  if (news) {
    link.repeated = 0;
    if (oldest->first < link.lost_below) return resend(oldest, link);
    oldest->second.due = os_.handler_end() + params_->timeout;
    look_at(oldest->second.due);
  } else if (alone && m.all_below == oldest->first && ++link.repeated == 3 && oldest->first >= link.lost_below) {
    lost(m.source, link, false);
  }
}

/// Gives up the copies of messages that have arrived, or are not to be sent again.
Transport::HeldOne Transport::drop(hal::NodeId node, Link& link, HeldOne from, HeldOne end) {
  if (flow_)
    for (HeldOne at = from; at != end; ++at) flow_->acknowledged(node, on_wire(at->second.message));
  return link.held.erase(from, end);
}

void Transport::owe(const hal::Message& m, Link& link, bool at_once) {
  link.owed_bytes += on_wire(m);
  if (++link.owed >= acknowledge_every_ || link.owed_bytes >= acknowledge_bytes_ || at_once) {
    acknowledge(m.source, link);
  } else if (numbered() && link.owed_until == Time::max()) {
    link.owed_until = os_.now() + params_->acknowledge_after;
    look_at(link.owed_until);
  }
}

void Transport::acknowledge(hal::NodeId node, Link& link) {
  hal::Message m;
  m.target = node;
  m.handler = acknowledges;
  m.reply = true;
  take_along(m, link);
  if (!flow_) {
    std::array<Range, ranges> more{};
    std::size_t n = 0;
    for (const auto& [number, message] : link.beyond) {
      if (n > 0 && more[n - 1].end == number) ++more[n - 1].end;
      else if (n < ranges) more[n++] = {number, number + 1};
      else break;
    }
    std::memcpy(m.header.data(), more.data(), sizeof more);
  }
  ++counts_.acknowledgements;
  os_.charge_handler({{flow_ ? Cost::acknowledgement : Cost::message_send}});
  os_.activity_.begin();
  os_.network_.send(m, os_.handler_end());
}

// --- sending again ---

// Timers go off with the clock's ticks, so that one look serves everything due.
void Transport::look_at(Time t) {
  const Time next{(t.time_since_epoch() + tick - Duration{1}) / tick * tick};
  if (next < alarm_.due()) alarm_.set(next);
}

void Transport::look() {
  Time next = Time::max();
  for (auto& [node, link] : links_) next = std::min(next, look(node, link));
  if (next != Time::max()) look_at(next);
}

/// Does what is due on the link; returns when something is due next.
Time Transport::look(hal::NodeId node, Link& link) {
  if (link.owed_until <= os_.now()) acknowledge(node, link);
  Time next = link.owed_until;
  for (HeldOne at = link.held.begin(); at != link.held.end();) {
    if (at->second.due <= os_.now()) {
      if (at->second.sent > params_->resends) {
        ++counts_.given_up;
        at = drop(node, link, at, std::next(at));
        continue;
      }
      os_.charge_handler({{Cost::interrupt}});
      if (flow_) lost(node, link, true);
      else resend(at, link);
    }
    next = std::min(next, at->second.due);
    if (flow_) break;  // what was lost behind it follows when it has arrived
    ++at;
  }
  return next;
}

/// The oldest segment has probably been lost, and perhaps others behind it.
void Transport::lost(hal::NodeId node, Link& link, bool timed_out) {
  flow_->lost(node, timed_out);
  link.lost_below = first_ + link.next;
  resend(link.held.begin(), link);
}

void Transport::resend(HeldOne one, Link& link) {
  ++counts_.resent;
  Held& held = one->second;
  held.due = os_.now() + params_->timeout * (1 << std::min(held.sent, most_doublings));
  ++held.sent;
  hal::Message& m = held.message;
  m.all_below = link.below;
  m.held = below(one->first, link);
  if (m.bytes > 0) {
    if (m.bytes > buffer_bytes_) {
      buffer_ = os_.node().allocate(m.bytes);
      buffer_bytes_ = m.bytes;
    }
    os_.memory().write(buffer_, held.data);
    m.data = buffer_;
  }
  if (flow_) flow_->charge_segment(m);
  else os_.charge_handler({{Cost::message_send}});
  os_.activity_.begin();
  os_.network_.send(m, os_.handler_end());
  look_at(held.due);
}

void Transport::forget(hal::NodeId node) {
  if (const auto found = links_.find(node); found != links_.end()) found->second.held.clear();
}

void Transport::power_off() {
  for (auto& [node, link] : links_)
    for (const auto& [number, message] : std::exchange(link.beyond, {}))
      if (message) pass_over(*message);
}

void Transport::add_statistics(StatisticSet& set) {
  const std::string& node = os_.node().name();
  set.counter(node + (flow_ ? ".sockets" : ".delivery") + ".acknowledgements", "acknowledgements that went alone", "1",
              counts_.acknowledgements);
  if (!numbered()) return;
  set.counter(node + ".delivery.resent", "messages sent again", "1", counts_.resent);
  set.counter(node + ".delivery.given_up", "messages sent again as often as they may be", "1", counts_.given_up);
  set.counter(node + ".delivery.duplicates", "messages dropped because they had come before", "1", counts_.duplicates);
  set.counter(node + ".delivery.no_room", "messages that found no room in the receive pool", "1", counts_.no_room);
}

}  // namespace sunstar::os
