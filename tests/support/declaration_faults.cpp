// SPDX-License-Identifier: MIT
#include "tests/support/declaration_faults.h"

#include <algorithm>

#include "models/core/error.h"
#include "platforms/kit/config.h"
#include "platforms/kit/json_read.h"
#include "platforms/kit/type.h"
#include "platforms/kit/unused.h"

namespace sunstar::kit {
namespace {

using Faults = std::vector<std::string>;

void add_faults(ConstRef preset, const std::string& path, Faults& faults);

void add_limit_faults(const Type& type, const std::string& path, const Param& rule, Faults& faults) {
  if (type.element()) return add_limit_faults(*type.element(), path, rule, faults);
  const auto* order = by_form(type, []<class F>(const F& form) -> const Ordered* {
    if constexpr (std::derived_from<F, Ordered>) return &form;
    else return nullptr;
  });
  if (!order) return;
  for (const auto& limit : {rule.min, rule.max, rule.usual_least, rule.usual_most})
    if (!limit.empty() && !order->from_notation(Object(&type).ref().at, limit))
      faults.push_back(path + ": the limit " + in_quotes(limit) + " is not " + type_text(type));
}

void add_choice_faults(ConstRef choice, const Faults& beside, const std::string& tag, const std::string& path,
                       Faults& faults) {
  const auto& form = choice.type->as<ChoiceForm>();
  auto kinds = kind_names(form);
  std::ranges::sort(kinds);
  if (const auto twice = std::ranges::adjacent_find(kinds); twice != kinds.end())
    faults.push_back(tag + ": two alternatives are called " + *twice);
  for (const Alternative& a : form.alternatives) {
    const Object alternative(&a == &chosen(form, choice.at) ? Object(chosen_ref(form, choice.at)) : Object(a.type));
    if (a.help.empty()) faults.push_back(tag + ": " + a.kind + " is without a line of help");
    for (const auto& key : names_of(members_of(*a.type)))
      if (std::ranges::find(beside, key) != beside.end())
        faults.push_back(json_path(path, key) + ": a key of " + a.kind + " and of the section around it");
    const auto count = faults.size();
    add_faults(alternative.ref(), path, faults);
    if (faults.size() > count) continue;
    // An alternative's defaults must pass as a configuration. Rules across members are not run: they may need more than
    // defaults.
    Problems problems;
    Reader reader(problems, nullptr, {}, project_folder());
    const auto written = write(alternative.ref());
    read_members(Object(a.type).ref(), written.get_object(), path, reader);
    faults.insert(faults.end(), problems.sentences().begin(), problems.sentences().end());
  }
}

void add_member_faults(ConstRef value, const Member& m, const SectionForm& section, const std::string& path,
                       Faults& faults) {
  const auto here = json_path(path, m.name);
  if (!m.param) return faults.push_back(here + ": a member that parameters() leaves out");
  if (m.param->help.empty()) faults.push_back(here + ": without a line of help");
  if (m.type->is<EnumForm>() && !m.param->allowed.empty())
    faults.push_back(here + ": an enum allows its enumerators; do not list them");
  add_limit_faults(*m.type, here, *m.param, faults);
  const Type* element = m.type->element();
  if (m.type->is<ChoiceForm>()) add_choice_faults(value, names_of(section.members), here, path, faults);
  else if (m.type->is<SectionForm>()) add_faults(value, here, faults);
  else if (element && element->is<SectionForm>()) add_faults(Object(element).ref(), here, faults);
}

void add_faults(ConstRef preset, const std::string& path, Faults& faults) {
  const auto& section = preset.type->as<SectionForm>();
  for (const Param& p : section.params)
    if (!find_member(section.members, p.name))
      faults.push_back(json_path(path, p.name) + ": declared, but no described member");
  for (const Member& m : section.members) add_member_faults(m.in(preset), m, section, path, faults);
}

/// The path of the parameter that a choice names, beside the one at `path` or a section around it; empty if there is
/// none.
std::string chosen_by(const std::vector<Use>& all, const Choice& choice, std::string path) {
  while (!path.empty()) {
    const auto dot = path.rfind('.');
    path.resize(dot == std::string::npos ? 0 : dot);
    auto parameter = json_path(path, choice.parameter);
    if (std::ranges::find(all, parameter, &Use::path) != all.end()) return parameter;
  }
  return "";
}

/// The choices that depend on what does not exist, or that never hold.
Faults choice_faults(const std::vector<Use>& all) {
  Faults faults;
  for (const Use& use : all)
    for (const Choice& c : use.choices) {
      const auto parameter = chosen_by(all, c, use.path);
      const auto chosen = std::ranges::find(all, parameter, &Use::path);
      if (chosen == all.end()) {
        faults.push_back(use.path + ": depends on " + c.parameter + ", which is no parameter");
        continue;
      }
      for (const auto& value : c.values)
        if (!chosen->names.empty() && std::ranges::find(chosen->names, value) == chosen->names.end())
          faults.push_back(use.path + ": depends on " + parameter + " being " + value + ", which it never is");
    }
  return faults;
}

}  // namespace

std::vector<std::string> parameter_faults(ConstRef defaults) {
  Faults faults;
  add_faults(defaults, "", faults);
  if (!faults.empty()) return faults;
  const auto written = write(defaults);
  faults = choice_faults(uses_of(*defaults.type));
  if (!faults.empty()) return faults;
  Problems problems;
  read(Object(defaults.type).ref(), written, "", problems);
  return problems.sentences();
}

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
