// SPDX-License-Identifier: MIT
#pragma once
#include "models/network/fabric.h"

namespace sunstar::network {

/// Sits on the sockets between all nodes and the fabric; counts messages and their bytes, and reports them. Adds no
/// time.
class MessageMonitor : public sc_core::sc_module {
 public:
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged_optional<MessageMonitor>> from_node;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged_optional<MessageMonitor>> to_network;
  sc_core::sc_vector<tlm_utils::passthrough_target_socket_tagged_optional<MessageMonitor>> from_network;
  sc_core::sc_vector<tlm_utils::simple_initiator_socket_tagged_optional<MessageMonitor>> to_node;

  MessageMonitor(const sc_core::sc_module_name& name, std::uint32_t ports)
      : sc_module(name),
        from_node("from_node", ports),
        to_network("to_network", ports),
        from_network("from_network", ports),
        to_node("to_node", ports),
        ports_(ports) {
    for (std::uint32_t p = 0; p < ports; ++p) {
      from_node[p].register_nb_transport_fw(this, &MessageMonitor::send, static_cast<int>(p));
      from_network[p].register_nb_transport_fw(this, &MessageMonitor::arrive, static_cast<int>(p));
      to_node[p].register_nb_transport_bw(this, &MessageMonitor::taken, static_cast<int>(p));
    }
  }

  /// The full instance name of the node's interface at `port`, from which signals and tracks get their names. An
  /// interface without a name has no signals and no tracks.
  void set_name(std::uint32_t port, const std::string& interface) { ports_[port].interface = interface; }
  /// Describes a message in the words of its protocol; only a log calls it.
  std::function<std::string(const tlm::tlm_generic_payload&)> told;

  /// Reports the messages between the interfaces, each from when it leaves one until its last byte arrives:
  ///   waves     "<interface>.under_way", messages sent to it that have not arrived yet, and "<interface>.input_fifo",
  ///             requests that have arrived and have not been taken out yet
  ///   timeline  spans on tracks of the node that sends, the requests in each input FIFO, the bytes delivered a second
  ///   log       what each node sends and receives and, with `debug`, when it takes a request out
  ///   path      leads the paths of messages through the fabric
  void probe(const Probe& probe, const Fabric& fabric) {
    files_ = probe.files();
    timeline_ = probe.timeline;
    for (Port& port : ports_) {
      if (port.interface.empty()) continue;
      const std::string node = port.interface.substr(0, port.interface.rfind('.'));
      const std::string leaf = node.substr(node.rfind('.') + 1);
      port.to = "to " + leaf;
      port.from = "from " + leaf;
      port.report = Reporter(probe, node);
      port.under_way = Wave(probe, port.interface + ".under_way");
      if (timeline_) port.group = timeline_->group(node);
      port.input_fifo = Level(Wave(probe, port.interface + ".input_fifo"), timeline_,
                              timeline_ ? timeline_->level(port.group, "input FIFO") : 0);
    }
    const std::string all = name();
    delivered_ = Rate(probe, all.substr(0, all.rfind('.')) + ".network", "bytes a second");
    paths_ = probe.path;
    if (!paths_) return;
    fabric_ = &fabric;
    request_times_ = &paths_->requests("message (request)", {"network", "network_wait"});
    reply_times_ = &paths_->requests("message (reply)", {"network", "network_wait"});
  }

  /// For the fabric's calls when_dropped and when_duplicated.
  void dropped(const Route& route, Fabric::Loss why) {
    if (!files_) return;
    Port &to = ports_[route.to], &from = ports_[route.from];
    if (why == Fabric::Loss::refused) {  // arrive() has seen it
      if (to.report.tells(LogLevel::info))
        to.report.instant(LogLevel::info, now(), "refuses a spoilt message " + from.from, {}, route.request);
      if (!route.reply) to.input_fifo.step(now(), -1);
      return;
    }
    to.under_way.step(now(), -1);
    const char* const how = why == Fabric::Loss::no_way ? " has no way" : " is lost";
    if (from.report.tells(LogLevel::info))
      from.report.instant(LogLevel::info, now(), "message " + to.to + how, {{"reply", route.reply}}, route.request);
    if (!timeline_) return;
    const auto left = left_.find(&route);
    timeline_->span(from.tracks[left->second.lane], to.to + how, left->second.at, now(), {{"reply", route.reply}},
                    route.request);
    from.lanes.give_back(left->second.lane, now());
    left_.erase(left);
  }

  void duplicated(const Route& route) {
    if (!files_) return;
    ports_[route.to].under_way.step(now(), 1);
    if (timeline_) left_[&route] = {now(), lane_of(ports_[route.from], now())};
  }

  std::uint64_t sent() const { return sent_; }
  std::uint64_t sent_bytes() const { return sent_bytes_; }
  std::uint64_t arrived() const { return arrived_; }
  std::uint64_t arrived_bytes() const { return arrived_bytes_; }

 private:
  // The receiver continues with the message that has arrived.
  void lead(const Route& route, Time when) {
    const Time left = route.path->at;
    const Time unhindered = std::min(when, left + fabric_->zero_load_of(route));
    (route.reply ? reply_times_ : request_times_)->add({unhindered - left, when - unhindered});
    paths_->current = *route.path;
    paths_->lead_on(unhindered, Stage::network);
    paths_->lead_on(when, Stage::network_wait);
  }

  tlm::tlm_sync_enum send(int port, tlm::tlm_generic_payload& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    ++sent_;
    sent_bytes_ += message.get_data_length();
    if (files_) report_left(message, *message.get_extension<Route>(), now() + from_sc(delay));
    return to_network[static_cast<std::size_t>(port)]->nb_transport_fw(message, phase, delay);
  }

  tlm::tlm_sync_enum arrive(int port, tlm::tlm_generic_payload& message, tlm::tlm_phase& phase,
                            sc_core::sc_time& delay) {
    ++arrived_;
    arrived_bytes_ += message.get_data_length();
    const Route& route = *message.get_extension<Route>();
    const Time when = now() + from_sc(delay);
    if (paths_) lead(route, when);
    if (files_) report_arrived(message, route, when);
    return to_node[static_cast<std::size_t>(port)]->nb_transport_fw(message, phase, delay);  // it may be gone then
  }

  tlm::tlm_sync_enum taken(int port, tlm::tlm_generic_payload& message, tlm::tlm_phase& phase,
                           sc_core::sc_time& delay) {
    if (const Route* route = files_ ? message.get_extension<Route>() : nullptr; route && !route->reply) {
      const Port& here = ports_[static_cast<std::size_t>(port)];
      const Time when = now() + from_sc(delay);
      here.report.instant(LogLevel::debug, when, "takes a request out of its input FIFO", {}, route->request);
      here.input_fifo.step(when, -1);
    }
    return from_network[static_cast<std::size_t>(port)]->nb_transport_bw(message, phase, delay);
  }

  struct Port {
    std::string interface;
    Wave under_way;
    Level input_fifo;
    Reporter report;
    std::string to, from;     // of messages: "to iop3", "from iop3"
    std::uint32_t group = 0;  // of the timeline; 0: without a name
    Lanes lanes;
    std::vector<Timeline::Track> tracks;  // by lane
  };
  struct Left {
    Time at;
    std::uint32_t lane;
  };
  std::string what(const std::string& way, const tlm::tlm_generic_payload& message) const {
    return way + (told ? ": " + told(message) : "");
  }

  void report_left(const tlm::tlm_generic_payload& message, const Route& route, Time when) {
    Port &to = ports_[route.to], &from = ports_[route.from];
    to.under_way.step(when, 1);
    if (from.report.tells(LogLevel::info))
      from.report.instant(LogLevel::info, when, what("sends " + to.to, message),
                          {{"bytes", message.get_data_length()}, {"reply", route.reply}}, route.request);
    if (timeline_) left_[&route] = {when, lane_of(from, when)};
  }

  void report_arrived(const tlm::tlm_generic_payload& message, const Route& route, Time when) {
    const std::uint32_t bytes = message.get_data_length();
    Port &to = ports_[route.to], &from = ports_[route.from];
    to.under_way.step(when, -1);
    if (to.report.tells(LogLevel::info))
      to.report.instant(LogLevel::info, when, what("receives " + from.from, message),
                        {{"bytes", bytes}, {"hops", route.hops}, {"reply", route.reply}}, route.request);
    if (timeline_) {
      const auto left = left_.find(&route);
      timeline_->span(from.tracks[left->second.lane], to.to, left->second.at, when,
                      {{"bytes", bytes}, {"hops", route.hops}, {"reply", route.reply}}, route.request);
      from.lanes.give_back(left->second.lane, when);
      left_.erase(left);
      delivered_.count(when, bytes);
    }
    if (!route.reply) to.input_fifo.step(when, 1);
  }

  std::uint32_t lane_of(Port& from, Time when) {
    const std::uint32_t lane = from.lanes.take(when);
    if (lane == from.tracks.size())
      from.tracks.push_back(
          from.group ? timeline_->track(from.group, "message sent " + std::to_string(lane), first_track + lane)
                     : Timeline::Track{});
    return lane;
  }

  static constexpr std::uint32_t first_track = 1'000'000;  // below the tracks of threads
  std::vector<Port> ports_;
  std::uint64_t sent_ = 0, sent_bytes_ = 0, arrived_ = 0, arrived_bytes_ = 0;
  Rate delivered_;
  bool files_ = false;
  Timeline* timeline_ = nullptr;
  boost::unordered_flat_map<const Route*, Left> left_;  // for look-up only
  CriticalPath* paths_ = nullptr;
  const Fabric* fabric_ = nullptr;
  RequestTimes *request_times_ = nullptr, *reply_times_ = nullptr;
};

/// Binds a terminal's two sockets to a port of the fabric, through the monitor if there is one. The monitor then knows
/// the terminal as `interface`; it counts a terminal without a name but does not show it.
template <class ToNetwork, class FromNetwork>
void connect(Fabric& fabric, std::uint32_t port, MessageMonitor* monitor, ToNetwork& to_network,
             FromNetwork& from_network, const std::string& interface = {}) {
  if (!monitor) {
    to_network.bind(fabric.from_node(port));
    fabric.to_node(port).bind(from_network);
    return;
  }
  to_network.bind(monitor->from_node[port]);
  monitor->to_network[port].bind(fabric.from_node(port));
  fabric.to_node(port).bind(monitor->from_network[port]);
  monitor->to_node[port].bind(from_network);
  monitor->set_name(port, interface);
}

}  // namespace sunstar::network
