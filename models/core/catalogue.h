// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

namespace sunstar {

/// Says that a described struct can be named instead of spelt out, `"disk": "hp97560"`, and what such a thing is called
/// in messages. The names are those of the JSON files in the catalogue folder. A part with a catalogue specialises it:
///
///   template <> struct sunstar::catalogue_of<DriveParams> { static constexpr std::string_view noun = "drive"; };
template <class T>
struct catalogue_of {
  static constexpr std::string_view noun = "";
};

}  // namespace sunstar
