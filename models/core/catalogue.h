// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace sunstar {

/// Lets a configuration name a described struct instead of spelling it out (`"disk": "hp97560"`). The names are those
/// of the JSON files in the catalogue folder; messages call such a thing by its `noun`. A part that has a catalogue
/// specialises this template:
///
///   template <> struct sunstar::catalogue_of<DriveParams> { static constexpr std::string_view noun = "drive"; };
template <class T>
struct catalogue_of {
  static constexpr std::string_view noun{};
};

}  // namespace sunstar
