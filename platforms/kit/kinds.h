// SPDX-License-Identifier: MIT
#pragma once
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
concept List = is_list<T>;
template <class T>
concept Optional = is_optional<T>;
template <class T>
concept Map = is_map<T>;
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
template <class T>
concept HasCheck = requires(const T& t, const std::string& path, Problems& p) {
  check(t, path, p);
};

/// What its author says of each member of T.
template <Described T>
const std::vector<Param>& parameters_of() {
  static_assert(HasParameters<T>,
                "a described struct needs std::vector<Param> parameters(const T*) beside it, see models/core/param.h");
  static const std::vector<Param> all = parameters(static_cast<const T*>(nullptr));
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
