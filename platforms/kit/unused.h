// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/core/catalogue.h"
#include "platforms/kit/json_write.h"
#include "platforms/kit/settings.h"

// Parameters that a run does not use, since they belong to another kind of it: each declares on which choices its use
// depends (Param::used_if). One that is set all the same is no mistake, for one configuration is often swept over
// several kinds, but is told.
namespace sunstar::kit {

/// A parameter or section and what its use depends on.
struct Use {
  std::string path;
  std::vector<Choice> choices;     ///< it is used if one of them holds, or if there are none
  std::vector<std::string> names;  ///< values that there are, if they have names
  bool is_group = false;           ///< a section whose parameters follow, each by itself
};

/// All of T, sections before their parts. A section of the catalogue is one thing.
template <Described T>
void add_uses(const std::string& path, std::vector<Use>& uses) {
  for_each_member<T>([&](const char* name, auto member) {
    using Member = std::remove_cvref_t<decltype(std::declval<T&>().*member)>;
    const Param& rule = parameter_of<T>(name);
    Use use{json_path(path, name), rule.choices, rule.allowed};
    if constexpr (std::same_as<Member, bool>) use.names = {"false", "true"};
    if constexpr (DescribedEnum<Member>) use.names = enumerator_names<Member>();
    if constexpr (Described<Member>) use.is_group = catalogue_of<Member>::noun.empty();
    const bool is_group = use.is_group;
    const std::string here = use.path;
    uses.push_back(std::move(use));
    if constexpr (Described<Member>)
      if (is_group) add_uses<Member>(here, uses);
  });
}
template <Described T>
std::vector<Use> uses_of() {
  std::vector<Use> uses;
  add_uses<T>("", uses);
  return uses;
}

/// Choices that do not exist, or never hold.
std::vector<std::string> choice_faults(const std::vector<Use>& uses, const json::value& config);

/// What is set and not used, a sentence without a full stop for each reason: what an option sets, or has not its
/// default.
std::vector<std::string> unused_settings(const std::vector<Use>& uses, const json::value& config,
                                         const json::value& defaults, const Settings& options);

template <Described T>
std::vector<std::string> unused_settings(const T& config, const Settings& options) {
  return unused_settings(uses_of<T>(), write(config), write(T{}), options);
}

/// The line of help, begun with what the use depends on: "if kind is trace: the file". `beside`: the parameters of the
/// same section.
std::string help_text(const Param&, const std::vector<Param>& beside);

}  // namespace sunstar::kit
