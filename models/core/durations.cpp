// SPDX-License-Identifier: MIT
#include "models/core/durations.h"

#include <algorithm>
#include <bit>

namespace sunstar {

namespace {

// Values below 2^bits have a class each. Above, each power of two has 2^(bits - 1) classes, so that a class is at most
// 1 / 2^(bits - 1) of its values wide, and its middle at most half of that from any value.
constexpr unsigned bits = 10;
static_assert(1.0 / (1 << bits) < Durations::error);

std::size_t class_of(std::uint64_t value) {
  const int over = static_cast<int>(std::bit_width(value)) - static_cast<int>(bits);
  if (over <= 0) return value;
  return (static_cast<std::size_t>(over) << (bits - 1)) + (value >> over);
}

std::uint64_t middle_of(std::size_t number) {
  const std::size_t half = std::size_t{1} << (bits - 1);
  if (number < 2 * half) return number;
  const std::size_t over = number / half - 1;
  return ((number - over * half) << over) + (std::uint64_t{1} << over) / 2;
}

constexpr std::size_t all_classes = (64 - bits + 2) << (bits - 1);

std::size_t rank(std::size_t per_mille, std::size_t count) { return (per_mille * count + 999) / 1000; }

}  // namespace

Percentiles percentiles(std::vector<Duration> values) {
  Percentiles p{values.size()};
  if (values.empty()) return p;
  // Ranks rise, so each partition works only on the values above the previous rank.
  auto from = values.begin();
  const auto value = [&](std::size_t per_mille) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank(per_mille, values.size()) - 1);
    std::nth_element(from, at, values.end());
    from = at;
    return *at;
  };
  p.p50 = value(500), p.p90 = value(900), p.p95 = value(950), p.p99 = value(990), p.p999 = value(999);
  p.max = value(1000);
  return p;
}

void Durations::classify(Duration d) {
  if (classes_.empty()) {
    classes_.resize(all_classes);
    for (const Duration k : kept_) ++classes_[class_of(static_cast<std::uint64_t>(k.count()))];
    kept_ = {};
  }
  ++classes_[class_of(static_cast<std::uint64_t>(d.count()))];
}

Percentiles Durations::percentiles() const {
  if (classes_.empty()) return sunstar::percentiles(kept_);
  Percentiles p{.count = count_, .max = max_};
  std::size_t seen = 0, number = 0;
  const auto value = [&](std::size_t per_mille) {
    while (seen + classes_[number] < rank(per_mille, count_)) seen += classes_[number++];
    return std::min(max_, Duration{static_cast<Duration::rep>(middle_of(number))});
  };
  p.p50 = value(500), p.p90 = value(900), p.p95 = value(950), p.p99 = value(990), p.p999 = value(999);
  return p;
}

}  // namespace sunstar
