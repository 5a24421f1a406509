// SPDX-License-Identifier: MIT
#include "platforms/network/pattern.h"
#include "platforms/network/source.h"

namespace sunstar::traffic {
namespace {

/// Synthetic traffic without end: in each flit time each node begins a message with probability load / packet_flits.
/// The pattern chooses its destination.
class Bernoulli : public Source {
 public:
  Bernoulli(const SyntheticParams& params, std::uint32_t packet_flits, const network::Places& places,
            const network::Pace& pace, std::uint64_t seed)
      : pattern_(traffic::pattern(params.pattern)),
        pattern_params_{places.shape, params.hotspot, params.hotspot_share, places.ports_per_group},
        flit_time_(pace.flit_time),
        bytes_(static_cast<std::uint32_t>(packet_flits * pace.flit.count)) {
    const double chance = params.load / packet_flits;
    log_not_ = chance < 1 ? std::log1p(-chance) : 0;
    nodes_.reserve(places.ports());
    for (std::uint32_t n = 0; n < places.ports(); ++n)
      nodes_.push_back({RandomStream(seed, "traffic " + std::to_string(n)), -1});
  }

  Message next(std::uint32_t node) override {
    Node& n = nodes_[node];
    // The number of flit times without a message is geometrically distributed.
    n.last += 1;
    if (log_not_ < 0) n.last += static_cast<std::int64_t>(std::log1p(-n.random.uniform()) / log_not_);
    return {Time{n.last * flit_time_}, node, pattern_.destination(node, pattern_params_, n.random), bytes_};
  }

 private:
  struct Node {
    RandomStream random;
    std::int64_t last;  // flit time of the last message
  };
  const Pattern& pattern_;
  Pattern::Params pattern_params_;
  Duration flit_time_;
  std::uint32_t bytes_;
  double log_not_;  // logarithm of the probability that no message begins; 0 if one always does
  std::vector<Node> nodes_;
};

}  // namespace

std::unique_ptr<Source> bernoulli(const SyntheticParams& params, std::uint32_t packet_flits,
                                  const network::Places& places, const network::Pace& pace, std::uint64_t seed) {
  return std::make_unique<Bernoulli>(params, packet_flits, places, pace, seed);
}

}  // namespace sunstar::traffic
