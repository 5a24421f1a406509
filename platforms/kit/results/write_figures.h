// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/results/figures.h"

// A struct of figures as JSON.
namespace sunstar::kit {

json::object write_figures(const NamedFigures&);

template <FigureSection T>
json::object write_figures(const T& t);

namespace detail {

template <class T>
json::value write_figure(const T& t) {
  if constexpr (std::same_as<T, json::object> || std::same_as<T, bool>) return t;
  else if constexpr (std::same_as<T, NamedFigures> || FigureSection<T>) return write_figures(t);
  else if constexpr (Integer<T> && std::is_signed_v<T>) return static_cast<std::int64_t>(t);
  else if constexpr (Integer<T>) return static_cast<std::uint64_t>(t);
  else if constexpr (std::floating_point<T>) return static_cast<double>(t);
  else if constexpr (std::same_as<T, std::string>) return json::value(t);
  else if constexpr (Optional<T>) return t ? write_figure(*t) : json::value(nullptr);
  else if constexpr (List<T>) {
    json::array all;
    for (const auto& e : t) all.push_back(write_figure(e));
    return all;
  } else {
    static_assert(Map<T>, "a result is made of the kinds of type that models/core/figure.h names");
    json::object all;
    for (const auto& [key, e] : t) all[key] = write_figure(e);
    return all;
  }
}

}  // namespace detail

template <FigureSection T>
json::object write_figures(const T& t) {
  json::object all;
  for_each_member<T>([&](const char* name, auto member) {
    const Figure& rule = figure_of<T>(name);
    using Member = member_type_t<decltype(member)>;
    if constexpr (Optional<Member>) {
      if (!(t.*member) && (rule.optional_key || FigureSection<typename Member::value_type>)) return;
    }
    auto value = detail::write_figure(t.*member);
    if (!rule.is_flat) all[name] = std::move(value);
    else
      for (const auto& [key, figure] : value.as_object()) all[key] = figure;
  });
  return all;
}

}  // namespace sunstar::kit
