// SPDX-License-Identifier: MIT
#pragma once
#include <initializer_list>
#include <utility>

#include "models/core/quantity.h"
#include "models/core/stage.h"

// A part declares its parameters in one place: a plain struct whose members carry the defaults, described for
// Boost.Describe, and beside it a function that gives, in the same order, each member's meaning and allowed range:
//
//   struct LinkParams {
//     Duration delay = 20_ns;
//     std::uint32_t lanes = 1;
//   };
//   BOOST_DESCRIBE_STRUCT(LinkParams, (), (delay, lanes))
//   inline std::vector<Param> parameters(const LinkParams*) {
//     return {{"delay", "time a head takes to cross the link", "0ns", "1ms"},
//             {"lanes", "links side by side", "1", "64"}};
//   }
//
// Reading JSON, defaults, --print-config, the JSON Schema and the reference page all come from these two; this header
// includes what both need. A struct may derive from another described one, whose members then come first, and may have
// a choice between several kinds of parameters: models/core/one_of.h.
namespace sunstar {

/// A string literal. Tables of literals, such as declarations of parameters, cost the compiler little, and literals
/// cannot dangle.
class Literal : public std::string_view {
 public:
  constexpr Literal() = default;
  consteval Literal(const char* text) : std::string_view(text) {}

  std::string text() const { return std::string(*this); }
};

/// A condition for the use of a parameter: another parameter has one of these values.
struct Choice {
  std::string parameter;  ///< path of the other parameter, from the dependent one's section or a section around it
  std::vector<std::string> values;  ///< as in JSON, without quotes
  bool other_than = false;          ///< any value but these

  bool operator==(const Choice&) const = default;
};

/// A change that halves the time of some stages of a run. Each such change is declared once, and the parameters that
/// bring it about name it (Traits). A change of several parameters together is a function beside a described struct,
/// const Speedup& speed_up(LinkParams&).
struct Speedup {
  Literal title;  ///< "a network twice as fast"
  std::initializer_list<Stage> stages;
};

/// A designer's options with a parameter to make a run faster.
enum class Tuning : std::uint8_t {
  unstated,  ///< as the section around it; without such a section, only a return to its default
  setting,   ///< its other values cost nothing
  part,      ///< its other values are other hardware
  fixed      ///< nothing: it belongs to the question, to the model, or to the machine's promises
};

/// The traits that a declaration may have behind the range: Tuning::setting, faster_processors or {Tuning::fixed,
/// faster_network}. A section's speedup holds for every parameter in it, its tuning for every parameter in it that
/// states none.
struct Traits {
  Tuning tuning = Tuning::unstated;
  const Speedup* speedup = nullptr;  ///< the effect of halved durations and doubled rates; null: none

  Traits() = default;
  Traits(Tuning how) : tuning(how) {}
  Traits(const Speedup& by) : speedup(&by) {}
  Traits(Tuning how, const Speedup& by) : tuning(how), speedup(&by) {}
};

/// The description of one parameter. Its unit follows from the member's type.
struct Param : Traits {
  Literal name;      ///< the member's name, and its key in JSON
  Literal help;      ///< one line: what it is and, where it matters, its source
  Literal min = {};  ///< least allowed value in the member's own notation ("1", "0ns"); empty: none
  Literal max = {};  ///< greatest allowed value; empty: none
  std::vector<std::string> allowed = {};  ///< for a policy chosen by name: the names it may have
  Literal starts_from = {};  ///< path of the section from which an optional section takes its missing values; empty:
                             ///< its type's defaults
  std::vector<Choice> choices =
      {};  ///< a run uses the parameter or section if one of these holds, or if there are none
  Literal usual_least = {}, usual_most = {};  ///< the values of real machines and programs, within the allowed range

  Param() = default;
  Param(Literal called, Literal meaning, Literal least = {}, Literal most = {}, std::vector<std::string> names = {},
        Traits traits = {})
      : Traits(traits), name(called), help(meaning), min(least), max(most), allowed(std::move(names)) {}
  Param(Literal called, Literal meaning, Literal least, Literal most, Traits traits)
      : Param(called, meaning, least, most, {}, traits) {}
  Param(Literal called, Literal meaning, Traits traits) : Param(called, meaning, {}, {}, {}, traits) {}

  /// Param{"directory_fraction", "share of the directory"}.used_if("division", {"fixed"}). Called several times, one
  /// condition must hold.
  Param used_if(std::string parameter, std::vector<std::string> values) && {
    choices.push_back({std::move(parameter), std::move(values)});
    return std::move(*this);
  }
  Param used_unless(std::string parameter, std::string value) && {
    return std::move(*this).used_unless(std::move(parameter), std::vector{std::move(value)});
  }
  Param used_unless(std::string parameter, std::vector<std::string> values) && {
    choices.push_back({std::move(parameter), std::move(values), true});
    return std::move(*this);
  }
  /// Sunstar warns about values that are allowed but hardly meant: Param{"lanes", ..., "1", "64"}.usually("1", "8").
  /// Either may be empty. Zero, which mostly switches something off, is usual.
  Param usually(Literal least, Literal most) && {
    usual_least = least;
    usual_most = most;
    return std::move(*this);
  }
  /// Param{"disk", "type of the drive"}.starting_from("machine.disk")
  Param starting_from(Literal path) && {
    starts_from = path;
    return std::move(*this);
  }
};

/// Lets a configuration name a described struct instead of spelling it out (`"disk": "hp97560"`). The JSON files in the
/// catalogue's `folder` give the names; messages use the `noun`. A part that has a catalogue specialises this template:
///
///   template <> struct sunstar::catalogue_of<DriveParams> {
///     static constexpr std::string_view noun = "drive", folder = "models/disk/drives";  // in the project
///   };
template <class T>
struct catalogue_of {
  static constexpr std::string_view noun{}, folder{};
};

}  // namespace sunstar
