// SPDX-License-Identifier: MIT
#include "models/core/shape.h"

#include <algorithm>
#include <charconv>

#include "models/core/ranges.h"

namespace sunstar {

namespace {

struct Word {
  std::string_view word;
  std::uint32_t dimensions;
};
constexpr Word all_words[] = {{"square", 2}, {"cubic", 3}};

/// The places in a shape with `smaller` dimensions of size - 1 and the rest of `size`; exact only up to `enough`.
std::uint64_t room(std::uint64_t size, std::uint32_t dimensions, std::uint64_t smaller, std::uint64_t enough) {
  std::uint64_t product = 1;
  for (std::uint32_t d = 0; d < dimensions && product < enough; ++d) product *= d < smaller ? size - 1 : size;
  return product;
}

}  // namespace

std::vector<std::string> Shape::words() {
  return mapped(all_words, [](const Word& w) { return std::string(w.word); });
}

std::optional<Shape> Shape::of_word(std::string_view word) {
  const auto* found = std::ranges::find(all_words, word, &Word::word);
  if (found == std::end(all_words)) return std::nullopt;
  Shape shape;
  shape.dimensions_to_choose_ = found->dimensions;
  return shape;
}

std::optional<std::vector<std::uint64_t>> Shape::sizes_in(std::string_view text) {
  std::vector<std::uint64_t> sizes;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (true) {
    std::uint64_t size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc{}) return std::nullopt;
    sizes.push_back(size);
    if (next == end) return sizes;
    if (*next != 'x') return std::nullopt;
    at = next + 1;
  }
}

std::string_view Shape::word() const {
  const auto* found = std::ranges::find(all_words, dimensions_to_choose_, &Word::dimensions);
  return found == std::end(all_words) ? std::string_view{} : found->word;
}

Shape Shape::chosen_for(std::uint64_t places) const {
  if (!is_to_choose()) return *this;
  std::uint32_t size = 1;
  while (room(size, dimensions_to_choose_, 0, places) < places) ++size;
  std::uint32_t smaller = 0;
  while (size > 1 && smaller + 1 < dimensions_to_choose_ &&
         room(size, dimensions_to_choose_, smaller + 1, places) >= places)
    ++smaller;
  Sizes sizes(dimensions_to_choose_, size);
  std::fill_n(sizes.begin(), smaller, size - 1);
  return sizes;
}

std::string text_of(const Shape::Sizes& sizes) {
  std::string text = "[";
  for (std::size_t d = 0; d < sizes.size(); ++d) text += (d ? "," : "") + std::to_string(sizes[d]);
  return text + "]";
}

}  // namespace sunstar
