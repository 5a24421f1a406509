// SPDX-License-Identifier: MIT
#include "platforms/kit/results/write_figures.h"

#include "platforms/kit/json_write.h"

namespace sunstar::kit {
namespace {

json::object write_named(const NamedFigures& figures) {
  json::object all;
  for (const auto& e : figures.entries()) {
    if (e.is_section) all[e.name] = write_named(e.section);
    else all[e.name] = std::visit([](const auto& v) { return json::value(v); }, e.value);
  }
  return all;
}

/// An unknown value that has no key.
bool is_left_out(ConstRef value, const Figure& rule) {
  const auto* optional = value.type->if_is<OptionalForm>();
  return optional && !value_at(*optional, value.at) && (rule.optional_key || optional->value->is<SectionForm>());
}

}  // namespace

json::object write_figures(ConstRef section) {
  if (section.type->is<NamedFiguresForm>()) return write_named(section.as<NamedFigures>());
  if (section.type->is<ObjectForm>()) return section.as<json::object>();
  json::object all;
  for (const Member& m : members_of(*section.type)) {
    const Figure& rule = m.rule_of_figure();
    if (is_left_out(m.in(section), rule)) continue;
    auto value = write_value(m.in(section), static_cast<WriteSection>(write_figures));
    if (!rule.is_flat) all[m.name] = std::move(value);
    else
      for (auto& [key, figure] : value.as_object()) all[key] = std::move(figure);
  }
  return all;
}

}  // namespace sunstar::kit
