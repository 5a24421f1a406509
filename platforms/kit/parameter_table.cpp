// SPDX-License-Identifier: MIT
#include "platforms/kit/config.h"

#include "platforms/kit/unused.h"

namespace sunstar::kit {
namespace {

void add_rows(ConstRef preset, const std::string& path, std::vector<ParameterRow>& rows);

std::string range_of(const Type& type, const Param& rule) {
  if (const auto* names = type.if_is<EnumForm>()) return listed(names->names, "or", false);
  if (type.element() && !type.is<MapForm>()) return range_of(*type.element(), rule);
  return rule.allowed.empty() ? range_text(rule.min, rule.max) : listed(rule.allowed, "or", false);
}

std::string preset_text(const json::value& v) {
  auto text = pretty(v);
  text.pop_back();
  for (std::size_t at; (at = text.find('\n')) != std::string::npos;) {
    const auto next = text.find_first_not_of(' ', at + 1);
    text.replace(at, next - at, " ");
  }
  return text;
}

/// One parameter and its parts.
void add_row(ConstRef value, const std::string& here, const Param& rule, const std::string& help,
             std::vector<ParameterRow>& rows) {
  rows.push_back({here, type_text(*value.type), "", range_of(*value.type, rule), help});
  if (value.type->is<SectionForm>()) return add_rows(value, here, rows);
  rows.back().preset = preset_text(write(value));
  // A section that starts from another one needs no rows of its own.
  const Type* element = value.type->element();
  if (!element || !element->is<SectionForm>() || !rule.starts_from.empty()) return;
  const auto* below = value.type->is<ListForm>() ? ".<n>" : value.type->is<MapForm>() ? ".<name>" : "";
  add_rows(Object(element).ref(), here + below, rows);
}

/// Adds the tag's row, then the rows of its kinds. A key that several kinds share has one row if they describe it
/// alike and use it under the same condition.
void add_choice_rows(ConstRef choice, const Member& tag, const std::string& path, const std::vector<Param>& beside,
                     std::vector<ParameterRow>& rows) {
  const auto& form = choice.type->as<ChoiceForm>();
  const auto& by_default = chosen(form, choice.at);
  rows.push_back({json_path(path, tag.name), "name", in_quotes(by_default.kind), listed(kind_names(form), "or", false),
                  help_of_choice(form, help_text(tag.rule(), beside))});
  struct Key {
    std::vector<ParameterRow> rows;
    Param rule;
    std::vector<Param> beside;
    std::vector<std::string> kinds;
  };
  std::vector<Key> keys;
  for (const Alternative& a : form.alternatives) {
    const Object fresh(a.type);
    const ConstRef alternative = &a == &by_default ? chosen_ref(form, choice.at) : ConstRef(fresh.ref());
    for (const Member& m : members_of(*a.type)) {
      Key key{{}, m.rule(), a.type->as<SectionForm>().params, {a.kind}};
      key.beside.insert(key.beside.end(), beside.begin(), beside.end());
      add_row(m.in(alternative), json_path(path, m.name), m.rule(), m.rule().help.text(), key.rows);
      const auto same = std::ranges::find_if(
          keys, [&](const Key& k) { return k.rows == key.rows && k.rule.choices == key.rule.choices; });
      if (same == keys.end()) keys.push_back(std::move(key));
      else same->kinds.push_back(a.kind);
    }
  }
  for (auto& key : keys) {
    const Choice kind{tag.name, key.kinds};
    key.rows.front().help = help_text(key.rule, key.beside, &kind);
    rows.insert(rows.end(), key.rows.begin(), key.rows.end());
  }
}

void add_rows(ConstRef preset, const std::string& path, std::vector<ParameterRow>& rows) {
  const auto& section = preset.type->as<SectionForm>();
  for (const Member& m : section.members) {
    if (m.type->is<ChoiceForm>()) add_choice_rows(m.in(preset), m, path, section.params, rows);
    else add_row(m.in(preset), json_path(path, m.name), m.rule(), help_text(m.rule(), section.params), rows);
  }
}

}  // namespace

std::string type_text(const Type& type) {
  return by_form(
      type, [](const BooleanForm&) -> std::string { return "true, false"; },
      [](const IntegerForm&) -> std::string { return "whole number"; },
      [](const RealForm& f) -> std::string { return f.is_cycles ? "cycles" : "number"; },
      [](const QuantityForm& f) { return f.notation->noun.substr(2); },  // without the article
      [](const PathForm&) -> std::string { return "file"; }, [](const ShapeForm&) -> std::string { return "shape"; },
      [](const OptionalForm& f) { return type_text(*f.value) + ", null"; },
      [](const ListForm& f) { return "list: " + type_text(*f.element); },
      [](const MapForm& f) { return "by name: " + type_text(*f.element); },
      [](const SectionForm& f) { return f.noun.empty() ? "section" : "section, " + f.noun; },
      [](const auto&) -> std::string { return "name"; });
}

std::string help_of_choice(const ChoiceForm& form, const std::string& help) {
  std::string kinds;
  for (const Alternative& a : form.alternatives) kinds += (kinds.empty() ? "" : "; ") + a.kind + ": " + a.help;
  return help + " (" + kinds + ")";
}

std::vector<ParameterRow> parameter_rows(ConstRef defaults) {
  std::vector<ParameterRow> rows;
  add_rows(defaults, "", rows);
  return rows;
}

std::string markdown(const std::vector<ParameterRow>& rows) {
  const auto cell = [](std::string text) {
    for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
    return text;
  };
  std::string text = "| parameter | type | default | range | meaning |\n|---|---|---|---|---|\n";
  for (const auto& r : rows)
    text += "| `" + r.path + "` | " + r.type + " | " + (r.preset.empty() ? "" : "`" + cell(r.preset) + "`") + " | " +
            cell(r.range) + " | " + cell(r.help) + " |\n";
  return text;
}

}  // namespace sunstar::kit
