// SPDX-License-Identifier: MIT
#include "models/network/message_monitor.h"

#include <algorithm>

#include "models/kernel/sc_time_bridge.h"
#include "models/network/route.h"

namespace sunstar::network {

MessageMonitor::MessageMonitor(const sc_core::sc_module_name& name, std::uint32_t ports)
    : sc_module(name),
      from_node("from_node", ports),
      to_network("to_network", ports),
      from_network("from_network", ports),
      to_node("to_node", ports),
      names_(ports) {
  for (std::uint32_t p = 0; p < ports; ++p) {
    from_node[p].register_nb_transport_fw(this, &MessageMonitor::send, static_cast<int>(p));
    from_network[p].register_nb_transport_fw(this, &MessageMonitor::arrive, static_cast<int>(p));
    to_node[p].register_nb_transport_bw(this, &MessageMonitor::taken, static_cast<int>(p));
  }
}

void MessageMonitor::trace(WaveFile& waves) {
  waves_ = &waves;
  for (const std::string& name : names_) {
    under_way_.push_back(name.empty() ? 0 : waves.number(name + ".under_way"));
    input_fifo_.push_back(name.empty() ? 0 : waves.number(name + ".input_fifo"));
  }
}

void MessageMonitor::record(Timeline& timeline) {
  timeline_ = &timeline;
  for (const std::string& name : names_) {
    Sender& sender = senders_.emplace_back();
    if (name.empty()) continue;
    const std::string node = name.substr(0, name.rfind('.'));
    sender.group = timeline.group(node);
    sender.destination = "to " + node.substr(node.rfind('.') + 1);
    sender.input_fifo = timeline.level(sender.group, "input FIFO");
  }
  const std::string all = name();
  delivered_ = timeline.rate(timeline.group(all.substr(0, all.rfind('.')) + ".network"), "bytes a second");
}

void MessageMonitor::log(EventLog& log) {
  log_ = &log;
  for (const std::string& name : names_) {
    Node& node = nodes_.emplace_back();
    const std::string full = name.substr(0, name.rfind('.')), leaf = full.substr(full.rfind('.') + 1);
    if (!name.empty()) node.instance = log.instance(full);
    node.to = "sends to " + leaf;
    node.from = "receives from " + leaf;
  }
}

std::uint32_t MessageMonitor::leaves(Sender& sender, Time when) {
  const std::uint32_t lane = sender.lanes.take(when);
  if (lane == sender.tracks.size())
    sender.tracks.push_back(
        sender.group ? timeline_->track(sender.group, "message sent " + std::to_string(lane), first_track + lane)
                     : Timeline::Track{});
  return lane;
}

void MessageMonitor::explain(Trails& trails, const Fabric& fabric) {
  trails_ = &trails;
  fabric_ = &fabric;
  request_times_ = &trails.requests("message (request)", {"network", "network_wait"});
  reply_times_ = &trails.requests("message (reply)", {"network", "network_wait"});
}

// The receiver goes on with the message that has arrived.
void MessageMonitor::lead(Route& route, Time when) {
  const Time left = route.trail.at;
  const Time unhindered = std::min(when, left + fabric_->zero_load(route.from, route.to, route.bytes));
  (route.reply ? reply_times_ : request_times_)->add({unhindered - left, when - unhindered});
  trails_->current = route.trail;
  trails_->lead_on(unhindered, Stage::network);
  trails_->lead_on(when, Stage::network_wait);
}

tlm::tlm_sync_enum MessageMonitor::send(int port, tlm::tlm_generic_payload& message, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  ++sent_;
  sent_bytes_ += message.get_data_length();
  const Time when = now() + from_sc(delay);
  if (waves_) waves_->step(under_way_[message.get_extension<Route>()->to], when, 1);
  if (log_) {
    const Route& route = *message.get_extension<Route>();
    log_->event(nodes_[route.from].instance, LogLevel::info, when, nodes_[route.to].to,
                {{"bytes", message.get_data_length()}, {"reply", route.reply}}, route.request);
  }
  if (timeline_) left_[&message] = {when, leaves(senders_[message.get_extension<Route>()->from], when)};
  return to_network[static_cast<std::size_t>(port)]->nb_transport_fw(message, phase, delay);
}

tlm::tlm_sync_enum MessageMonitor::arrive(int port, tlm::tlm_generic_payload& message, tlm::tlm_phase& phase,
                                          sc_core::sc_time& delay) {
  const auto p = static_cast<std::size_t>(port);
  ++arrived_;
  arrived_bytes_ += message.get_data_length();
  Route& route = *message.get_extension<Route>();
  const Time when = now() + from_sc(delay);
  if (trails_) lead(route, when);
  if (waves_) {
    waves_->step(under_way_[p], when, -1);
    if (!route.reply) waves_->step(input_fifo_[p], when, 1);
  }
  if (log_)
    log_->event(nodes_[p].instance, LogLevel::info, when, nodes_[route.from].from,
                {{"bytes", message.get_data_length()}, {"hops", route.hops}, {"reply", route.reply}}, route.request);
  if (timeline_) {
    const auto left = left_.find(&message);
    Sender& sender = senders_[route.from];
    timeline_->span(sender.tracks[left->second.lane], senders_[p].destination, left->second.at, when,
                    {{"bytes", message.get_data_length()}, {"hops", route.hops}, {"reply", route.reply}},
                    route.request);
    sender.lanes.give_back(left->second.lane, when);
    left_.erase(left);
    timeline_->count(delivered_, when, message.get_data_length());
    if (!route.reply) timeline_->step(senders_[p].input_fifo, when, 1);
  }
  return to_node[p]->nb_transport_fw(message, phase, delay);  // the message may be gone when this returns
}

tlm::tlm_sync_enum MessageMonitor::taken(int port, tlm::tlm_generic_payload& message, tlm::tlm_phase& phase,
                                         sc_core::sc_time& delay) {
  const auto p = static_cast<std::size_t>(port);
  if (const Route& route = *message.get_extension<Route>(); !route.reply) {
    if (log_)
      log_->event(nodes_[p].instance, LogLevel::debug, now() + from_sc(delay), "takes a request out of its input FIFO",
                  {}, route.request);
    if (waves_) waves_->step(input_fifo_[p], now() + from_sc(delay), -1);
    if (timeline_) timeline_->step(senders_[p].input_fifo, now() + from_sc(delay), -1);
  }
  return from_network[p]->nb_transport_bw(message, phase, delay);
}

}  // namespace sunstar::network
