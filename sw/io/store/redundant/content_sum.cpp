// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/content_sum.h"

#include <algorithm>
#include <span>

#include "sw/io/store/redundant/galois.h"

namespace sunstar::io::redundant {
namespace {

content::Content multiplied(const content::Content& what, std::uint8_t factor) {
  if (std::ranges::all_of(what.pieces(), [](const auto& p) { return p.source == content::Source::zero; })) return what;
  content::Content product;
  product.append(what.size(), [&](std::span<std::byte> bytes) {
    what.make_bytes(bytes.data());
    multiply(bytes, factor);
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

}  // namespace sunstar::io::redundant
