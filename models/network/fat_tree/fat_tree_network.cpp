// SPDX-License-Identifier: MIT

#include "models/network/fat_tree/fat_tree.h"
#include "models/network/worm/worm_traffic.h"

namespace sunstar::network {
namespace {

/// If a message's way is chosen before it enters, Route::Fate::random holds the port up at each level.
constexpr std::uint32_t port_bits = 8;

std::uint32_t port_of(std::uint64_t ports, std::uint32_t level) { return ports >> (port_bits * level) & 0xff; }

/// A fat tree as a SystemC module, by the worm model. With adaptive or random routing, messages go round links that
/// are down: by ports up from which a way leads down to the receiver.
class FatTreeNetwork final : public Fabric, private WormTraffic {
 public:
  FatTreeNetwork(const sc_core::sc_module_name& name, const FatTreeParams& params, std::uint64_t seed,
                 Timetable* timetable)
      : Fabric(name,
               {FatTree(params).nodes(), params.input_fifo, params.timing_variation, params.link_bandwidth,
                FatTree(params).channels()},
               seed, timetable),
        WormTraffic(*this, core_, params.cable_delay),
        tree_(params),
        routing_(params.routing),
        in_order_(params.queues == Queues::in_order),
        cable_(params.cable_delay),
        core_(tree_.channels(), {.router_delay = params.cable_delay + params.switch_delay,
                                 .link_bandwidth = params.link_bandwidth,
                                 .buffer_bytes = static_cast<std::uint32_t>(params.switch_buffer.count),
                                 .turnaround = in_order_ ? params.link_bandwidth.time_for(1) : Duration{},
                                 .credits = true,
                                 .step_by_step = in_order_,
                                 .in_order = in_order_}) {}

  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override {
    return core_.zero_load(tree_.switches_between(from, to) - 1, bytes) + cable_;
  }
  std::uint64_t in_flight() const override { return Fabric::in_flight() + waiting(); }
  void describe_waiting(std::vector<std::string>& lines) const override {
    WormTraffic::describe_waiting(lines);
    Fabric::describe_waiting(lines);
  }
  bool deadlocked() const override { return WormTraffic::deadlocked(); }
  /// Adds the utilisation of each channel.
  void add_statistics(StatisticSet& set) override {
    Fabric::add_statistics(set);
    for (std::uint32_t c = 0; c < tree_.channels(); ++c)
      add_utilisation(set, tree_.channel_name(c) + "_utilisation", "share of time for which bytes passed the channel",
                      c);
  }
  std::vector<Link> links() const override {
    std::vector<Link> all;
    for (std::uint32_t c = 0; c < tree_.channels(); ++c) {
      auto [below, above, port] = tree_.ends(c);
      if (c % 2 != 0) std::swap(below, above);
      all.push_back({tree_.channel_name(c), below, above, c});
    }
    return all;
  }
  std::string topology() const override { return "fat tree"; }
  /// Warns of links that were busier than those for which worms were compared with flits.
  std::vector<std::string> warnings() const override {
    return in_order_ ? WormTraffic::warnings(WormCore::good_step_by_step, "docs/validation.md")
                     : std::vector<std::string>{};
  }

 private:
  using Message = Fabric::Message;
  void inject(Message message) override { WormTraffic::inject(message); }
  void called(std::uint32_t what) override { WormTraffic::called(what); }
  Duration late(const Message& message) override { return core_.late(message.route->ticket); }
  Duration busy(std::uint32_t channel) const override { return core_.busy(channel); }
  void show(WaveFile& waves) override {
    std::vector<WaveFile::Signal> messages;
    for (std::uint32_t c = 0; c < tree_.channels(); ++c)
      messages.push_back(waves.number(std::string(name()) + "." + tree_.channel_name(c)));
    Fabric::show(waves);
    WormTraffic::show(waves);
    core_.observe(
        [&waves, messages](std::uint32_t channel, Time when, int by) { waves.step(messages[channel], when, by); });
  }
  void choose_way(Route& route) override {
    route.fate.random = 0;
    find_way(route, 0, 0);  // if there is none, add_links() finds the broken links of the last way tried
  }
  void add_links(const Route& route, std::vector<std::uint32_t>& links) const override {
    std::vector<WormCore::Hop> path;
    std::uint32_t level = 0;
    tree_.path(route.from, route.to, path, [&](const FatTree::Up&) { return port_of(route.fate.random, level++); });
    for (const WormCore::Hop& hop : path) links.push_back(hop.channel);
  }
  std::uint32_t injection(std::uint32_t port) const override { return tree_.injection(port); }
  WormCore::Path path(const Route& route) override {
    if (has_faults()) {
      std::uint32_t level = 0;
      tree_.path(route.from, route.to, path_, [&](const FatTree::Up&) { return port_of(route.fate.random, level++); });
    } else {
      tree_.path(route.from, route.to, path_, [&](const FatTree::Up& up) { return port_up(up); });
    }
    if (in_order_) path_.front().vc = WormCore::Hop::any;
    return path_;
  }
  // A node has a queue for each receiver and sends to the receiver that is ready first: otherwise a long message to a
  // busy receiver would hold up messages to others. It looks at as many messages as it may have receivers.
  std::size_t next_to_leave(const Fifo<Message>& waiting) const override {
    if (in_order_) return 0;
    std::size_t best = 0;
    Duration least = Duration::max();
    for (std::size_t i = 0; i < waiting.size() && i < ports() && least > Duration{}; ++i) {
      const std::uint32_t to = (waiting.begin() + static_cast<std::ptrdiff_t>(i))->route->to;
      if (const Duration load = core_.backlog(tree_.ejection(to), now()); load < least) {
        least = load;
        best = i;
      }
    }
    return best;
  }
  std::uint32_t port_up(const FatTree::Up& up) {
    if (routing_ == UpRouting::random) return static_cast<std::uint32_t>(random_.below(up.ports));
    return routing_ == UpRouting::adaptive ? least_loaded(up) : up.by_destination;
  }
  // Of ports with equal loads, chooses the destination's: with little traffic, adaptive routing is static routing.
  std::uint32_t least_loaded(const FatTree::Up& up) const {
    std::uint32_t best = up.by_destination;
    Duration least = core_.backlog(up.channel(best), now());
    for (std::uint32_t n = 1; n < up.ports && least > Duration{}; ++n) {
      const std::uint32_t port = (up.by_destination + n) % up.ports;
      if (const Duration load = core_.backlog(up.channel(port), now()); load < least) {
        least = load;
        best = port;
      }
    }
    return best;
  }
  // Finds the way from the switch `w` of a level on, by ports with the least load first.
  bool find_way(Route& route, std::uint32_t level, std::uint32_t w) {
    if (level == tree_.turn(route.from, route.to)) {
      std::vector<std::uint32_t> links;
      add_links(route, links);
      return std::ranges::none_of(links, [this](std::uint32_t link) { return link_down(link); });
    }
    const FatTree::Up up = tree_.ports_up(level, route.from, route.to, w);
    std::vector<std::uint32_t> ports(routing_ == UpRouting::d_mod_k ? 1 : up.ports);
    const std::uint32_t first = routing_ == UpRouting::random ? port_up(up) : up.by_destination;
    for (std::uint32_t n = 0; n < ports.size(); ++n) ports[n] = (first + n) % up.ports;
    if (routing_ == UpRouting::adaptive)
      std::ranges::stable_sort(ports, {}, [&](std::uint32_t port) { return core_.backlog(up.channel(port), now()); });
    return std::ranges::any_of(ports, [&](std::uint32_t port) {
      const std::uint32_t shift = port_bits * level;
      route.fate.random = (route.fate.random & ~(std::uint64_t{0xff} << shift)) | std::uint64_t{port} << shift;
      return !link_down(up.channel(port)) && find_way(route, level + 1, tree_.above(level, w, port));
    });
  }

  FatTree tree_;
  UpRouting routing_;
  bool in_order_;
  Duration cable_;
  WormCore core_;
  std::vector<WormCore::Hop> path_;
};

}  // namespace

std::unique_ptr<Fabric> make(const FatTreeParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable) {
  return std::make_unique<FatTreeNetwork>(name, params, seed, timetable);
}

}  // namespace sunstar::network
