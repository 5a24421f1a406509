// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/content_sum.h"

#include <algorithm>
#include <span>

#include "sw/io/store/redundant/galois.h"

namespace sunstar::io::redundant {
namespace {

content::Content multiplied(const content::Content& what, std::uint8_t factor) {
  if (std::ranges::all_of(what.pieces(), [](const auto& p) { return p.source == content::Source::zero; })) return what;
  const content::Content literal = what.bytes() ? what : what.as_bytes();
  content::Content product;
  product.append(what.size(), [&](std::span<std::byte> bytes) {
    std::ranges::fill(bytes, std::byte{});
    multiply_add(bytes.data(), literal.bytes(), what.size(), factor);
  });
  return product;
}

}  // namespace

void add(content::Content& sum, std::uint32_t at, const content::Content& what, std::uint8_t factor) {
  const content::Content product = factor == 1 ? what : multiplied(what, factor);
  const std::uint32_t end = at + what.size();
  content::Content result = sum.slice(0, at);
  result.append(exclusive_or(sum.slice(at, what.size()), product));
  result.append(sum, end, sum.size() - end);
  sum = std::move(result);
}

void add(std::byte* sum, const std::byte* what, std::uint32_t bytes, std::uint8_t factor) {
  if (factor != 1) return multiply_add(sum, what, bytes, factor);
  using Word [[gnu::may_alias]] = std::uint64_t;
  auto* to = reinterpret_cast<Word*>(sum);
  const auto* from = reinterpret_cast<const Word*>(what);
  for (const Word* const end = from + bytes / sizeof *from; from < end; from += 8, to += 8) {
    to[0] ^= from[0], to[1] ^= from[1], to[2] ^= from[2], to[3] ^= from[3];
    to[4] ^= from[4], to[5] ^= from[5], to[6] ^= from[6], to[7] ^= from[7];
  }
}

}  // namespace sunstar::io::redundant
