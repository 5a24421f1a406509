// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/galois.h"

#include <isa-l/erasure_code.h>

#include <array>

namespace sunstar::io::redundant {

std::uint8_t multiply(std::uint8_t a, std::uint8_t b) { return gf_mul(a, b); }
std::uint8_t inverse(std::uint8_t a) { return gf_inv(a); }

std::uint8_t power_of_g(std::uint32_t n) {
  std::uint8_t p = 1;
  for (n %= 255; n > 0; --n) p = gf_mul(p, 2);
  return p;
}

void multiply(std::span<std::byte> bytes, std::uint8_t factor) {
  std::array<unsigned char, 32> tables;
  ec_init_tables(1, 1, &factor, tables.data());
  auto* const data = reinterpret_cast<unsigned char*>(bytes.data());
  unsigned char *from = data, *to = data;
  ec_encode_data(static_cast<int>(bytes.size()), 1, 1, tables.data(), &from, &to);
}

}  // namespace sunstar::io::redundant
