// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <utility>
#include <vector>

// How a part declares its parameters, once. A part has a plain struct whose members carry the defaults, described for
// Boost.Describe, and beside it a function that says of each member, in the same order, what it means and what range is
// allowed:
//
//   struct LinkParams {
//     Duration delay = 20_ns;
//     std::uint32_t lanes = 1;
//   };
//   BOOST_DESCRIBE_STRUCT(LinkParams, (), (delay, lanes))
//   inline std::vector<Param> parameters(const LinkParams*) {
//     return {{"delay", "time a head needs through the link", "0ns", "1ms"},
//             {"lanes", "links side by side", "1", "64"}};
//   }
//
// Reading JSON, defaults, --print-config, the JSON Schema and the reference page all come from these two.
//
// A struct may derive from another described one, whose members then come first, and may have a choice between several
// kinds of parameters: models/core/one_of.h.
namespace sunstar {

/// A value of another parameter, on which the use of one depends.
struct Choice {
  std::string parameter;  ///< its path, from the section of the one that depends on it or from a section around that
  std::vector<std::string> values;  ///< as in JSON, without quotes
  bool other_than = false;          ///< any value but these
};

/// What is said of one parameter. The unit follows from the member's type.
struct Param {
  std::string name;      ///< the member's name, and its key in JSON
  std::string help;      ///< one line: what it is and, where it matters, its source
  std::string min = {};  ///< least allowed value in the member's own notation ("1", "0ns"); empty: none
  std::string max = {};  ///< greatest allowed value; empty: none
  std::vector<std::string> allowed = {};  ///< for a policy chosen by name: the names there are
  std::string starts_from =
      {};  ///< path of the section whose values an optional section has where it says nothing itself; empty: its type's
  std::vector<Choice> choices =
      {};  ///< a run uses the parameter, or the section, if one of these holds, or if there are none

  /// Param{"directory_fraction", "share of the directory"}.used_if("division", {"fixed"}). Of several, one must hold.
  Param used_if(std::string parameter, std::vector<std::string> values) && {
    choices.push_back({std::move(parameter), std::move(values)});
    return std::move(*this);
  }
  Param used_unless(std::string parameter, std::string value) && {
    choices.push_back({std::move(parameter), {std::move(value)}, true});
    return std::move(*this);
  }
  /// Param{"disk", "type of the drive"}.starting_from("machine.disk")
  Param starting_from(std::string path) && {
    starts_from = std::move(path);
    return std::move(*this);
  }
};

}  // namespace sunstar
