// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sunstar {

/// Sizes in each of several dimensions, such as the routers of a torus. In a configuration, [8, 9] or "8x9"; or a word
/// for a shape that is chosen once the number of places is known: "square" or "cubic".
class Shape {
 public:
  using Sizes = std::vector<std::uint32_t>;

  Shape() : Shape(Sizes{}) {}
  Shape(std::initializer_list<std::uint32_t> sizes) : Shape(Sizes(sizes)) {}
  Shape(Sizes sizes) : sizes_(std::move(sizes)) {}

  /// The words, and the shape that a word stands for, if it is one of them.
  static std::vector<std::string> words();
  static std::optional<Shape> of_word(std::string_view word);
  /// The sizes in "8x9", if the text is such a list of numbers.
  static std::optional<std::vector<std::uint64_t>> sizes_in(std::string_view text);

  /// The word, if the sizes are still to be chosen; otherwise nothing.
  std::string_view word() const;
  bool is_to_choose() const { return dimensions_to_choose_ > 0; }
  /// Empty if they are still to be chosen.
  const Sizes& sizes() const { return sizes_; }

  /// The shape itself or, if it is to be chosen, the shape for `places` (at least 1) whose sizes differ by at most one,
  /// smaller sizes first: "square" is [8,9] for 72 and [6,6] for 32.
  Shape chosen_for(std::uint64_t places) const;

  bool operator==(const Shape&) const = default;

 private:
  Sizes sizes_;
  std::uint32_t dimensions_to_choose_ = 0;
};

/// "[8,9]", as in error messages.
std::string text_of(const Shape::Sizes& sizes);

}  // namespace sunstar
