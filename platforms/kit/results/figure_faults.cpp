// SPDX-License-Identifier: MIT
#include "platforms/kit/results/figure_faults.h"

namespace sunstar::kit {

std::vector<std::string> figure_faults(const Type& type, const std::string& path) {
  const auto& section = type.as<SectionForm>();
  std::vector<std::string> faults;
  const auto is_member = [&](std::string_view name) { return find_member(section.members, name) != nullptr; };
  for (const Figure& f : section.figures) {
    const auto here = json_path(path, f.name);
    if (!is_member(f.name)) faults.push_back(here + ": declared, but no described member");
    if (f.help.empty()) faults.push_back(here + ": without a line of help");
    if (f.mean == Figure::Mean::variation && !is_member(f.variation))
      faults.push_back(here + ": the variation of " + f.variation.text() + ", which is no figure beside it");
    if (f.mean == Figure::Mean::worst && !section.severity)
      faults.push_back(here + ": of the worst trial, but no severity() says which that is");
  }
  for (const Member& m : section.members) {
    const auto here = json_path(path, m.name);
    if (!m.figure) {
      faults.push_back(here + ": a member that figures() leaves out");
      continue;
    }
    const auto* optional = m.type->if_is<OptionalForm>();
    const Type& value = optional ? *optional->value : *m.type;
    if (value.is<SectionForm>()) {
      const auto below = figure_faults(value, m.figure->is_flat ? path : here);
      faults.insert(faults.end(), below.begin(), below.end());
    } else if (m.figure->is_flat && !value.is<NamedFiguresForm>()) {
      faults.push_back(here + ": flat, but no section");
    }
  }
  return faults;
}

}  // namespace sunstar::kit
