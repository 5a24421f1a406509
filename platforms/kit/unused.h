// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/json_read.h"

// Parameters that a run does not use, because they belong to an alternative of a tagged choice (OneOf) that is not
// chosen, or because their declaration says so (Param::used_if). Setting one is not an error, because one configuration
// is often swept over several kinds, but Sunstar warns about it.
namespace sunstar::kit {

/// A parameter or section, and the conditions of its use.
struct Use {
  std::string path;
  std::vector<Choice> choices;     ///< it is used if one of them holds, or if there are none
  std::vector<std::string> names;  ///< the parameter's possible values, if they have names
  bool is_group = false;           ///< a section whose parameters follow, each by itself
  bool is_repeated = false;        ///< a further condition on the parameter before it
  std::optional<Choice> binds{};   ///< if not empty: the condition matters only if this holds
};

/// All parameters of a section, sections before their parts. A section of the catalogue counts as one parameter.
std::vector<Use> uses_of(const Type& section);

/// Returns warnings about parameters that are set but not used: for each reason, a sentence without a full stop. A
/// parameter is set if an option sets it, or if a file gives it a value other than its default. Some keys of the
/// configuration may belong to kinds that it has not chosen. `base`: the configuration before it was read.
std::vector<std::string> unused_settings(ConstRef config, ConstRef base, const Settings& options,
                                         const std::vector<ForeignKey>& foreign);

/// The line of help, preceded by the condition of its use: "if kind is trace: the file". `beside` are the parameters of
/// the same section. `kind`, unless null, is the first condition.
std::string help_text(const Param&, const std::vector<Param>& beside, const Choice* kind = nullptr);

}  // namespace sunstar::kit
