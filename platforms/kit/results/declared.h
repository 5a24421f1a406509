// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "platforms/kit/results/mean.h"

// A check of how figures are declared, for tests.
namespace sunstar::kit {

/// What is wrong with the declaration of T: members without a Figure and the reverse, figures without a line of help,
/// variations of figures that do not exist, means that cannot be taken. Every platform's tests require this to be
/// empty.
template <FigureSection T>
std::vector<std::string> figure_faults(const std::string& path = "") {
  std::vector<std::string> faults;
  const auto names = member_names<T>();
  const auto is_member = [&](const std::string& name) { return std::ranges::find(names, name) != names.end(); };
  for (const Figure& f : figures_of<T>()) {
    const auto here = json_path(path, f.name);
    if (!is_member(f.name)) faults.push_back(here + ": declared, but no described member");
    if (f.help.empty()) faults.push_back(here + ": without a line of help");
    if (f.mean == Figure::Mean::variation && !is_member(f.variation))
      faults.push_back(here + ": the variation of " + f.variation + ", which is no figure beside it");
    if (f.mean == Figure::Mean::worst && !HasSeverity<T>)
      faults.push_back(here + ": of the worst trial, but no severity() says which that is");
  }
  for_each_member<T>([&](const char* name, auto member) {
    const auto here = json_path(path, name);
    const auto& all = figures_of<T>();
    const auto rule = std::ranges::find(all, name, &Figure::name);
    if (rule == all.end()) return faults.push_back(here + ": a member that figures() leaves out");
    using Section = section_type<member_type_t<decltype(member)>>;
    if constexpr (FigureSection<Section>) {
      const auto below = figure_faults<Section>(rule->is_flat ? path : here);
      faults.insert(faults.end(), below.begin(), below.end());
    } else if (rule->is_flat && !std::same_as<Section, NamedFigures>) {
      faults.push_back(here + ": flat, but no section");
    }
  });
  return faults;
}

}  // namespace sunstar::kit
