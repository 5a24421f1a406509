// SPDX-License-Identifier: MIT
#include "models/network/fat_tree/fat_tree.h"

namespace sunstar::network {

using Hop = WormCore::Hop;

FatTree::FatTree(std::uint32_t radix, std::uint32_t levels, std::uint32_t leaf_down) {
  std::uint32_t reach = 1, group = 1;
  for (std::uint32_t level = 0; level < levels; ++level) {
    const bool top = level + 1 == levels;
    const std::uint32_t down = top ? radix : level == 0 ? leaf_down : radix / 2;
    reach *= down;
    level_.push_back({down, top ? 0 : radix - down, reach, group, 0});
    group *= radix - down;
  }
  nodes_ = reach;
  std::uint32_t links = nodes_;
  for (std::uint32_t level = 0; level < levels; ++level) {
    level_[level].first_link = links;
    links += switches(level) * level_[level].up;
  }
  channels_ = 2 * links;
}

std::uint32_t FatTree::turn(std::uint32_t from, std::uint32_t to) const {
  std::uint32_t level = 0;
  while (from / level_[level].below != to / level_[level].below) ++level;
  return level;
}

FatTree::Up FatTree::ports_up(std::uint32_t level, std::uint32_t from, std::uint32_t to, std::uint32_t w) const {
  const Level& l = level_[level];
  return {2 * link(level, from, w, 0), l.up, to / l.group % l.up};
}

void FatTree::descend(std::uint32_t top, std::uint32_t w, std::uint32_t from, std::uint32_t to,
                      std::vector<Hop>& path) const {
  std::uint8_t input = port_of_node(top, from);
  for (std::uint32_t level = top; level-- > 0;) {
    const Level& l = level_[level];
    const std::uint32_t port = w / l.group;
    w %= l.group;
    path.push_back({2 * link(level, to, w, port) + 1, input});
    input = static_cast<std::uint8_t>(l.down + port);
  }
  path.push_back({ejection(to), input});
}

FatTree::Ends FatTree::ends(std::uint32_t channel) const {
  const std::uint32_t link = channel / 2;
  const auto name = [](std::uint32_t level, std::uint32_t number) {
    return (level == 0 ? "leaf" : "level" + std::to_string(level) + "_") + std::to_string(number);
  };
  if (link < nodes_) return {"port" + std::to_string(link), name(0, link / level_[0].down), ""};
  std::uint32_t level = levels() - 2;
  while (link < level_[level].first_link) --level;
  const Level& l = level_[level];
  const std::uint32_t number = (link - l.first_link) / l.up, port = (link - l.first_link) % l.up;
  const std::uint32_t above =
      number / l.group / level_[level + 1].down * level_[level + 1].group + number % l.group + port * l.group;
  return {name(level, number), name(level + 1, above), std::to_string(port)};
}

std::string FatTree::channel_name(std::uint32_t channel) const {
  const Ends all = ends(channel);
  return all.below + (channel % 2 == 0 ? ".up" : ".down") + all.port;
}

}  // namespace sunstar::network
