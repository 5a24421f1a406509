// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "models/core/random.h"
#include "platforms/network/pattern.h"
#include "platforms/network/source.h"

namespace sunstar::traffic {

/// Synthetic traffic without end: in each flit time each node begins a message with probability load / packet_flits.
/// The pattern chooses its destination.
class Bernoulli : public Source {
 public:
  Bernoulli(const SyntheticParams& params, std::uint32_t packet_flits, const network::Places& places,
            const network::Pace& pace, std::uint64_t seed);

  Message next(std::uint32_t node) override;

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

}  // namespace sunstar::traffic
