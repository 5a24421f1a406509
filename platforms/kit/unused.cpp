// SPDX-License-Identifier: MIT
#include "platforms/kit/unused.h"

namespace sunstar::kit {
namespace {

constexpr std::size_t most_named = 4;  // in one sentence

/// The value at `path`, or nothing.
template <class Value>
Value* find(Value& config, std::string_view path) {
  std::string pointer(path.empty() ? "" : "/");
  std::ranges::replace_copy(path, std::back_inserter(pointer), '.', '/');
  boost::system::error_code nothing;
  return config.find_pointer(pointer, nothing);
}

/// Puts `value` at `path`; does nothing if there is no section there.
void put(json::value& config, std::string_view path, const json::value& value) {
  const auto dot = path.rfind('.');
  json::value* const section = find(config, path.substr(0, dot == path.npos ? 0 : dot));
  if (section && section->is_object()) section->get_object()[path.substr(dot + 1)] = value;
}

std::string text_of(const json::value& v) {
  if (const auto* text = v.if_string()) return std::string(*text);
  return v.is_double() ? number_text(v.get_double()) : json::serialize(v);
}

std::string holds_if(const std::string& parameter, const Choice& c) {
  std::vector<std::string> values = c.values;
  for (std::string& value : values)
    if (value.empty() || value == "[]") value = "empty";
  return parameter + (c.other_than ? " is not " : " is ") + listed(values, "or", false);
}

std::string condition(const Param& rule, const std::vector<Param>& beside) {
  std::string all;
  for (const Choice& c : rule.choices) {
    all += (all.empty() ? "" : " or ") + holds_if(c.parameter, c);
    if (const auto chosen = std::ranges::find_if(beside, [&](const Param& p) { return p.name == c.parameter; });
        chosen != beside.end() && !chosen->choices.empty())
      all += " and " + condition(*chosen, beside);
  }
  return all;
}

void add_uses(const Type& section, const std::string& path, std::vector<Use>& uses);

/// One of the choices must hold, if `binds` does.
struct Condition {
  std::vector<Choice> choices;
  std::optional<Choice> binds;
};

/// Adds one parameter and its parts. All conditions must hold.
void add_use(const Member& m, const std::string& path, const std::vector<Condition>& conditions,
             std::vector<Use>& uses) {
  const auto* section = m.type->if_is<SectionForm>();
  const bool is_group = section && section->noun.empty();
  Use use{path, {}, m.rule().allowed, is_group};
  if (m.type->is<BooleanForm>()) use.names = {"false", "true"};
  if (const auto* names = m.type->if_is<EnumForm>()) use.names = names->names;
  for (const Condition& condition : conditions) {
    use.choices = condition.choices;
    use.binds = condition.binds;
    uses.push_back(use);
    use = {path, {}, {}, is_group, true};
  }
  if (is_group) add_uses(*m.type, path, uses);
}

/// The conditions of a key that some alternatives of a choice have: one of these is chosen, and its rule holds.
std::vector<Condition> conditions_of(const std::string& key, const std::string& tag, const ChoiceForm& form) {
  std::vector<std::pair<std::vector<Choice>, std::vector<std::string>>> rules;  // with the kinds that have them
  for (const Alternative& a : form.alternatives) {
    const Member* own = find_member(members_of(*a.type), key);
    if (!own || own->rule().choices.empty()) continue;
    const auto same = std::ranges::find(rules, own->rule().choices, [](const auto& r) { return r.first; });
    if (same != rules.end()) same->second.push_back(a.kind);
    else rules.push_back({own->rule().choices, {a.kind}});
  }
  const auto kinds = kinds_with(form, key);
  std::vector<Condition> conditions{{{{tag, kinds}}, {}}};
  for (auto& [rule, of] : rules) {
    std::optional<Choice> binds;
    if (of.size() < kinds.size()) binds = Choice{tag, of};
    conditions.push_back({rule, binds});
  }
  return conditions;
}

/// Adds the names that a key may have in any of the alternatives.
void add_names(const ChoiceForm& form, const std::string& key, std::vector<std::string>& names) {
  for (const Alternative& a : form.alternatives) {
    const Member* own = find_member(members_of(*a.type), key);
    const auto* others = own ? own->type->if_is<EnumForm>() : nullptr;
    if (!others) continue;
    for (const auto& name : others->names)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

void add_uses(const Type& section, const std::string& path, std::vector<Use>& uses) {
  for (const Member& m : members_of(section)) {
    if (const auto* choice = m.type->if_is<ChoiceForm>()) {
      uses.push_back({json_path(path, m.name), m.rule().choices, kind_names(*choice)});
      for (const auto& key : keys_of_alternatives(*choice)) {
        const std::size_t first = uses.size();
        add_use(*key.member, json_path(path, key.member->name), conditions_of(key.member->name, m.name, *choice), uses);
        add_names(*choice, key.member->name, uses[first].names);
      }
    } else {
      add_use(m, json_path(path, m.name), {{m.rule().choices, {}}}, uses);
    }
  }
}

/// The defaults that a configuration of the same kinds would have.
json::object defaults_like(ConstRef config, Ref preset) {
  json::object all;
  for (const Member& m : members_of(*config.type)) {
    const auto value = m.in(config);
    const auto of_preset = m.in(preset);
    if (const auto* choice = m.type->if_is<ChoiceForm>()) {
      choice->choose(of_preset.at, choice->chosen(value.at));
      all[m.name] = json::value(chosen(*choice, value.at).kind);
      for (auto& [key, of_kind] : defaults_like(chosen_ref(*choice, value.at), chosen_ref(*choice, of_preset.at)))
        all[key] = std::move(of_kind);
    } else if (m.type->is<SectionForm>()) {
      all[m.name] = defaults_like(value, of_preset);
    } else {
      all[m.name] = write(of_preset);
    }
  }
  return all;
}

/// Puts the keys of other kinds back in their places, so that warnings can name them.
void add_foreign_keys(const std::vector<ForeignKey>& foreign, std::vector<Use>& uses, json::value& config,
                      json::value& defaults) {
  for (const ForeignKey& key : foreign) {
    put(config, key.path, key.value);
    put(defaults, key.path, key.preset);
    if (std::ranges::find(uses, key.path, &Use::path) != uses.end()) continue;
    // The key is inside a list, whose elements have no uses of their own.
    const auto dot = key.tag.rfind('.');
    uses.push_back({key.tag, {}, {}});
    uses.push_back({key.path, {{dot == std::string::npos ? key.tag : key.tag.substr(dot + 1), key.kinds}}, {}});
  }
}

class Uses {
 public:
  Uses(const std::vector<Use>& all, const json::value& config) : all_(all), config_(config) {}

  /// The parameter that the choice of the parameter at `path` names: beside it, or beside a section around it. Empty if
  /// there is none.
  std::string chosen_by(const Choice& choice, std::string path) const {
    while (!path.empty()) {
      const auto dot = path.rfind('.');
      path.resize(dot == std::string::npos ? 0 : dot);
      auto parameter = json_path(path, choice.parameter);
      if (std::ranges::find(all_, parameter, &Use::path) != all_.end()) return parameter;
    }
    return "";
  }

  /// The reason why the parameter at `path` is not used: itself, or the outermost section around it, without a choice
  /// that holds. Null if it is used.
  const Use* obstacle(const std::string& path) const {
    for (const Use& use : all_)
      if (!use.choices.empty() && is_within(path, use.path) && (!use.binds || holds(*use.binds, use.path)) &&
          std::ranges::none_of(use.choices, [&](const Choice& c) { return holds(c, use.path); }))
        return &use;
    return nullptr;
  }

  /// The change after which the run would use the parameter.
  std::string wanted(const Use& use) const {
    std::string all;
    for (const Choice& c : use.choices) {
      const auto parameter = chosen_by(c, use.path);
      const Use* before = obstacle(parameter);
      const bool chosen = matches(c, parameter);
      all += (all.empty() ? "" : " or ") + (chosen ? "" : holds_if(parameter, c)) + (before && !chosen ? " and " : "") +
             (before ? wanted(*before) : "");
    }
    return all;
  }

 private:
  bool matches(const Choice& c, const std::string& parameter) const {
    const auto* value = find(config_, parameter);
    return value && (std::ranges::find(c.values, text_of(*value)) == c.values.end()) == c.other_than;
  }
  bool holds(const Choice& c, const std::string& path) const {
    const auto parameter = chosen_by(c, path);
    return !obstacle(parameter) && matches(c, parameter);
  }

  const std::vector<Use>& all_;
  const json::value& config_;
};

}  // namespace

std::vector<Use> uses_of(const Type& section) {
  std::vector<Use> uses;
  add_uses(section, "", uses);
  return uses;
}

std::vector<std::string> unused_settings(ConstRef config, ConstRef base, const Settings& options,
                                         const std::vector<ForeignKey>& foreign) {
  auto all = uses_of(*config.type);
  json::value written = write(config), defaults = defaults_like(config, Object(base).ref());
  add_foreign_keys(foreign, all, written, defaults);
  const Uses uses(all, written);
  std::vector<std::pair<std::string, std::vector<std::string>>> unused;  // by the condition that would use them
  for (const Use& use : all) {
    const auto* set = find(written, use.path);
    if (use.is_group || use.is_repeated || !set) continue;
    const auto& value = *set;
    const auto* preset = find(defaults, use.path);
    if (preset && value == *preset && !options.concern(use.path)) continue;
    const Use* why = uses.obstacle(use.path);
    if (!why) continue;
    const auto wanted = uses.wanted(*why);
    auto group = std::ranges::find(unused, wanted, [](const auto& g) { return g.first; });
    if (group == unused.end()) group = unused.insert(group, {wanted, {}});
    group->second.push_back(use.path + (value.is_array() || value.is_object() ? "" : " (" + text_of(value) + ")"));
  }
  std::vector<std::string> sentences;
  for (auto& [wanted, paths] : unused) {
    const bool one = paths.size() == 1;
    if (const auto n = paths.size(); n > most_named + 1) {
      paths.resize(most_named);
      paths.push_back(std::to_string(n - most_named) + " more");
    }
    sentences.push_back(listed(paths, "and", false) + (one ? " is" : " are") + " not used in this run; " +
                        (one ? "it is" : "they are") + " used if " + wanted);
  }
  return sentences;
}

std::string help_text(const Param& rule, const std::vector<Param>& beside, const Choice* kind) {
  const auto of_kind = kind ? holds_if(kind->parameter, *kind) : "";
  const auto own = rule.choices.empty() ? "" : condition(rule, beside);
  if (of_kind.empty() && own.empty()) return rule.help.text();
  return "if " + of_kind + (of_kind.empty() || own.empty() ? "" : " and ") + own + ": " + rule.help.text();
}

}  // namespace sunstar::kit
