// SPDX-License-Identifier: MIT
#include "platforms/network/terminals.h"

namespace sunstar::traffic {

Terminals::Terminals(const sc_core::sc_module_name& name, std::uint32_t ports, Duration cycle,
                     std::uint64_t most_under_way, std::pair<Time, Time> window, Source& source, Timetable& timetable,
                     Sink sink)
    : sc_module(name),
      to_network("to_network", ports),
      from_network("from_network", ports),
      cycle_(cycle),
      most_(most_under_way),
      window_(window),
      source_(source),
      alarm_(timetable, *this),
      sink_(std::move(sink)),
      next_(ports),
      under_way_(ports),
      waiting_(ports, 0) {
  for (std::uint32_t p = 0; p < ports; ++p) {
    from_network[p].register_nb_transport_fw(this, &Terminals::arrive, static_cast<int>(p));
    next_[p] = source_.next(p);
    before_end_ += next_[p].created < window_.second;
    if (next_[p].created != Time::max()) due_.push({next_[p].created + cycle_, p});
  }
  if (!due_.empty()) alarm_.set(due_.top().when);
}

void Terminals::connect(network::Fabric& fabric, network::MessageMonitor* monitor) {
  const std::string above = name();
  const std::string prefix = above.substr(0, above.rfind('.') + 1) + "terminal";
  for (std::uint32_t p = 0; p < next_.size(); ++p)
    network::connect(fabric, p, monitor, to_network[p], from_network[p], prefix + std::to_string(p) + ".interface");
}

void Terminals::extend_window(Time end) {
  window_.second = end;
  before_end_ = 0;
  for (const Message& message : next_) before_end_ += message.created < end;
}

void Terminals::ring() {
  const Time t = now();
  sending_ = true;
  while (!due_.empty() && due_.top().when <= t) {
    const std::uint32_t node = due_.top().node;
    due_.pop();
    go_on(node);
  }
  sending_ = false;
  if (!due_.empty()) alarm_.set(due_.top().when);
  if (lost_ > 0) when_lost();
}

// Sends the node's messages that are due, up to its limit, and schedules the next message.
void Terminals::go_on(std::uint32_t node) {
  const Time t = now();
  Message& message = next_[node];
  while (message.created != Time::max()) {
    if (message.created + cycle_ > t) {
      due_.push({message.created + cycle_, node});
      return;
    }
    if (under_way_[node] == most_) {
      waiting_[node] = 1;
      ++held_;
      return;
    }
    send(message);
    const bool before = message.created < window_.second;
    message = source_.next(node);
    before_end_ -= before && message.created >= window_.second;
  }
}

void Terminals::send(const Message& message) {
  tlm::tlm_generic_payload& payload = pool_.acquire();
  auto* route = payload.get_extension<network::Route>();
  if (!route) payload.set_extension(route = new network::Route);
  route->from = message.from;
  route->to = message.to;
  route->bytes = message.bytes;
  route->reply = true;
  route->varies = false;
  route->created = message.created;
  payload.set_data_length(message.bytes);
  ++under_way_[message.from];
  ++created_;
  window_created_ += in_window(message.created);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  to_network[message.from]->nb_transport_fw(payload, phase, delay);
}

tlm::tlm_sync_enum Terminals::arrive(int port, tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
  const network::Route& route = *payload.get_extension<network::Route>();
  if (route.fate.corrupted) return tlm::TLM_COMPLETED;
  const std::uint32_t from = route.from;
  ++delivered_;
  delivered_bytes_ += route.bytes;
  if (static_cast<int>(route.to) != port) ++astray_;
  window_gone_ += in_window(route.created);
  sink_({route.created, route.entered - cycle_, now(), route.from, route.to, route.bytes, route.hops});
  payload.release();
  gone(from);
  return tlm::TLM_ACCEPTED;
}

void Terminals::dropped(const network::Route& route) {
  ++lost_;
  window_gone_ += in_window(route.created);
  window_lost_ += in_window(route.created);
  gone(route.from);
}

void Terminals::duplicated(const network::Route& route) {
  ++created_;
  ++under_way_[route.from];
  window_created_ += in_window(route.created);
}

// Its node may send another message.
void Terminals::gone(std::uint32_t from) {
  --under_way_[from];
  if (waiting_[from]) {
    waiting_[from] = 0;
    --held_;
    const bool first = due_.empty();
    const Time earliest = first ? Time::max() : due_.top().when;
    const bool before = std::exchange(sending_, true);
    go_on(from);
    sending_ = before;
    if (!due_.empty() && due_.top().when < earliest) alarm_.set(due_.top().when);
  }
  if (lost_ > 0 && !sending_) when_lost();
}

}  // namespace sunstar::traffic
