// SPDX-License-Identifier: MIT
#include "platforms/kit/unused.h"

#include <algorithm>

#include "models/core/words.h"

namespace sunstar::kit {
namespace {

constexpr std::size_t most_named = 4;  // in one sentence

const json::value* find(const json::value& config, std::string_view path) {
  const json::value* at = &config;
  while (at && !path.empty()) {
    const auto dot = path.find('.');
    const auto* object = at->if_object();
    at = object ? object->if_contains(path.substr(0, dot)) : nullptr;
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  return at;
}

std::string text_of(const json::value& v) {
  if (const auto* text = v.if_string()) return std::string(*text);
  return v.is_double() ? number_text(v.get_double()) : json::serialize(v);
}

std::string holds_if(const std::string& parameter, const Choice& c) {
  return parameter + (c.other_than ? " is not " : " is ") + listed(c.values, "or", false);
}

std::string condition(const Param& rule, const std::vector<Param>& beside) {
  std::string all;
  for (const Choice& c : rule.choices) {
    all += (all.empty() ? "" : " or ") + holds_if(c.parameter, c);
    if (const auto chosen = std::ranges::find(beside, c.parameter, &Param::name);
        chosen != beside.end() && !chosen->choices.empty())
      all += " and " + condition(*chosen, beside);
  }
  return all;
}

class Uses {
 public:
  Uses(const std::vector<Use>& all, const json::value& config) : all_(all), config_(config) {}

  /// The parameter that a choice of the one at `path` names: beside it, or beside a section around it. Empty if there
  /// is none.
  std::string chosen_by(const Choice& choice, std::string path) const {
    while (!path.empty()) {
      const auto dot = path.rfind('.');
      path.resize(dot == std::string::npos ? 0 : dot);
      const auto parameter = json_path(path, choice.parameter);
      if (find(config_, parameter)) return parameter;
    }
    return "";
  }

  /// Why the parameter at `path` is not used: it, or the outermost section around it, none of whose choices holds. Null
  /// if it is used.
  const Use* obstacle(const std::string& path) const {
    for (const Use& use : all_)
      if (!use.choices.empty() && is_within(path, use.path) &&
          std::ranges::none_of(use.choices, [&](const Choice& c) { return holds(c, use.path); }))
        return &use;
    return nullptr;
  }

  /// What would have to be otherwise.
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
    return (std::ranges::find(c.values, text_of(*find(config_, parameter))) == c.values.end()) == c.other_than;
  }
  bool holds(const Choice& c, const std::string& path) const {
    const auto parameter = chosen_by(c, path);
    return !obstacle(parameter) && matches(c, parameter);
  }

  const std::vector<Use>& all_;
  const json::value& config_;
};

}  // namespace

std::vector<std::string> choice_faults(const std::vector<Use>& all, const json::value& config) {
  const Uses uses(all, config);
  std::vector<std::string> faults;
  for (const Use& use : all)
    for (const Choice& c : use.choices) {
      const auto parameter = uses.chosen_by(c, use.path);
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

std::vector<std::string> unused_settings(const std::vector<Use>& all, const json::value& config,
                                         const json::value& defaults, const Settings& options) {
  const Uses uses(all, config);
  std::vector<std::pair<std::string, std::vector<std::string>>> unused;  // by what would have to be so
  for (const Use& use : all) {
    const auto& value = *find(config, use.path);
    if (use.is_group || (value == *find(defaults, use.path) && !options.concern(use.path))) continue;
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
                        (one ? "it is" : "they are") + " if " + wanted);
  }
  return sentences;
}

std::string help_text(const Param& rule, const std::vector<Param>& beside) {
  return rule.choices.empty() ? rule.help : "if " + condition(rule, beside) + ": " + rule.help;
}

}  // namespace sunstar::kit
