// SPDX-License-Identifier: MIT
#include "platforms/kit/type.h"

#include "platforms/kit/type_of.h"

namespace sunstar::kit {

const Param& Member::rule() const {
  if (!param) throw std::logic_error("parameters() leaves out the described member " + name);
  return *param;
}

const Figure& Member::rule_of_figure() const {
  if (!figure) throw std::logic_error("figures() leaves out the described member " + name);
  return *figure;
}

Type::Type(Form of, std::shared_ptr<void> (*maker)(), void (*assigner)(void*, const void*))
    : form(std::move(of)), make(maker), assign(assigner) {}

const Type* Type::element() const {
  if (const auto* list = if_is<ListForm>()) return list->element;
  if (const auto* map = if_is<MapForm>()) return map->element;
  if (const auto* optional = if_is<OptionalForm>()) return optional->value;
  return nullptr;
}

namespace detail {

std::vector<std::string> enumerator_texts(std::span<const char* const> names) {
  std::vector<std::string> texts(names.begin(), names.end());
  for (std::string& text : texts) {
    if (text.ends_with('_')) text.pop_back();
    std::ranges::replace(text, '_', '-');
  }
  return texts;
}

SectionForm section_of(std::span<const MemberEntry> members, std::span<const BaseEntry> bases, std::size_t own) {
  SectionForm form;
  form.inherited = members.size() - own;
  form.members.reserve(members.size());
  for (const MemberEntry& m : members) form.members.push_back({m.name, &m.type(), m.of});
  for (const BaseEntry& b : bases) {
    const auto& base = b.type().as<SectionForm>();
    form.bases.push_back({&b.type(), b.of});
    form.params.insert(form.params.end(), base.params.begin(), base.params.end());
    form.figures.insert(form.figures.end(), base.figures.begin(), base.figures.end());
  }
  return form;
}

namespace {

/// A struct may replace the declaration of a base's member.
void add(auto& inherited, const auto& own) {
  for (const auto& rule : own) {
    const auto found = std::ranges::find_if(inherited, [&](const auto& r) { return r.name == rule.name; });
    if (found != inherited.end()) *found = rule;
    else inherited.push_back(rule);
  }
}

}  // namespace

void declare(SectionForm& form, const std::vector<Param>& own) { add(form.params, own); }
void declare(SectionForm& form, const std::vector<Figure>& own) { add(form.figures, own); }

void link(SectionForm& form) {
  const auto declaration = [](const auto& rules, const Member& m) {
    const auto found = std::ranges::find(rules, m.name, [](const auto& rule) { return std::string_view(rule.name); });
    return found == rules.end() ? nullptr : &*found;
  };
  for (Member& m : form.members) {
    m.param = declaration(form.params, m);
    m.figure = declaration(form.figures, m);
  }
}

}  // namespace detail

std::vector<std::string> names_of(const std::vector<Member>& members) { return mapped(members, &Member::name); }

const Member* find_member(const std::vector<Member>& members, std::string_view name) {
  const auto found = std::ranges::find(members, name, &Member::name);
  return found == members.end() ? nullptr : &*found;
}

std::vector<std::string> kind_names(const ChoiceForm& form) { return mapped(form.alternatives, &Alternative::kind); }

bool choose(const ChoiceForm& form, void* choice, std::string_view kind) {
  const auto found = std::ranges::find(form.alternatives, kind, &Alternative::kind);
  if (found == form.alternatives.end()) return false;
  form.choose(choice, static_cast<std::size_t>(found - form.alternatives.begin()));
  return true;
}

std::vector<std::string> kinds_with(const ChoiceForm& form, std::string_view key) {
  std::vector<std::string> kinds;
  for (const Alternative& a : form.alternatives)
    if (find_member(members_of(*a.type), key)) kinds.push_back(a.kind);
  return kinds;
}

std::vector<KeyOfAlternatives> keys_of_alternatives(const ChoiceForm& form) {
  std::vector<KeyOfAlternatives> keys;
  for (const Alternative& a : form.alternatives)
    for (const Member& m : members_of(*a.type))
      if (std::ranges::none_of(keys, [&](const auto& k) { return k.member->name == m.name; })) keys.push_back({&a, &m});
  return keys;
}

std::vector<std::string> key_names(const SectionForm& section) {
  std::vector<std::string> names;
  for (const Member& m : section.members) {
    names.push_back(m.name);
    if (const auto* choice = m.type->if_is<ChoiceForm>())
      for (const auto& key : keys_of_alternatives(*choice)) names.push_back(key.member->name);
  }
  return names;
}

std::vector<std::string> chosen_key_names(ConstRef section) {
  std::vector<std::string> names;
  for (const Member& m : members_of(*section.type)) {
    names.push_back(m.name);
    if (const auto* choice = m.type->if_is<ChoiceForm>())
      for (const Member& key : members_of(*chosen(*choice, m.in(section).at).type)) names.push_back(key.name);
  }
  return names;
}

}  // namespace sunstar::kit
