// SPDX-License-Identifier: MIT
#include "models/core/shape.h"

#include "tests/support/catch.h"

using sunstar::Shape;
using Sizes = Shape::Sizes;

namespace {
Sizes chosen(const char* word, std::uint64_t places) { return Shape::of_word(word)->chosen_for(places).sizes(); }
}  // namespace

TEST_CASE("a shape that is to be chosen is the most nearly square or cubic one that holds all places") {
  CHECK(chosen("square", 1) == Sizes{1, 1});
  CHECK(chosen("square", 2) == Sizes{1, 2});
  CHECK(chosen("square", 6) == Sizes{2, 3});
  CHECK(chosen("square", 7) == Sizes{3, 3});
  CHECK(chosen("square", 32) == Sizes{6, 6});  // 5 x 6 are 30
  CHECK(chosen("square", 72) == Sizes{8, 9});
  CHECK(chosen("square", 65536) == Sizes{256, 256});
  CHECK(chosen("cubic", 1) == Sizes{1, 1, 1});
  CHECK(chosen("cubic", 8) == Sizes{2, 2, 2});
  CHECK(chosen("cubic", 9) == Sizes{2, 2, 3});
  CHECK(chosen("cubic", 72) == Sizes{4, 4, 5});  // 4 x 4 x 4 are 64
}

TEST_CASE("the chosen shape holds all places, with none to spare in any dimension") {
  for (const auto& word : Shape::words())
    for (std::uint64_t places = 1; places < 500; ++places) {
      const Sizes sizes = Shape::of_word(word)->chosen_for(places).sizes();
      std::uint64_t room = 1, with_one_less = 1;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        room *= sizes[d];
        with_one_less *= d + 1 == sizes.size() ? sizes[d] - 1 : sizes[d];
      }
      CAPTURE(word, places);
      CHECK(room >= places);
      CHECK(with_one_less < places);
      CHECK(sizes.back() - sizes.front() <= 1);
    }
}

TEST_CASE("a shape with sizes stays as it is") {
  CHECK(Shape{4, 2}.chosen_for(100) == Shape{4, 2});
  CHECK_FALSE(Shape{4, 2}.is_to_choose());
  CHECK(Shape{4, 2}.word().empty());
  CHECK(Shape::of_word("cubic")->word() == "cubic");
  CHECK_FALSE(Shape::of_word("round"));
}

TEST_CASE("the text of a shape is sizes with an x between them") {
  CHECK(Shape::sizes_in("8x9") == std::vector<std::uint64_t>{8, 9});
  CHECK(Shape::sizes_in("12") == std::vector<std::uint64_t>{12});
  for (const char* text : {"", "x", "8x", "x9", "8xx9", "8 x 9", "8X9", "-8x9", "8x9x", "99999999999999999999"}) {
    CAPTURE(text);
    CHECK_FALSE(Shape::sizes_in(text));
  }
}
