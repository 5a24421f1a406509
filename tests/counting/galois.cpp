// SPDX-License-Identifier: MIT
// The arithmetic of the counted firmware: a table of all products, which it makes when it starts.
#include "sw/io/store/redundant/galois.h"

#include <array>

namespace sunstar::io::redundant {
namespace {

using Table = std::array<std::array<std::uint8_t, 256>, 256>;
const Table products = [] {
  Table table{};
  for (unsigned a = 0; a < 256; ++a)
    for (unsigned b = 0; b < 256; ++b) {
      unsigned product = 0, x = a;
      for (unsigned y = b; y != 0; y >>= 1) {
        if (y & 1) product ^= x;
        x = x << 1 ^ (x & 0x80 ? 0x11d : 0);
      }
      table[a][b] = static_cast<std::uint8_t>(product);
    }
  return table;
}();

}  // namespace

std::uint8_t multiply(std::uint8_t a, std::uint8_t b) { return products[a][b]; }

std::uint8_t inverse(std::uint8_t a) {
  std::uint8_t b = 1;
  while (multiply(a, b) != 1) ++b;
  return b;
}

std::uint8_t power_of_g(std::uint32_t n) {
  std::uint8_t p = 1;
  for (n %= 255; n > 0; --n) p = multiply(p, 2);
  return p;
}

void multiply_add(std::byte* sum, const std::byte* what, std::uint32_t bytes, std::uint8_t factor) {
  const auto& by = products[factor];
  for (std::uint32_t i = 0; i < bytes; ++i) sum[i] ^= std::byte{by[std::to_integer<std::uint8_t>(what[i])]};
}

}  // namespace sunstar::io::redundant
