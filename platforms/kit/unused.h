// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/core/catalogue.h"
#include "platforms/kit/json_write.h"
#include "platforms/kit/reader.h"
#include "platforms/kit/settings.h"

// Parameters that a run does not use, because they belong to an alternative of a tagged choice (OneOf) that is not
// chosen, or because their declaration says so (Param::used_if). Setting one is not an error, because one configuration
// is often swept over several kinds, but Sunstar warns about it.
namespace sunstar::kit {

/// A parameter or section and what its use depends on.
struct Use {
  std::string path;
  std::vector<Choice> choices;     ///< it is used if one of them holds, or if there are none
  std::vector<std::string> names;  ///< the parameter's possible values, if they have names
  bool is_group = false;           ///< a section whose parameters follow, each by itself
  bool is_repeated = false;        ///< a further condition on the parameter before it
};

/// Adds all parameters of T, sections before their parts. A section of the catalogue counts as one parameter.
template <Described T>
void add_uses(const std::string& path, std::vector<Use>& uses);

/// Adds one parameter and its parts. Unless `kind` is null, it must hold in addition to the parameter's own rule.
template <class Member>
void add_use(const std::string& path, const Param& rule, const Choice* kind, std::vector<Use>& uses) {
  Use use{path, rule.choices, rule.allowed};
  if constexpr (std::same_as<Member, bool>) use.names = {"false", "true"};
  if constexpr (DescribedEnum<Member>) use.names = enumerator_names<Member>();
  if constexpr (Described<Member>) use.is_group = catalogue_of<Member>::noun.empty();
  const bool is_group = use.is_group;
  if (kind) {
    use.choices = {*kind};
    uses.push_back(use);
    use = {path, rule.choices, {}, is_group, true};
  }
  if (!kind || !rule.choices.empty()) uses.push_back(std::move(use));
  if constexpr (Described<Member>)
    if (is_group) add_uses<Member>(path, uses);
}

template <Described T>
void add_uses(const std::string& path, std::vector<Use>& uses) {
  for_each_member<T>([&](const char* name, auto member) {
    using Member = member_type_t<decltype(member)>;
    const Param& rule = parameter_of<T>(name);
    if constexpr (TaggedChoice<Member>) {
      uses.push_back({json_path(path, name), rule.choices, Member::kind_names()});
      for_each_key_of_alternatives<Member>([&]<class A>(const char* key, auto of_alternative, std::type_identity<A>) {
        const Choice kind{name, kinds_with<Member>(key)};
        add_use<member_type_t<decltype(of_alternative)>>(json_path(path, key), parameter_of<A>(key), &kind, uses);
      });
    } else {
      add_use<Member>(json_path(path, name), rule, nullptr, uses);
    }
  });
}
template <Described T>
std::vector<Use> uses_of() {
  std::vector<Use> uses;
  add_uses<T>("", uses);
  return uses;
}

/// Returns the choices that depend on what does not exist, or that never hold.
std::vector<std::string> choice_faults(const std::vector<Use>& all, const json::value& config);

/// Returns warnings about parameters that are set but not used: for each reason, a sentence without a full stop. A
/// parameter is set if an option sets it, or if a file gives it a value other than its default.
std::vector<std::string> unused_settings(const std::vector<Use>& all, const json::value& config,
                                         const json::value& defaults, const Settings& options);

/// The defaults that a configuration of the same kinds would have.
template <Described T>
json::value defaults_like(const T& config, T preset = {}) {
  json::object all;
  for_each_member<T>([&](const char* name, auto member) {
    using Member = member_type_t<decltype(member)>;
    if constexpr (TaggedChoice<Member>) {
      (preset.*member).choose((config.*member).kind_name());
      all[name] = json::value((preset.*member).kind_name());
      (config.*member).visit([&]<class A>(const A& chosen) {
        const auto keys = defaults_like(chosen, (preset.*member).template as<A>());
        for (const auto& [key, value] : keys.get_object()) all[key] = value;
      });
    } else if constexpr (Described<Member>) {
      all[name] = defaults_like(config.*member, preset.*member);
    } else {
      all[name] = write(preset.*member);
    }
  });
  return all;
}

/// Puts the keys of other kinds back where they stood, so that warnings can name them.
void add_foreign_keys(const std::vector<ForeignKey>& foreign, std::vector<Use>& uses, json::value& config,
                      json::value& defaults);

template <Described T>
std::vector<std::string> unused_settings(const T& config, const Settings& options,
                                         const std::vector<ForeignKey>& foreign = {}) {
  auto uses = uses_of<T>();
  json::value written = write(config), defaults = defaults_like(config);
  add_foreign_keys(foreign, uses, written, defaults);
  return unused_settings(uses, written, defaults, options);
}

/// The line of help, preceded by the condition of its use: "if kind is trace: the file". `beside` are the parameters of
/// the same section. `kind`, unless null, is the first condition.
std::string help_text(const Param&, const std::vector<Param>& beside, const Choice* kind = nullptr);

}  // namespace sunstar::kit
