// SPDX-License-Identifier: MIT
#include "platforms/kit/type.h"

namespace sunstar::kit {
namespace {

json::object write_members(ConstRef section) {
  if (!section.type->is<SectionForm>()) throw std::logic_error("a configuration holds nothing of this type");
  json::object object;
  const auto& members = members_of(*section.type);
  // A tag comes first, so that a reader knows what follows.
  for (const Member& m : members)
    if (const auto* choice = m.type->if_is<ChoiceForm>())
      object[m.name] = json::value(chosen(*choice, m.in(section).at).kind);
  for (const Member& m : members) {
    const auto value = m.in(section);
    if (const auto* choice = m.type->if_is<ChoiceForm>())
      for (auto& [key, of_kind] : write_members(chosen_ref(*choice, value.at))) object[key] = std::move(of_kind);
    else object[m.name] = write(value);
  }
  return object;
}

}  // namespace

json::value write_value(ConstRef r, WriteSection section) {
  return by_form(
      *r.type, [&](const BooleanForm&) -> json::value { return r.as<bool>(); },
      [&](const IntegerForm& f) -> json::value {
        if (f.is_signed) return f.get(r.at);
        return static_cast<std::uint64_t>(f.get(r.at));
      },
      [&](const RealForm& f) -> json::value { return f.get(r.at); },
      [&](const QuantityForm& f) { return json::value(f.text(r.at)); },
      [&](const EnumForm& f) { return json::value(f.names.at(f.get(r.at))); },
      [&](const StringForm&) { return json::value(r.as<std::string>()); },
      [&](const PathForm&) { return json::value(r.as<std::filesystem::path>().string()); },
      [&](const ShapeForm&) -> json::value {
        const auto& shape = r.as<Shape>();
        if (shape.is_to_choose()) return json::value(shape.word());
        return json::array(shape.sizes().begin(), shape.sizes().end());
      },
      [&](const OptionalForm& f) {
        const void* value = value_at(f, r.at);
        return value ? write_value({f.value, value}, section) : json::value(nullptr);
      },
      [&](const ListForm& f) -> json::value {
        json::array array;
        for (std::size_t i = 0; i < f.size(r.at); ++i) array.push_back(write_value(element_of(f, r.at, i), section));
        return array;
      },
      [&](const MapForm& f) -> json::value {
        json::object object;
        f.for_each(r.at, [&](const std::string& key, const void* value) {
          object[key] = write_value({f.element, value}, section);
        });
        return object;
      },
      [&](const auto&) -> json::value { return section(r); });
}

json::value write(ConstRef r) { return write_value(r, write_members); }

}  // namespace sunstar::kit
