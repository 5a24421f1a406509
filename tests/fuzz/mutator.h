// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/random.h"

namespace sunstar::fuzz {

/// Changes texts at random: bits, bytes, numbers, lines, words of a dictionary, parts of other texts. The same seed
/// gives the same changes.
class Mutator {
 public:
  Mutator(std::uint64_t seed, std::vector<std::string> dictionary)
      : random_(seed, "fuzz"), words_(std::move(dictionary)) {}

  /// One of the texts with one to eight changes.
  std::string operator()(const std::vector<std::string>& corpus);

  RandomStream& random() { return random_; }
  /// A number as people and programs get them wrong: small, huge, negative, near a power of two, not a number at all.
  std::string number();

 private:
  void change(std::string& text, const std::vector<std::string>& corpus);
  std::size_t place(const std::string& text) { return static_cast<std::size_t>(random_.below(text.size() + 1)); }
  template <class T>
  const T& any(const std::vector<T>& all) {
    return all[random_.below(all.size())];
  }

  RandomStream random_;
  std::vector<std::string> words_;
};

}  // namespace sunstar::fuzz
