// SPDX-License-Identifier: MIT
#include "models/network/dragonfly/dragonfly.h"
#include "models/network/worm/worm_fabric.h"

namespace sunstar::network {
namespace {

using Way = Dragonfly::Way;

/// If a message's way is chosen before it enters, Route::Fate::random holds it.
std::uint64_t packed(const Way& way) {
  return std::uint64_t{way.after} << 48 | std::uint64_t{way.before} << 32 | (way.over + 1);
}
Way unpacked(std::uint64_t way) {
  return {static_cast<std::uint32_t>(way) - 1, static_cast<std::uint16_t>(way >> 32 & 0xffff),
          static_cast<std::uint16_t>(way >> 48)};
}

/// A dragonfly as a SystemC module. Heads ask for a channel when they are there, because a global link is long.
/// Messages go round what is down: over another link between the groups, or over another router.
class DragonflyNetwork final : public WormFabric {
 public:
  DragonflyNetwork(const sc_core::sc_module_name& name, const DragonflyParams& params, std::uint64_t seed,
                   Timetable* timetable)
      : WormFabric(name,
                   {Dragonfly(params).nodes(), params.input_fifo, params.timing_variation, params.link_bandwidth,
                    Dragonfly(params).channels(), params.nodes},
                   seed, timetable, params.queues,
                   {params.node_cable + params.router_delay, params.node_cable, params.router_buffer, true}),
        params_(params),
        dragonfly_(params),
        threshold_(params.link_bandwidth.time_for(params.ugal_threshold.count)) {
    for (std::uint32_t c = 0; c < dragonfly_.channels(); ++c)
      if (const auto kind = dragonfly_.kind(c); kind != Dragonfly::Kind::node)
        core().set_channel(c, delay(kind), bandwidth(kind));
  }

  /// By the minimal way.
  Duration zero_load(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) const override {
    std::vector<Dragonfly::Hop> path;
    dragonfly_.path(from, to, {}, path);
    path.pop_back();
    Duration all = params_.node_cable, slowest{};
    for (const auto& hop : path) {
      const auto kind = dragonfly_.kind(hop.channel);
      all += delay(kind);
      slowest = std::max(slowest, bandwidth(kind).time_for(bytes));
    }
    return all + slowest;
  }
  std::vector<Link> links() const override {
    std::vector<Link> all;
    for (std::uint32_t c = 0; c < dragonfly_.channels(); ++c) {
      const auto kind = dragonfly_.kind(c);
      if (kind == Dragonfly::Kind::none) continue;
      const auto [first, last] = dragonfly_.ends(c);
      std::string from = "router" + std::to_string(first), to = "router" + std::to_string(last);
      if (kind == Dragonfly::Kind::node) (c % 2 == 0 ? from : to) = "port" + std::to_string(c / 2);
      all.push_back({dragonfly_.name(c), std::move(from), std::move(to), c});
    }
    return all;
  }
  std::string topology() const override { return "dragonfly"; }
  std::string unsafe_detours() const override {
    if (params_.virtual_channels == 4) return {};
    return "machine.network.virtual_channels is " + std::to_string(params_.virtual_channels) +
           ": messages that go over another router could wait for one another for ever; set it to 4";
  }

 private:
  Duration delay(Dragonfly::Kind kind) const {
    const Duration cable = kind == Dragonfly::Kind::node    ? params_.node_cable
                           : kind == Dragonfly::Kind::local ? params_.local_cable
                                                            : params_.global_cable;
    return cable + params_.router_delay;
  }
  Bandwidth bandwidth(Dragonfly::Kind kind) const {
    return kind == Dragonfly::Kind::global ? params_.global_bandwidth : params_.link_bandwidth;
  }

  std::uint32_t injection(std::uint32_t port) const override { return dragonfly_.injection(port); }
  std::uint32_t ejection(std::uint32_t port) const override { return dragonfly_.ejection(port); }
  WormCore::Path path(const Route& route) override {
    dragonfly_.path(route.from, route.to, has_faults() ? unpacked(route.fate.random) : choose(route), path_);
    if (in_order()) path_.front().vc = Dragonfly::Hop::any;
    return path_;
  }

  std::uint16_t any_copy() {
    return static_cast<std::uint16_t>(dragonfly_.copies() > 1 ? random_.below(dragonfly_.copies()) : 0);
  }
  // Bytes on the first link of a way, and waiting behind it, for which the router has no credit yet.
  Duration queue(const Route& route, const Way& way) {
    dragonfly_.path(route.from, route.to, way, path_);
    return core().without_credit(path_[1].channel, now());
  }
  // UGAL, decided by the router of the sender as the message leaves. The other way has twice the global links.
  Way choose(const Route& route) {
    const std::uint32_t group = group_of(route.from);
    if (group == group_of(route.to)) return {};
    const Way straight{Way::straight, 0, any_copy()};
    if (params_.routing == DragonflyRouting::minimal) return straight;
    const Way other{dragonfly_.router_of(static_cast<std::uint32_t>(random_.below(ports()))), any_copy(), any_copy()};
    if (dragonfly_.group_of(other.over) == group) return straight;
    return queue(route, straight) <= 2 * queue(route, other) + threshold_ ? straight : other;
  }
  std::uint32_t group_of(std::uint32_t port) const { return dragonfly_.group_of(dragonfly_.router_of(port)); }

  void choose_way(Route& route) override {
    route.fate.random = packed(choose(route));
    if (!faults().breaks_links() || !broken(route)) return;
    const std::uint64_t chosen = route.fate.random;
    for (std::uint32_t i = 0; i <= dragonfly_.routers(); ++i) {
      const std::uint32_t over = i == 0 ? Way::straight : (dragonfly_.router_of(route.from) + i) % dragonfly_.routers();
      if (i > 0 && dragonfly_.group_of(over) == group_of(route.from)) continue;
      for (std::uint16_t copy = 0; copy < std::max(1u, dragonfly_.copies()); ++copy) {
        route.fate.random = packed({over, copy, copy});
        if (!broken(route)) return;
      }
    }
    route.fate.random = chosen;  // add_links() will find what is down
  }
  void add_links(const Route& route, std::vector<std::uint32_t>& links) const override {
    std::vector<Dragonfly::Hop> path;
    dragonfly_.path(route.from, route.to, unpacked(route.fate.random), path);
    for (const auto& hop : path) links.push_back(hop.channel);
  }
  bool link_down(std::uint32_t channel) override {
    const auto [first, last] = dragonfly_.ends(channel);
    return Fabric::link_down(channel) || faults().router_down(first, now()) || faults().router_down(last, now());
  }

  DragonflyParams params_;
  Dragonfly dragonfly_;
  Duration threshold_;
  std::vector<Dragonfly::Hop> path_;
};

}  // namespace

std::unique_ptr<Fabric> make(const DragonflyParams& params, const sc_core::sc_module_name& name, std::uint64_t seed,
                             Timetable* timetable) {
  return std::make_unique<DragonflyNetwork>(name, params, seed, timetable);
}

}  // namespace sunstar::network
