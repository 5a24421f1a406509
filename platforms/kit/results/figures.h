// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>
#include <concepts>
#include <string_view>
#include <vector>

#include "models/core/figure.h"
#include "platforms/kit/json_text.h"
#include "platforms/kit/kinds.h"

// What a result may be made of, and how to walk it. models/core/figure.h says how a struct declares its figures.
namespace sunstar::kit {

template <class T>
concept HasFigures = requires(const T* t) {
  { figures(t) } -> std::convertible_to<std::vector<Figure>>;
};

/// A described struct of figures.
template <class T>
concept FigureSection = Described<T> && HasFigures<T>;

template <class T>
concept HasSeverity = requires(const T* t, const json::object& trial) {
  { severity(t, trial) } -> std::convertible_to<double>;
};

template <class T>
concept FigureNumber = Integer<T> || std::floating_point<T>;

namespace detail {

template <class T>
struct section_of {
  using type = T;
};
template <class T>
struct section_of<std::optional<T>> {
  using type = T;
};

}  // namespace detail

/// T or, if T is optional, the type that it may hold.
template <class T>
using section_type = typename detail::section_of<T>::type;

/// The Figures of T's members, those of its bases' members first.
template <FigureSection T>
const std::vector<Figure>& figures_of() {
  static const std::vector<Figure> all = [] {
    std::vector<Figure> rules;
    for_each_base<T>([&]<class Base>(std::type_identity<Base>) {
      const auto& inherited = figures_of<Base>();
      rules.insert(rules.end(), inherited.begin(), inherited.end());
    });
    for (auto& rule : figures(static_cast<const T*>(nullptr))) {
      const auto found = std::find_if(rules.begin(), rules.end(), [&](const Figure& f) { return f.name == rule.name; });
      if (found != rules.end()) *found = rule;
      else rules.push_back(rule);
    }
    return rules;
  }();
  return all;
}

template <FigureSection T>
const Figure& figure_of(std::string_view member) {
  for (const auto& f : figures_of<T>())
    if (f.name == member) return f;
  assert(!"figures() leaves out a described member");
  static const Figure nothing;
  return nothing;
}

}  // namespace sunstar::kit
