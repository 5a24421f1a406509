// SPDX-License-Identifier: MIT

#include "models/network/fabric.h"
#include "models/network/switch/switch.h"

namespace sunstar::network {
namespace {

/// A multistage switch as a SystemC module. A message costs one event of the timetable, and one more if the link from
/// its port is busy.
class SwitchNetwork final : public Fabric {
 public:
  SwitchNetwork(const sc_core::sc_module_name& name, const SwitchParams& params, std::uint64_t seed,
                Timetable* timetable)
      : Fabric(name, {params.ports, params.input_fifo, params.timing_variation, params.port_bandwidth, params.ports},
               seed, timetable),
        core_(params),
        sending_(params.ports) {}

  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override {
    return core_.zero_load(from, to, bytes);
  }
  std::uint64_t in_flight() const override { return Fabric::in_flight() + sending_count_; }
  /// Adds the utilisation of the link to each port.
  void add_statistics(StatisticSet& set) override {
    Fabric::add_statistics(set);
    for (std::uint32_t port = 0; port < ports(); ++port)
      add_utilisation(set, port_name(port) + ".utilisation",
                      "share of time for which bytes passed the link from the switch to this port", port);
  }
  /// The links to the ports; links from the ports are not counted.
  std::vector<Link> links() const override {
    std::vector<Link> all;
    for (std::uint32_t port = 0; port < ports(); ++port)
      all.push_back({port_name(port), "switch", port_name(port), port});
    return all;
  }
  std::string topology() const override { return "switch"; }

 private:
  Duration busy(std::uint32_t port) const override { return core_.busy(port); }
  // Messages get the link to a receiver in the order in which they start, so no message may start before it leaves its
  // port.
  void inject(Message message) override {
    const std::uint32_t from = message.route->from;
    auto& queue = sending_[from];
    if (queue.empty() && core_.link_free(from) <= now()) {
      start(message);
      return;
    }
    queue.push_back(message);
    ++sending_count_;
    show_leaving(from);
    if (queue.size() == 1) call_at(core_.link_free(from), from);
  }
  void add_links(const Route& route, std::vector<std::uint32_t>& links) const override { links.push_back(route.to); }
  void show(WaveFile& waves) override {
    Fabric::show(waves);
    for (std::uint32_t port = 0; port < ports(); ++port) {
      const std::string prefix = std::string(name()) + "." + port_name(port);
      shown_leaving_.push_back(waves.number(prefix + ".leaving"));
      shown_output_.push_back(waves.number(prefix + ".output", -1));
    }
  }
  void called(std::uint32_t from) override {
    auto& queue = sending_[from];
    const Message message = take_first(queue);
    --sending_count_;
    show_leaving(from);
    start(message);
    if (!queue.empty()) call_at(core_.link_free(from), from);
  }
  void start(Message message) {
    if (!sets_out(message)) return;
    Route& route = *message.route;
    route.hops = core_.chips(route.from, route.to) + 1;
    route.entered = now();
    count(message);
    const Duration before = core_.busy(route.to);
    const Time tail = core_.send(now(), route.from, route.to, route.bytes);
    if (waves_) {
      waves_->change(shown_output_[route.to], tail - (core_.busy(route.to) - before), static_cast<int>(route.from));
      waves_->change(shown_output_[route.to], tail, -1);
    }
    arrives(message, tail);
  }
  void show_leaving(std::uint32_t port) {
    if (waves_) waves_->change(shown_leaving_[port], now(), static_cast<int>(sending_[port].size()));
  }

  SwitchCore core_;
  std::vector<Fifo<Message>> sending_;  // by port: messages behind the leaving one
  std::uint64_t sending_count_ = 0;
  std::vector<WaveFile::Signal> shown_leaving_, shown_output_;  // by port
};

}  // namespace

std::unique_ptr<Fabric> make(const SwitchParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable) {
  return std::make_unique<SwitchNetwork>(name, params, seed, timetable);
}

}  // namespace sunstar::network
