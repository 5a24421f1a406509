// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/checks.h"

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

// A wrong unit of data changes the first check by its error and the second by the error times its coefficient.
std::optional<std::uint32_t> wrong_member(const Geometry& g, const std::vector<Compared>& compared,
                                          const std::vector<content::Content>& syndromes, std::uint32_t bytes) {
  if (g.checks() != 2 || g.mirror()) return std::nullopt;
  const content::Content none(content::Piece{content::Source::zero, bytes, 0});
  const auto zero = [&](std::size_t i) { return syndromes[i].empty() || !first_difference(syndromes[i], none); };
  if (zero(0) || zero(1)) return compared[zero(0) ? 1 : 0].member;
  for (std::uint32_t m = 0; m < g.data(); ++m) {
    content::Content product = none;
    add(product, 0, syndromes[0], coefficient(1, m));
    if (!first_difference(product, syndromes[1])) return m;
  }
  return std::nullopt;
}

}  // namespace

void replace(content::Content& in, std::uint32_t at, const content::Content& by) {
  content::Content result = in.slice(0, at);
  result.append(by);
  result.append(in, at + by.size(), in.size() - at - by.size());
  in = std::move(result);
}

void add(content::Content& sum, std::uint32_t at, const content::Content& what, std::uint8_t factor) {
  replace(sum, at, exclusive_or(sum.slice(at, what.size()), factor == 1 ? what : multiplied(what, factor)));
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

CheckedRow check(const Geometry& geometry, const std::vector<Compared>& compared, std::uint32_t unit_bytes,
                 const std::function<content::Content(const Slice&)>& unit) {
  CheckedRow row;
  std::vector<content::Content> syndromes;
  for (const Compared& c : compared) {
    const content::Content found = unit(c.found), expected = unit(c.expected);
    if (first_difference(found, expected)) row.differ.push_back(c.member);
    syndromes.push_back(row.differ.empty() ? content::Content{} : exclusive_or(found, expected));
  }
  if (!row.differ.empty()) row.wrong = wrong_member(geometry, compared, syndromes, unit_bytes);
  return row;
}

}  // namespace sunstar::io::redundant
