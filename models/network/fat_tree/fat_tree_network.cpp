// SPDX-License-Identifier: MIT

#include "models/network/fat_tree/fat_tree.h"
#include "models/network/worm/worm_fabric.h"

namespace sunstar::network {
namespace {

/// If a message's way is chosen before it enters, Route::Fate::random holds the port up at each level.
constexpr std::uint32_t port_bits = 8;

std::uint32_t port_of(std::uint64_t ports, std::uint32_t level) { return ports >> (port_bits * level) & 0xff; }

/// A fat tree as a SystemC module. With adaptive or random routing, messages go round links that are down: by ports up
/// from which a way leads down to the receiver.
class FatTreeNetwork final : public WormFabric {
 public:
  FatTreeNetwork(const sc_core::sc_module_name& name, const FatTreeParams& params, std::uint64_t seed,
                 Timetable* timetable)
      : WormFabric(name,
                   {FatTree(params).nodes(), params.input_fifo, params.timing_variation, params.link_bandwidth,
                    FatTree(params).channels()},
                   seed, timetable, params.queues,
                   {params.cable_delay + params.switch_delay, params.cable_delay, params.switch_buffer, false}),
        tree_(params),
        routing_(params.routing),
        cable_(params.cable_delay) {}

  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override {
    return core().zero_load(tree_.switches_between(from, to) - 1, bytes) + cable_;
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

 private:
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
  std::uint32_t ejection(std::uint32_t port) const override { return tree_.ejection(port); }
  WormCore::Path path(const Route& route) override {
    if (has_faults()) {
      std::uint32_t level = 0;
      tree_.path(route.from, route.to, path_, [&](const FatTree::Up&) { return port_of(route.fate.random, level++); });
    } else {
      tree_.path(route.from, route.to, path_, [&](const FatTree::Up& up) { return port_up(up); });
    }
    if (in_order()) path_.front().vc = WormCore::Hop::any;
    return path_;
  }
  std::uint32_t port_up(const FatTree::Up& up) {
    if (routing_ == UpRouting::random) return static_cast<std::uint32_t>(random_.below(up.ports));
    return routing_ == UpRouting::adaptive ? least_loaded(up) : up.by_destination;
  }
  // Of ports with equal loads, chooses the destination's: with little traffic, adaptive routing is static routing.
  std::uint32_t least_loaded(const FatTree::Up& up) const {
    std::uint32_t best = up.by_destination;
    Duration least = core().backlog(up.channel(best), now());
    for (std::uint32_t n = 1; n < up.ports && least > Duration{}; ++n) {
      const std::uint32_t port = (up.by_destination + n) % up.ports;
      if (const Duration load = core().backlog(up.channel(port), now()); load < least) {
        least = load;
        best = port;
      }
    }
    return best;
  }
  // Finds the way from the switch `w` of a level on, by ports with the least load first.
  bool find_way(Route& route, std::uint32_t level, std::uint32_t w) {
    if (level == tree_.turn(route.from, route.to)) return !broken(route);
    const FatTree::Up up = tree_.ports_up(level, route.from, route.to, w);
    std::vector<std::uint32_t> ports(routing_ == UpRouting::d_mod_k ? 1 : up.ports);
    const std::uint32_t first = routing_ == UpRouting::random ? port_up(up) : up.by_destination;
    for (std::uint32_t n = 0; n < ports.size(); ++n) ports[n] = (first + n) % up.ports;
    if (routing_ == UpRouting::adaptive)
      std::ranges::stable_sort(ports, {}, [&](std::uint32_t port) { return core().backlog(up.channel(port), now()); });
    return std::ranges::any_of(ports, [&](std::uint32_t port) {
      const std::uint32_t shift = port_bits * level;
      route.fate.random = (route.fate.random & ~(std::uint64_t{0xff} << shift)) | std::uint64_t{port} << shift;
      return !link_down(up.channel(port)) && find_way(route, level + 1, tree_.above(level, w, port));
    });
  }

  FatTree tree_;
  UpRouting routing_;
  Duration cable_;
  std::vector<WormCore::Hop> path_;
};

}  // namespace

std::unique_ptr<Fabric> make(const FatTreeParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable) {
  return std::make_unique<FatTreeNetwork>(name, params, seed, timetable);
}

}  // namespace sunstar::network
