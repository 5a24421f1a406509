// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>
#include <cstdint>

namespace sunstar {

/// Divides by a number that is known only at run time and does not change, by multiplying: a division takes the host
/// several times as long.
class Divider {
 public:
  /// divisor > 0.
  explicit Divider(std::uint32_t divisor) : inverse_((std::uint64_t{1} << shift) / divisor + 1), divisor_(divisor) {}

  /// The quotient, rounded down. It must be below 2^24, and number * divisor below 2^40: more would need more bits.
  std::uint32_t operator()(std::uint32_t number) const {
    assert(number >> 24 < divisor_ && std::uint64_t{number} * divisor_ < std::uint64_t{1} << shift);
    return static_cast<std::uint32_t>(number * inverse_ >> shift);
  }

 private:
  static constexpr unsigned shift = 40;
  std::uint64_t inverse_;
  std::uint32_t divisor_;
};

}  // namespace sunstar
