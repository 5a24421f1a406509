// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/copy_choice.h"

#include <numeric>

namespace sunstar::io::redundant {
namespace {

using Numbers = std::vector<std::size_t>;

/// Keeps the copies with the least measure(copy).
template <class Measure>
void keep_least(Numbers& numbers, std::span<const Copy> copies, Measure measure) {
  const auto of = [&](std::size_t i) { return measure(copies[i]); };
  const auto least = of(*std::ranges::min_element(numbers, {}, of));
  std::erase_if(numbers, [&](std::size_t i) { return of(i) != least; });
}

}  // namespace

ChooseCopy copy_choice(ReadCopy policy, const DiskStates& disks, const RandomStream& stream) {
  if (policy == ReadCopy::primary) return [](std::span<const Copy>) { return std::size_t{0}; };
  if (policy == ReadCopy::round_robin)
    return [next = std::size_t{0}](std::span<const Copy> copies) mutable { return next++ % copies.size(); };
  return [policy, &disks, random = stream](std::span<const Copy> copies) mutable {
    Numbers numbers(copies.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    if (policy == ReadCopy::shortest_queue || policy == ReadCopy::shortest_queue_then_nearest)
      keep_least(numbers, copies, [&](const Copy& c) { return disks.commands(c.disk); });
    if (policy == ReadCopy::nearest || policy == ReadCopy::shortest_queue_then_nearest)
      keep_least(numbers, copies, [&](const Copy& c) {
        const std::uint64_t last = disks.last_sector(c.disk);
        return c.sector > last ? c.sector - last : last - c.sector;
      });
    return numbers.size() == 1 ? numbers.front() : numbers[random.below(numbers.size())];
  };
}

}  // namespace sunstar::io::redundant
