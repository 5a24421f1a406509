// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cassert>
#include <concepts>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "models/core/ranges.h"

// A tagged choice: one of several described structs, each of which names itself. A described struct may have one such
// member. In JSON the member's name is the key of the tag, and the alternative's keys stand flat beside it:
//
//   struct Gas {
//     static constexpr std::string_view kind = "gas";
//     static constexpr std::string_view help = "a flame under the kettle";
//     std::uint32_t flames = 1;
//   };  // described, with parameters(), as any other; one without members need not be
//   struct Mains { ... };
//   struct Kettle {
//     OneOf<Gas, Mains> heat;                       // the first is the default
//     Bytes volume{1 << 10};
//   };
//   BOOST_DESCRIBE_STRUCT(Kettle, (), (heat, volume))
//   inline std::vector<Param> parameters(const Kettle*) {
//     return {{"heat", "what heats the kettle"}, {"volume", "amount of water"}};
//   }
//
//   {"heat": "gas", "flames": 2, "volume": "2KiB"}
//
// Alternatives may share keys; none may have a key of the struct around them. A key that only another alternative has
// is read and checked like any other, and the user is warned that the run does not use it.
namespace sunstar {

template <class... Alternatives>
class OneOf {
  static_assert(sizeof...(Alternatives) > 0);
  template <class T>
  static constexpr bool has = (std::same_as<T, Alternatives> || ...);

 public:
  OneOf() = default;
  template <class T>
  requires has<T> OneOf(T chosen) : chosen_(std::move(chosen)) {}

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(chosen_);
  }
  /// The alternative, which must be the chosen one.
  template <class T>
  T& as() {
    return std::get<T>(chosen_);
  }
  template <class T>
  const T& as() const {
    return std::get<T>(chosen_);
  }
  /// The alternative if it is the chosen one, or null.
  template <class T>
  T* if_is() {
    return std::get_if<T>(&chosen_);
  }
  template <class T>
  const T* if_is() const {
    return std::get_if<T>(&chosen_);
  }
  /// Calls f(alternative) for the chosen one.
  template <class F>
  decltype(auto) visit(F&& f) {
    return std::visit(std::forward<F>(f), chosen_);
  }
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), chosen_);
  }

  std::string_view kind_name() const {
    return visit([](const auto& a) { return std::string_view(std::remove_cvref_t<decltype(a)>::kind); });
  }
  static std::vector<std::string> kind_names() { return {std::string(Alternatives::kind)...}; }
  /// Chooses the alternative called `kind` and gives it its defaults, unless it is chosen already. Returns false if
  /// there is no such alternative.
  bool choose(std::string_view kind) {
    if (kind == kind_name()) return true;
    return ((kind == Alternatives::kind && (chosen_.template emplace<Alternatives>(), true)) || ...);
  }
  /// Calls f(alternative, chosen) for each type: the chosen one with its values, the others with their defaults.
  template <class F>
  void for_each(F&& f) const {
    const auto one = [&]<class T>(const T* chosen) {
      if (chosen) f(*chosen, true);
      else f(T{}, false);
    };
    (one(if_is<Alternatives>()), ...);
  }

  bool operator==(const OneOf&) const = default;

 private:
  std::variant<Alternatives...> chosen_;
};

// Tables of policies that a configuration chooses by their member `name`.

/// The entry of that name, which was checked when the configuration was read.
template <class Table>
const auto& named(const Table& table, std::string_view name) {
  const auto found = std::ranges::find_if(table, [&](const auto& entry) { return entry.name == name; });
  assert(found != std::end(table));
  return *found;
}

template <class Table>
std::vector<std::string> names_of(const Table& table) {
  return mapped(table, [](const auto& entry) { return std::string(entry.name); });
}

}  // namespace sunstar
