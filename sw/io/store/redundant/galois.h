// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <cstdint>

// Arithmetic on bytes as elements of GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1, for the second check of
// RAID 6 (Anvin, The mathematics of RAID-6, 2004): Q is the sum of g^k times data unit k with g = 2. A sum is an
// exclusive-or.
namespace sunstar::io::redundant {

constexpr std::uint8_t multiply(std::uint8_t a, std::uint8_t b) {
  unsigned product = 0, x = a;
  for (unsigned y = b; y != 0; y >>= 1) {
    if (y & 1) product ^= x;
    x = x << 1 ^ (x & 0x80 ? 0x11d : 0);
  }
  return static_cast<std::uint8_t>(product);
}
constexpr std::uint8_t power_of_g(std::uint32_t n) {
  std::uint8_t p = 1;
  for (n %= 255; n > 0; --n) p = multiply(p, 2);
  return p;
}
/// a must not be 0.
constexpr std::uint8_t inverse(std::uint8_t a) {
  std::uint8_t p = 1;
  for (int i = 0; i < 254; ++i) p = multiply(p, a);
  return p;
}

/// The factor of data unit `member` in a check.
constexpr std::uint8_t coefficient(std::uint32_t check, std::uint32_t member) {
  return check == 0 ? 1 : power_of_g(member);
}

/// The most data units that Q tells apart.
inline constexpr std::uint32_t most_data_with_q = 255;

}  // namespace sunstar::io::redundant
