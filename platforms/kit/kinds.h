// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <cassert>
#include <charconv>
#include <concepts>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "models/core/one_of.h"
#include "models/core/param.h"
#include "models/core/problems.h"
#include "platforms/kit/quantity_text.h"

// The kinds of type that a configuration may be made of, and how to walk a described struct.
namespace sunstar::kit {

template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;
template <class T, std::size_t N>
inline constexpr bool is_list<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_fixed_list = false;
template <class T, std::size_t N>
inline constexpr bool is_fixed_list<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

template <class T>
inline constexpr bool is_one_of = false;
template <class... A>
inline constexpr bool is_one_of<OneOf<A...>> = true;

template <class T>
concept List = is_list<T>;
template <class T>
concept Optional = is_optional<T>;
template <class T>
concept Map = is_map<T>;
template <class T>
concept TaggedChoice = is_one_of<T>;
template <class T>
concept Integer = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept Real = std::floating_point<T> || std::same_as<T, Cycles>;
template <class T>
concept DescribedEnum = std::is_enum_v<T> && boost::describe::has_describe_enumerators<T>::value;
template <class T>
concept Described = std::is_class_v<T> && boost::describe::has_describe_members<T>::value;
template <class T>
concept HasParameters = requires(const T* t) {
  { parameters(t) } -> std::convertible_to<std::vector<Param>>;
};

namespace detail {

/// Stands for a T, but not for a base of it: finds functions that are declared for T itself.
template <class T>
struct Exactly {
  template <std::same_as<T> U>
  operator const U&() const;
};

}  // namespace detail

template <class T>
concept HasCheck = requires(const detail::Exactly<T>& t, const std::string& path, Problems& p) {
  check(t, path, p);
};

/// Calls f(base), a std::type_identity, for each described base of T itself.
template <Described T, class F>
void for_each_base(F&& f) {
  boost::mp11::mp_for_each<boost::describe::describe_bases<T, boost::describe::mod_public>>([&](auto d) {
    using Base = typename decltype(d)::type;
    if constexpr (Described<Base>) f(std::type_identity<Base>{});
  });
}

/// The Params of T's members, those of its bases' members first. T may replace the Param of a base's member.
template <Described T>
const std::vector<Param>& parameters_of() {
  static_assert(HasParameters<T>,
                "a described struct needs std::vector<Param> parameters(const T*) beside it, see models/core/param.h");
  static const std::vector<Param> all = [] {
    std::vector<Param> rules;
    for_each_base<T>([&]<class Base>(std::type_identity<Base>) {
      const auto& inherited = parameters_of<Base>();
      rules.insert(rules.end(), inherited.begin(), inherited.end());
    });
    for (auto& rule : parameters(static_cast<const T*>(nullptr))) {
      const auto found = std::find_if(rules.begin(), rules.end(), [&](const Param& p) { return p.name == rule.name; });
      if (found != rules.end()) *found = rule;
      else rules.push_back(rule);
    }
    return rules;
  }();
  return all;
}

template <Described T>
const Param& parameter_of(std::string_view member) {
  for (const auto& p : parameters_of<T>())
    if (p.name == member) return p;
  assert(!"parameters() leaves out a described member");
  static const Param nothing;
  return nothing;
}

/// Calls f(name, pointer to member) for each member, in the order of their description, those of bases first.
template <Described T, class F>
void for_each_member(F&& f) {
  using Members = boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>;
  boost::mp11::mp_for_each<Members>([&](auto d) { f(d.name, d.pointer); });
}

template <Described T>
std::vector<std::string> member_names() {
  std::vector<std::string> names;
  for_each_member<T>([&](const char* name, auto) { names.emplace_back(name); });
  return names;
}

/// The type of a member, from a pointer to it.
template <class Pointer>
struct member_type;
template <class C, class M>
struct member_type<M C::*> {
  using type = M;
};
template <class Pointer>
using member_type_t = typename member_type<std::remove_cvref_t<Pointer>>::type;

/// Calls f(alternative), a std::type_identity, for each alternative of a choice.
template <TaggedChoice C, class F>
void for_each_alternative(F&& f) {
  [&]<class... A>(std::type_identity<std::tuple<A...>>) {
    (f(std::type_identity<A>{}), ...);
  }(std::type_identity<typename C::Types>{});
}

/// The kinds that have this key.
template <TaggedChoice C>
std::vector<std::string> kinds_with(std::string_view key) {
  std::vector<std::string> kinds;
  for_each_alternative<C>([&]<class A>(std::type_identity<A>) {
    for_each_member<A>([&](std::string_view name, auto) {
      if (name == key) kinds.emplace_back(A::kind);
    });
  });
  return kinds;
}

/// Calls f(name, pointer to member, alternative) once for each key that an alternative has. If several share a key, it
/// calls f for the first of them.
template <TaggedChoice C, class F>
void for_each_key_of_alternatives(F&& f) {
  std::vector<std::string> told;
  for_each_alternative<C>([&]<class A>(std::type_identity<A> alternative) {
    for_each_member<A>([&](const char* name, auto member) {
      static_assert(!TaggedChoice<member_type_t<decltype(member)>>, "an alternative has no tag of its own beside it");
      if (std::find(told.begin(), told.end(), name) != told.end()) return;
      told.emplace_back(name);
      f(name, member, alternative);
    });
  });
}

/// The keys that an object for T may have. After the tag of a choice come the keys of all its alternatives.
template <Described T>
std::vector<std::string> key_names() {
  std::vector<std::string> names;
  for_each_member<T>([&](const char* name, auto member) {
    names.emplace_back(name);
    using Member = member_type_t<decltype(member)>;
    if constexpr (TaggedChoice<Member>)
      for_each_key_of_alternatives<Member>([&](const char* key, auto, auto) { names.emplace_back(key); });
  });
  return names;
}
/// The same without the keys of alternatives that `t` has not chosen.
template <Described T>
std::vector<std::string> chosen_key_names(const T& t) {
  std::vector<std::string> names;
  for_each_member<T>([&](const char* name, auto member) {
    names.emplace_back(name);
    if constexpr (TaggedChoice<member_type_t<decltype(member)>>)
      (t.*member).visit([&]<class A>(const A&) {
        for (auto& key : member_names<A>()) names.push_back(std::move(key));
      });
  });
  return names;
}

/// The JSON name of an enumerator: disk_directed is "disk-directed"; an underscore at the end (default_) is left off.
inline std::string enumerator_text(std::string name) {
  if (name.ends_with('_')) name.pop_back();
  for (auto& c : name)
    if (c == '_') c = '-';
  return name;
}

template <DescribedEnum E>
std::vector<std::string> enumerator_names() {
  std::vector<std::string> names;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>(
      [&](auto d) { names.push_back(enumerator_text(d.name)); });
  return names;
}

template <DescribedEnum E>
std::string to_text(E e) {
  std::string text;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto d) {
    if (d.value == e) text = enumerator_text(d.name);
  });
  assert(!text.empty() && "not a described enumerator");
  return text;
}

template <DescribedEnum E>
std::optional<E> enumerator(std::string_view text) {
  std::optional<E> found;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<E>>([&](auto d) {
    if (enumerator_text(d.name) == text) found = d.value;
  });
  return found;
}

/// A number or quantity in the notation of Param::min and max; false if it cannot be read as T.
template <class T>
requires Quantity<T> || Integer<T> || Real<T>
bool from_notation(const std::string& text, T& into) {
  if constexpr (Quantity<T>) {
    return parse(text, into).empty();
  } else if constexpr (std::same_as<T, Cycles>) {
    return from_notation(text, into.count);
  } else {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc{} && end == text.data() + text.size();
  }
}

}  // namespace sunstar::kit
