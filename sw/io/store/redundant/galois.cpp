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

void multiply_add(std::byte* sum, const std::byte* what, std::uint32_t bytes, std::uint8_t factor) {
  std::array<unsigned char, 32> tables;
  ec_init_tables(1, 1, &factor, tables.data());
  auto* to = reinterpret_cast<unsigned char*>(sum);
  // ISA-L's interface of C has no const.
  auto* const from = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(what));
  ec_encode_data_update(static_cast<int>(bytes), 1, 1, 0, tables.data(), from, &to);
}

}  // namespace sunstar::io::redundant
