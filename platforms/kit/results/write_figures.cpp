// SPDX-License-Identifier: MIT
#include "platforms/kit/results/write_figures.h"

#include <stdexcept>

namespace sunstar::kit {
namespace {

json::object write_named(const NamedFigures& figures) {
  json::object all;
  for (const auto& e : figures.entries()) {
    if (e.is_section) all[e.name] = write_named(e.section);
    else
      all[e.name] = std::visit(
          [](const auto& v) -> json::value {
            using Value = std::remove_cvref_t<decltype(v)>;
            if constexpr (std::same_as<Value, std::monostate>) return nullptr;
            else if constexpr (std::same_as<Value, std::string>) return json::value(v);
            else return v;
          },
          e.value);
  }
  return all;
}

json::value write_figure(ConstRef r) {
  return by_form(
      *r.type, [&](const BooleanForm&) -> json::value { return r.as<bool>(); },
      [&](const IntegerForm& f) -> json::value {
        if (f.is_signed) return f.get(r.at);
        return static_cast<std::uint64_t>(f.get(r.at));
      },
      [&](const RealForm& f) -> json::value { return f.get(r.at); },
      [&](const StringForm&) { return json::value(r.as<std::string>()); },
      [&](const OptionalForm& f) {
        const void* value = value_at(f, r.at);
        return value ? write_figure({f.value, value}) : json::value(nullptr);
      },
      [&](const ListForm& f) -> json::value {
        json::array all;
        for (std::size_t i = 0; i < f.size(r.at); ++i) all.push_back(write_figure(element_of(f, r.at, i)));
        return all;
      },
      [&](const MapForm& f) -> json::value {
        json::object all;
        f.for_each(r.at, [&](const std::string& key, const void* value) {
          all[key] = write_figure({f.element, value});
        });
        return all;
      },
      [&](const SectionForm&) -> json::value { return write_figures(r); },
      [&](const NamedFiguresForm&) -> json::value { return write_named(r.as<NamedFigures>()); },
      [&](const ObjectForm&) -> json::value { return r.as<json::object>(); },
      [](const auto&) -> json::value { throw std::logic_error("a result holds nothing of this type"); });
}

/// An unknown value that has no key.
bool is_left_out(ConstRef value, const Figure& rule) {
  const auto* optional = value.type->if_is<OptionalForm>();
  return optional && !value_at(*optional, value.at) && (rule.optional_key || optional->value->is<SectionForm>());
}

}  // namespace

json::object write_figures(ConstRef section) {
  json::object all;
  for (const Member& m : members_of(*section.type)) {
    const Figure& rule = m.rule_of_figure();
    if (is_left_out(m.in(section), rule)) continue;
    auto value = write_figure(m.in(section));
    if (!rule.is_flat) all[m.name] = std::move(value);
    else
      for (auto& [key, figure] : value.as_object()) all[key] = std::move(figure);
  }
  return all;
}

}  // namespace sunstar::kit
