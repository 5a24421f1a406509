// SPDX-License-Identifier: MIT
// Finds the buffers that wait for one another.
#include "models/network/cube/flit_core.h"

namespace sunstar::network {

std::string FlitCore::buffer_name(std::uint32_t number) const {
  const std::uint32_t vc = number % vcs_, upstream = inputs_[number].upstream;
  std::uint32_t channel;
  if (upstream >= inputs_.size()) {
    channel = cube_.injection(router_of(number));
  } else {
    const std::uint32_t port = upstream % slots_ / vcs_;
    channel = cube_.link(router_of(upstream), port / 2, port % 2 == 0);
  }
  return cube_.channel_name(channel) + ", virtual channel " + std::to_string(vc);
}

// The buffer that keeps the first flit of this one from moving; for an empty one, the buffer with the rest of its
// packet.
std::uint32_t FlitCore::waits_for(std::uint32_t number) const {
  const InputVc& in = inputs_[number];
  const std::uint32_t base = router_of(number) * slots_;
  if (in.state == State::idle) return nobody;
  if (in.state == State::active) {
    if (in.count > 0) return outputs_[base + in.slot].downstream;
    return in.upstream < inputs_.size() ? outputs_[in.upstream].owner : nobody;
  }
  for (std::uint32_t v = in.least; v <= in.most; ++v)
    if (const std::uint32_t there = outputs_[base + in.port * vcs_ + v].downstream;
        there != nobody && inputs_[there].count > 0)
      return there;
  return outputs_[base + in.port * vcs_ + in.least].owner;
}

std::vector<std::string> FlitCore::waiting_circle() const {
  std::vector<std::uint32_t> order, place(inputs_.size(), nobody);
  std::vector<std::string> lines;
  for (std::uint32_t start = 0; start < inputs_.size(); ++start) {
    if (inputs_[start].count == 0 || place[start] != nobody) continue;
    order.clear();
    std::uint32_t at = start;
    for (; at != nobody && place[at] == nobody; at = waits_for(at)) {
      place[at] = static_cast<std::uint32_t>(order.size());
      order.push_back(at);
    }
    if (at == nobody || place[at] >= order.size() || order[place[at]] != at)
      continue;  // led to buffers visited from an earlier start
    for (std::size_t i = place[at]; i < order.size(); ++i) {
      const InputVc& in = inputs_[order[i]];
      std::string line = "the buffer of " + buffer_name(order[i]) + ", ";
      if (in.count == 0) {
        line += "empty, waits for the rest of its packet";
      } else {
        const Travelling& p = packets_[flits_[std::size_t{order[i]} * depth_ + in.first] >> packet_shift];
        line += std::to_string(in.count) + " flits, first of a packet from router " + std::to_string(p.from) +
                " to router " + std::to_string(p.to) + ", waits";
      }
      lines.push_back(line + " for that of " + buffer_name(i + 1 < order.size() ? order[i + 1] : at));
    }
    return lines;
  }
  return lines;
}

}  // namespace sunstar::network
