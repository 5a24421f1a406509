// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <array>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <limits>
#include <map>
#include <span>
#include <type_traits>

#include "models/core/one_of.h"
#include "models/core/shape.h"
#include "platforms/kit/type.h"

// Makes the Type of a C++ type, from which configurations and results may be made.
namespace sunstar::kit {

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
concept HasFigures = requires(const T* t) {
  { figures(t) } -> std::convertible_to<std::vector<Figure>>;
};
template <class T>
concept FigureSection = Described<T> && HasFigures<T>;

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

namespace detail {

template <class T>
T& to(void* object) {
  return *static_cast<T*>(object);
}
template <class T>
const T& to(const void* object) {
  return *static_cast<const T*>(object);
}

template <class T>
bool from_notation(void* into, std::string_view text) {
  if constexpr (Quantity<T>) {
    return parse(text, to<T>(into)).empty();
  } else if constexpr (std::same_as<T, Cycles>) {
    return from_notation<double>(&to<T>(into).count, text);
  } else {
    return is_number(text, to<T>(into));
  }
}

template <class T>
Ordered ordered() {
  return {&from_notation<T>, [](const void* a, const void* b) { return to<T>(a) < to<T>(b); }};
}

template <Integer T>
auto form_of(std::type_identity<T>) {
  using Limits = std::numeric_limits<T>;
  return IntegerForm{ordered<T>(),
                     std::is_signed_v<T>,
                     static_cast<std::int64_t>(Limits::min()),
                     static_cast<std::uint64_t>(Limits::max()),
                     [](const void* t) { return static_cast<std::int64_t>(to<T>(t)); },
                     [](void* t, std::int64_t value) { to<T>(t) = static_cast<T>(value); }};
}

template <Real T>
auto form_of(std::type_identity<T>) {
  if constexpr (std::same_as<T, Cycles>)
    return RealForm{ordered<T>(), true, [](const void* t) { return to<T>(t).count; },
                    [](void* t, double value) { to<T>(t).count = value; }};
  else
    return RealForm{ordered<T>(), false, [](const void* t) { return static_cast<double>(to<T>(t)); },
                    [](void* t, double value) { to<T>(t) = static_cast<T>(value); }};
}

template <Quantity T>
auto form_of(std::type_identity<T>) {
  return QuantityForm{ordered<T>(), &notation<T>(), [](const void* t) { return to_text(to<T>(t)); },
                      [](void* t, std::string_view text) { return parse(text, to<T>(t)); }};
}

template <DescribedEnum T>
inline constexpr auto enumerators = []<template <class...> class L, class... D>(L<D...>) {
  return std::array<T, sizeof...(D)>{D::value...};
}(boost::describe::describe_enumerators<T>{});

template <DescribedEnum T>
inline constexpr auto enumerator_names = []<template <class...> class L, class... D>(L<D...>) {
  return std::array<const char*, sizeof...(D)>{D::name...};
}(boost::describe::describe_enumerators<T>{});
/// The JSON names of enumerators: disk_directed is "disk-directed"; an underscore at the end (default_) is left off.
std::vector<std::string> enumerator_texts(std::span<const char* const>);

template <DescribedEnum T>
auto form_of(std::type_identity<T>) {
  return EnumForm{
      enumerator_texts(enumerator_names<T>),
      [](const void* t) {
        return static_cast<std::size_t>(std::ranges::find(enumerators<T>, to<T>(t)) - enumerators<T>.begin());
      },
      [](void* t, std::size_t i) { to<T>(t) = enumerators<T>[i]; }};
}

template <class T>
auto form_of(std::type_identity<std::optional<T>>) {
  using Optional = std::optional<T>;
  return OptionalForm{&type_of<T>(),
                      [](void* t) -> void* {
                        auto& optional = to<Optional>(t);
                        return optional ? &*optional : nullptr;
                      },
                      [](void* t) -> void* { return &to<Optional>(t).emplace(); },
                      [](void* t) { to<Optional>(t).reset(); }};
}

template <class T>
auto form_of(std::type_identity<std::vector<T>>) {
  static_assert(!std::same_as<T, bool>, "the elements of std::vector<bool> are no objects");
  using List = std::vector<T>;
  return ListForm{&type_of<T>(), false, [](const void* t) { return to<List>(t).size(); },
                  [](void* t, std::size_t i) -> void* { return &to<List>(t)[i]; },
                  [](void* t, std::size_t n) { to<List>(t).assign(n, T{}); }};
}

template <class T, std::size_t N>
auto form_of(std::type_identity<std::array<T, N>>) {
  using List = std::array<T, N>;
  return ListForm{&type_of<T>(), true, [](const void*) { return N; },
                  [](void* t, std::size_t i) -> void* { return &to<List>(t)[i]; },
                  [](void* t, std::size_t) { to<List>(t) = {}; }};
}

template <class T>
auto form_of(std::type_identity<std::map<std::string, T>>) {
  using Map = std::map<std::string, T>;
  return MapForm{&type_of<T>(), [](void* t, const std::string& key) -> void* { return &to<Map>(t)[key]; },
                 [](const void* t, const std::function<void(const std::string&, const void*)>& f) {
                   for (const auto& [key, value] : to<Map>(t)) f(key, &value);
                 }};
}

template <class... A>
auto form_of(std::type_identity<OneOf<A...>>) {
  using Choice = OneOf<A...>;
  return ChoiceForm{{Alternative{std::string(A::kind), std::string(A::help), &type_of<A>()}...},
                    [](const void* t) {
                      std::size_t i = 0, found = 0;
                      ((to<Choice>(t).template is<A>() ? found = i++ : i++), ...);
                      return found;
                    },
                    [](void* t, std::size_t i) {
                      static constexpr std::array<std::string_view, sizeof...(A)> kinds{A::kind...};
                      to<Choice>(t).choose(kinds[i]);
                    },
                    [](void* t) { return to<Choice>(t).visit([](auto& a) -> void* { return &a; }); }};
}

/// The compiler's facts about a member and a base: constant tables, which need no code.
struct MemberEntry {
  const char* name;
  const Type& (*type)();
  void* (*of)(void*);
};
struct BaseEntry {
  const Type& (*type)();
  void* (*of)(void*);
};
template <class T, class D>
using member_t = std::remove_cvref_t<decltype(std::declval<T&>().*D::pointer)>;
template <class T>
inline constexpr auto member_entries = []<template <class...> class L, class... D>(L<D...>) {
  return std::array<MemberEntry, sizeof...(D)>{
      MemberEntry{D::name, &type_of<member_t<T, D>>, [](void* t) -> void* { return &(to<T>(t).*D::pointer); }}...};
}(boost::describe::describe_members<T, boost::describe::mod_public | boost::describe::mod_inherited>{});
template <class T>
inline constexpr auto base_entries = []<template <class...> class L, class... D>(L<D...>) {
  return std::array<BaseEntry, sizeof...(D)>{BaseEntry{
      &type_of<typename D::type>, [](void* t) -> void* { return static_cast<typename D::type*>(&to<T>(t)); }}...};
}(boost::describe::describe_bases<T, boost::describe::mod_public>{});

/// A section without its own declarations.
SectionForm section_of(std::span<const MemberEntry>, std::span<const BaseEntry>, std::size_t own);
void declare(SectionForm&, const std::vector<Param>&);
void declare(SectionForm&, const std::vector<Figure>&);
/// Points the members to their declarations.
void link(SectionForm&);

template <Described T>
auto form_of(std::type_identity<T>) {
  static_assert(HasParameters<T> || HasFigures<T>,
                "a described struct needs std::vector<Param> parameters(const T*) beside it, see models/core/param.h, "
                "or std::vector<Figure> figures(const T*), see models/core/figure.h");
  using boost::describe::describe_members;
  auto form = section_of(member_entries<T>, base_entries<T>,
                         boost::mp11::mp_size<describe_members<T, boost::describe::mod_public>>::value);
  form.noun = catalogue_of<T>::noun;
  form.folder = catalogue_of<T>::folder;
  if constexpr (HasParameters<T>) declare(form, parameters(static_cast<const T*>(nullptr)));
  if constexpr (HasFigures<T>) declare(form, figures(static_cast<const T*>(nullptr)));
  if constexpr (HasCheck<T>)
    form.check = [](const void* t, const std::string& path, Problems& problems) { check(to<T>(t), path, problems); };
  if constexpr (requires(T & t) { is_base(t); }) form.is_base = [](void* t) { is_base(to<T>(t)); };
  if constexpr (requires(T & t) { speed_up(t); })
    form.speed_up = [](void* t) -> const Speedup& { return speed_up(to<T>(t)); };
  if constexpr (requires(const T* t, const json::object& trial) { severity(t, trial); })
    form.severity = [](const json::object& trial) { return severity(static_cast<const T*>(nullptr), trial); };
  link(form);  // to vectors, whose elements stay where they are when the form is moved
  return form;
}

/// A kind without parameters need not be described.
template <class T>
requires(std::is_empty_v<T> && !Described<T>) auto form_of(std::type_identity<T>) { return SectionForm{}; }

inline auto form_of(std::type_identity<bool>) { return BooleanForm{}; }
inline auto form_of(std::type_identity<std::string>) { return StringForm{}; }
inline auto form_of(std::type_identity<std::filesystem::path>) { return PathForm{}; }
inline auto form_of(std::type_identity<Shape>) { return ShapeForm{}; }
inline auto form_of(std::type_identity<NamedFigures>) { return NamedFiguresForm{}; }
inline auto form_of(std::type_identity<json::object>) { return ObjectForm{}; }

}  // namespace detail

/// The type of T, made at the first call. T is a bool, a number, Cycles, a quantity, a described enum, a string, a
/// path, a Shape, a described struct, a OneOf of such, or an optional, list or map of these; a result may hold
/// NamedFigures and JSON objects too.
template <class T>
const Type& type_of() {
  static const Type type{detail::form_of(std::type_identity<T>{}),
                         []() -> std::shared_ptr<void> { return std::make_shared<T>(); },
                         [](void* t, const void* from) { detail::to<T>(t) = detail::to<T>(from); }};
  return type;
}

}  // namespace sunstar::kit
