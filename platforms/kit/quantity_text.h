// SPDX-License-Identifier: MIT
#pragma once
#include <concepts>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/quantity.h"

// Quantities as text: "1.6ms", "8KiB", "200MB/s", "50MHz". A number without a sign or an exponent, then the unit,
// nothing between. to_text() chooses a readable unit and parse(to_text(q)) gives back q exactly.
namespace sunstar::kit {

template <class T>
concept Quantity =
    std::same_as<T, Duration> || std::same_as<T, Bytes> || std::same_as<T, Bandwidth> || std::same_as<T, Frequency>;

struct Notation {
  std::string noun;                ///< "a duration"
  std::string example;             ///< "20ns"
  std::vector<std::string> units;  ///< least first
};
const Notation& notation(const Duration*);
const Notation& notation(const Bytes*);
const Notation& notation(const Bandwidth*);
const Notation& notation(const Frequency*);
template <Quantity Q>
const Notation& notation() {
  return notation(static_cast<const Q*>(nullptr));
}

/// Reads `text` into `into`. Returns nothing, or the error ("\"nsec\" is not a unit of a duration ...").
std::string parse(std::string_view text, Duration& into);
std::string parse(std::string_view text, Bytes& into);
std::string parse(std::string_view text, Bandwidth& into);
std::string parse(std::string_view text, Frequency& into);

std::string to_text(Duration);
std::string to_text(Bytes);
std::string to_text(Bandwidth);
std::string to_text(Frequency);

/// The regular expression of a quantity, for the JSON Schema.
std::string pattern(const Notation&);

}  // namespace sunstar::kit
