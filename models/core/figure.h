// SPDX-License-Identifier: MIT
#pragma once
#include <list>
#include <type_traits>
#include <variant>

#include "models/core/param.h"

// A part declares the figures that it contributes to a result in one place: a plain struct, described for
// Boost.Describe, and beside it a function that gives each member's meaning and unit:
//
//   struct Losses {
//     std::uint64_t calls_not_made = 0;
//     double cached_mib = 0;
//   };
//   BOOST_DESCRIBE_STRUCT(Losses, (), (calls_not_made, cached_mib))
//   inline std::vector<Figure> figures(const Losses*) {
//     return {{"calls_not_made", "calls of a processor that had failed"},
//             {"cached_mib", "data in its cache when it failed", "MiB"}};
//   }
//
// Result files, the means over several trials and the JSON Schema of results all come from these two. A member's type
// decides how its mean is formed, unless the declaration says otherwise:
//
// - number: the mean; a mean of counts stays a whole number if it is one
// - bool: true if it is true in all trials
// - std::string: the first trial's
// - list of strings: the strings of all trials, each once, in order
// - std::optional: a number, bool or string is null if it is null in any trial; an unknown section is left out
// - described struct: member by member
namespace sunstar {

/// The description of one figure, or of a section of figures.
struct Figure {
  enum class Mean { by_type, first, worst, variation, sum };

  Literal name;       ///< the member's name, and its key in JSON
  Literal help;       ///< one line: what it is
  Literal unit = {};  ///< "s", "MiB/s"; empty for counts, shares and words
  Mean mean = Mean::by_type;
  Literal variation = {};     ///< name of the figure whose coefficient of variation this is
  bool optional_key = false;  ///< an unknown value has no key, rather than null
  bool is_flat = false;       ///< the section's keys stand among those around it

  /// The first trial's value stands for all trials.
  Figure of_first() && { return with(Mean::first); }
  /// Taken from the worst trial: the one with the greatest severity(const T*, const boost::json::object& trial), a
  /// function declared beside T.
  Figure of_worst() && { return with(Mean::worst); }
  Figure summed() && { return with(Mean::sum); }
  /// The coefficient of variation, over the trials, of its neighbour `figure`. A single trial has none.
  Figure variation_of(Literal figure) && {
    variation = figure;
    optional_key = true;
    return with(Mean::variation);
  }
  /// For std::optional: an unknown value has no key, instead of null.
  Figure left_out_if_unknown() && {
    optional_key = true;
    return *this;
  }
  /// For sections: the keys stand among those around the section, without a section of their own.
  Figure flat() && {
    is_flat = true;
    return *this;
  }

 private:
  Figure with(Mean how) {
    mean = how;
    return *this;
  }
};

/// Figures whose names are known only when the program runs, in the order of their adding. Means follow from the type,
/// as above.
class NamedFigures {
 public:
  using Value = std::variant<bool, std::uint64_t, double, std::string>;
  struct Entry;

  /// A whole number, whatever its type, is kept as one of 64 bits.
  template <class T>
  void add(std::string name, T value) {
    using Kept = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, std::uint64_t, T>;
    entries_.push_back({std::move(name), static_cast<Kept>(std::move(value))});
  }
  /// The section of that name; creates it if there is none.
  NamedFigures& section(const std::string& name);

  const std::list<Entry>& entries() const { return entries_; }
  bool empty() const { return entries_.empty(); }

 private:
  std::list<Entry> entries_;  // a list, so that references to sections stay valid
};

struct NamedFigures::Entry {
  std::string name;
  Value value = {};
  NamedFigures section = {};
  bool is_section = false;
};

inline NamedFigures& NamedFigures::section(const std::string& name) {
  for (Entry& e : entries_)
    if (e.is_section && e.name == name) return e.section;
  entries_.push_back({name, {}, {}, true});
  return entries_.back().section;
}

}  // namespace sunstar
