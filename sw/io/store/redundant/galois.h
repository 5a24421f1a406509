// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>

// Arithmetic on bytes as elements of GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1, for the second check of
// RAID 6 (Anvin, The mathematics of RAID-6, 2004): Q is the sum of g^k times data unit k with g = 2. A sum is an
// exclusive-or. The host computes it with ISA-L, whose field is the same; firmware whose instructions are counted has a
// table of products (tests/counting/galois.cpp).
namespace sunstar::io::redundant {

std::uint8_t multiply(std::uint8_t a, std::uint8_t b);
/// a must not be 0.
std::uint8_t inverse(std::uint8_t a);
std::uint8_t power_of_g(std::uint32_t n);
/// Adds the factor times each byte.
void multiply_add(std::byte* sum, const std::byte* what, std::uint32_t bytes, std::uint8_t factor);

/// The factor of data unit `member` in a check.
inline std::uint8_t coefficient(std::uint32_t check, std::uint32_t member) {
  return check == 0 ? 1 : power_of_g(member);
}

}  // namespace sunstar::io::redundant
