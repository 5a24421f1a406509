// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/checks.h"

#include "sw/io/store/redundant/content_sum.h"
#include "sw/io/store/redundant/galois.h"

namespace sunstar::io::redundant {
namespace {

// A wrong unit of data changes the first check by its error and the second by the error times its coefficient.
std::optional<std::uint32_t> wrong_member(const Geometry& g, const std::vector<Compared>& compared,
                                          const std::vector<content::Content>& syndromes, std::uint32_t bytes) {
  if (g.checks() != 2 || g.mirror()) return std::nullopt;
  content::Content none;
  none.append(content::Piece{content::Source::zero, bytes, 0});
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
