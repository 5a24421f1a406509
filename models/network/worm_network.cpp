// SPDX-License-Identifier: MIT
#include "models/network/worm_network.h"

#include <algorithm>
#include <functional>

#include "models/core/sc_time_bridge.h"

namespace sunstar::network {

WormNetwork::WormNetwork(const sc_core::sc_module_name& name, const NetworkParams& params, std::uint64_t seed, Timetable* timetable)
    : Network(name, Cube(params.shape).routers(), timetable),
      Alarm(timetable_),
      core_(Cube(params.shape), {params.router_delay, params.link_bandwidth,
                                  static_cast<std::uint32_t>(params.router_buffer.count)}),
      timing_variation_ps_(static_cast<std::uint64_t>(params.timing_variation.count())),
      varies_on_arrival_(seconds(params.timing_variation) * params.link_bandwidth.bytes_per_second),
      random_(seed, "network"),
      room_(core_.cube().routers(), InputRoom(params.input_fifo)),
      waiting_(core_.cube().routers()),
      sending_(core_.cube().routers()),
      looking_(core_.cube().routers(), 0) {}

tlm::tlm_sync_enum WormNetwork::accept(int, tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) {
  const Message message{&payload, payload.get_extension<Route>()};
  Time when = now() + from_sc(delay);
  if (message.route->bytes > varies_on_arrival_) when += variation();
  if (when == now())
    enter(message);
  else
    push(when, Due::enters, message, 0);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void WormNetwork::enter(Message message) {
  const Route& route = *message.route;
  if (route.reply || (waiting_[route.to].empty() && room_[route.to].take(now()))) {
    inject(message);
    return;
  }
  waiting_[route.to].push_back(message);
  ++waiting_count_;
  ++waited_;
  show_waiting(route.to);
  look_again(route.to);
}

Duration WormNetwork::variation() {
  if (timing_variation_ps_ == 0) return {};
  return Duration{static_cast<std::int64_t>(random_.below(timing_variation_ps_))};
}

// A worm reserves its whole path when it starts, so it must not do so before the one before it has left the node:
// channels that it cannot use yet would stand idle for everybody else.
void WormNetwork::inject(Message message) {
  const std::uint32_t from = message.route->from;
  if (!sending_[from].empty() || core_.free_at(core_.cube().injection(from)) > now()) {
    sending_[from].push_back(message);
    show_waiting(from);
    if (sending_[from].size() == 1) push(core_.free_at(core_.cube().injection(from)), Due::leaves, {}, from);
    return;
  }
  start(message);
}

void WormNetwork::start_next(std::uint32_t from) {
  auto& queue = sending_[from];
  const Message message = queue.front();
  queue.pop_front();
  show_waiting(from);
  start(message);
  if (!queue.empty()) push(core_.free_at(core_.cube().injection(from)), Due::leaves, {}, from);
}

void WormNetwork::start(Message message) {
  Route& route = *message.route;
  const auto passage = core_.inject(route.from, route.to, route.bytes, now(), static_cast<std::uint32_t>(random_.next()));
  route.hops = passage.hops;
  ++messages_;
  message_bytes_ += message.payload->get_data_length();
  const Time arrival = passage.tail + (route.bytes > varies_on_arrival_ ? Duration{} : variation());
  push(arrival, Due::arrives, message, route.to);
}

void WormNetwork::push(Time when, Due::What what, Message message, std::uint32_t router) {
  const bool earliest = due_.empty() || when < due_.front().when;
  due_.push_back({when, order_++, message, router, what});
  std::push_heap(due_.begin(), due_.end(), std::greater<>{});
  if (earliest) set(when);
}

void WormNetwork::ring() {
  const Time t = now();
  while (!due_.empty() && due_.front().when <= t) {
    const Due due = due_.front();
    std::pop_heap(due_.begin(), due_.end(), std::greater<>{});
    due_.pop_back();
    if (due.what == Due::arrives) {
      deliver(due.router, *due.message.payload);
    } else if (due.what == Due::enters) {
      enter(due.message);
    } else if (due.what == Due::leaves) {
      start_next(due.router);
    } else {
      looking_[due.router] = 0;
      admit_waiting(due.router);
    }
  }
  if (!due_.empty()) set(due_.front().when);
}

tlm::tlm_sync_enum WormNetwork::taken(int router, tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time& delay) {
  const auto r = static_cast<std::uint32_t>(router);
  room_[r].give_back(now() + from_sc(delay));
  if (!waiting_[r].empty()) look_again(r);
  return tlm::TLM_COMPLETED;
}

// Asks to be woken when a place at `router` becomes free, if that is known and nobody asked yet.
void WormNetwork::look_again(std::uint32_t router) {
  if (looking_[router] || room_[router].next_free() == Time::max()) return;
  looking_[router] = 1;
  push(std::max(now(), room_[router].next_free()), Due::room, {}, router);
}

void WormNetwork::admit_waiting(std::uint32_t router) {
  auto& queue = waiting_[router];
  while (!queue.empty() && room_[router].take(now())) {
    const Message message = queue.front();
    queue.pop_front();
    --waiting_count_;
    inject(message);
  }
  show_waiting(router);
  if (!queue.empty()) look_again(router);
}

void WormNetwork::show_waiting(std::uint32_t router) {
  if (!waves_) return;
  waves_->change(shown_held_[router], now(), static_cast<int>(waiting_[router].size()));
  waves_->change(shown_leaving_[router], now(), static_cast<int>(sending_[router].size()));
}

void WormNetwork::trace(WaveFile& waves) {
  waves_ = &waves;
  const Cube& cube = core_.cube();
  const std::string prefix = std::string(name()) + ".";
  std::vector<WaveFile::Signal> owner;
  for (std::uint32_t c = 0; c < cube.channels(); ++c) owner.push_back(waves.number(prefix + cube.channel_name(c), -1));
  for (std::uint32_t r = 0; r < cube.routers(); ++r) {
    const std::string router = prefix + "router" + std::to_string(r);
    shown_held_.push_back(waves.number(router + ".held"));
    shown_leaving_.push_back(waves.number(router + ".leaving"));
  }
  core_.observe([&waves, owner](std::uint32_t channel, std::uint32_t from, Time start, Time end) {
    waves.change(owner[channel], start, static_cast<int>(from));
    waves.change(owner[channel], end, -1);
  });
}

void WormNetwork::add_statistics(StatisticSet& set) {
  const std::string prefix = name();
  set.counter(prefix + ".messages", "messages injected", "1", messages_);
  set.counter(prefix + ".message_bytes", "data bytes in them, headers not counted", "B", message_bytes_);
  set.counter(prefix + ".held", "requests that had to wait for room in the receiver's input FIFO", "1", waited_);
  set.add({prefix + ".busiest_channel", "share of time the busiest link was reserved", "fraction",
           [this] {
             Duration most{};
             for (std::uint32_t c = 0; c < core_.cube().channels(); ++c) most = std::max(most, core_.busy(c));
             return now() == Time{} ? 0.0 : seconds(most) / seconds(now());
           }});
  for (std::uint32_t c = 0; c < core_.cube().channels(); ++c)
    set.add({prefix + "." + core_.cube().channel_name(c) + "_utilisation", "share of time bytes passed the channel", "fraction",
             [this, c] { return now() == Time{} ? 0.0 : seconds(core_.busy(c)) / seconds(now()); }});
}

void WormNetwork::describe_waiting(std::vector<std::string>& lines) const {
  for (std::uint32_t r = 0; r < waiting_.size(); ++r)
    for (const Message& message : waiting_[r])
      lines.push_back("message from router " + std::to_string(message.route->from) + " waits for room in the input FIFO at router " +
                      std::to_string(r));
}

}  // namespace sunstar::network
