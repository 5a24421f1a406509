// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/content_sum.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sw/io/store/redundant/galois.h"

namespace sunstar::io::redundant {
namespace {

content::Content multiplied(const content::Content& what, std::uint8_t factor) {
  if (std::ranges::all_of(what.pieces(), [](const auto& p) { return p.source == content::Source::zero; })) return what;
  std::array<std::uint8_t, 256> products;
  for (unsigned b = 0; b < products.size(); ++b) products[b] = multiply(factor, static_cast<std::uint8_t>(b));
  std::vector<std::byte> bytes(what.size());
  what.make_bytes(bytes.data());
  for (std::byte& b : bytes) b = std::byte{products[std::to_integer<std::size_t>(b)]};
  return content::Content(bytes);
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

}  // namespace sunstar::io::redundant
