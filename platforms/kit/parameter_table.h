// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "platforms/kit/json_read.h"
#include "platforms/kit/unused.h"
#include "models/core/words.h"

// The reference table of a configuration's parameters, from their declaration, and a check of that declaration for
// tests.
namespace sunstar::kit {

struct ParameterRow {
  std::string path, type, preset, range, help;
};

/// A Markdown table of the rows, with a heading line.
std::string markdown(const std::vector<ParameterRow>&);

namespace detail {

template <class T>
std::string type_text() {
  if constexpr (std::same_as<T, bool>) return "true, false";
  else if constexpr (Integer<T>) return "whole number";
  else if constexpr (std::same_as<T, Cycles>) return "cycles";
  else if constexpr (Real<T>) return "number";
  else if constexpr (Quantity<T>) return notation<T>().noun.substr(2);
  else if constexpr (std::same_as<T, std::filesystem::path>) return "file";
  else if constexpr (Optional<T>) return type_text<typename T::value_type>() + ", null";
  else if constexpr (List<T>) return "list: " + type_text<typename T::value_type>();
  else if constexpr (Map<T>) return "by name: " + type_text<typename T::mapped_type>();
  else if constexpr (Described<T>)
    return catalogue_of<T>::noun.empty() ? "section" : "section, " + std::string(catalogue_of<T>::noun);
  else return "name";
}

template <class T>
std::string range_of(const Param& rule) {
  if constexpr (DescribedEnum<T>) return listed(enumerator_names<T>(), "or", false);
  else if constexpr (Optional<T> || List<T>) return range_of<typename T::value_type>(rule);
  else return rule.allowed.empty() ? range_text(rule.min, rule.max) : listed(rule.allowed, "or", false);
}

std::string preset_text(const json::value&);

template <Described T>
void add_rows(const T& preset, const std::string& path, std::vector<ParameterRow>& rows) {
  for_each_member<T>([&](const char* name, auto member) {
    const auto& rule = parameter_of<T>(name);
    const auto here = json_path(path, name);
    const auto& value = preset.*member;
    using Member = std::remove_cvref_t<decltype(value)>;
    rows.push_back({here, type_text<Member>(), "", range_of<Member>(rule), help_text(rule, parameters_of<T>())});
    if constexpr (Described<Member>) {
      add_rows(value, here, rows);
    } else {
      rows.back().preset = preset_text(write(value));
      if constexpr (List<Member> || Map<Member> || Optional<Member>) {
        if constexpr (List<Member> || Optional<Member>) {
          using Element = typename Member::value_type;
          // What starts from another section has that section's rows.
          if constexpr (Described<Element>)
            if (rule.starts_from.empty()) add_rows(Element{}, here + (List<Member> ? ".<n>" : ""), rows);
        } else if constexpr (Described<typename Member::mapped_type>) {
          add_rows(typename Member::mapped_type{}, here + ".<name>", rows);
        }
      }
    }
  });
}

template <class T>
void add_limit_faults(const std::string& path, const Param& rule, std::vector<std::string>& faults) {
  if constexpr (Quantity<T> || Integer<T> || Real<T>) {
    T ignored{};
    for (const auto& limit : {rule.min, rule.max})
      if (!limit.empty() && !from_notation(limit, ignored))
        faults.push_back(path + ": the limit " + in_quotes(limit) + " is not " + type_text<T>());
  } else if constexpr (List<T> || Optional<T>) {
    add_limit_faults<typename T::value_type>(path, rule, faults);
  } else if constexpr (Map<T>) {
    add_limit_faults<typename T::mapped_type>(path, rule, faults);
  }
}

template <Described T>
void add_faults(const T& preset, const std::string& path, std::vector<std::string>& faults) {
  const auto names = member_names<T>();
  for (const auto& p : parameters_of<T>())
    if (std::find(names.begin(), names.end(), p.name) == names.end())
      faults.push_back(json_path(path, p.name) + ": declared, but no described member");
  for_each_member<T>([&](const char* name, auto member) {
    const auto& all = parameters_of<T>();
    const auto here = json_path(path, name);
    const auto rule = std::find_if(all.begin(), all.end(), [&](const Param& p) { return p.name == name; });
    if (rule == all.end()) return faults.push_back(here + ": a member that parameters() leaves out");
    using Member = std::remove_cvref_t<decltype(preset.*member)>;
    if (rule->help.empty()) faults.push_back(here + ": without a line of help");
    if (DescribedEnum<Member> && !rule->allowed.empty())
      faults.push_back(here + ": an enum allows its enumerators; do not list them");
    add_limit_faults<Member>(here, *rule, faults);
    if constexpr (Described<Member>) add_faults(preset.*member, here, faults);
    else if constexpr (List<Member> || Optional<Member>) {
      if constexpr (Described<typename Member::value_type>) add_faults(typename Member::value_type{}, here, faults);
    }
  });
}

}  // namespace detail

/// All parameters of T with their full paths; elements of lists are "nodes.<n>.role".
template <Described T>
std::vector<ParameterRow> parameter_rows(const T& defaults = {}) {
  std::vector<ParameterRow> rows;
  detail::add_rows(defaults, "", rows);
  return rows;
}

/// What is wrong with the declaration of T: members without a Param and the reverse, limits that do not fit the type,
/// uses that depend on what does not exist, defaults that would be refused. Every platform's tests require this to be
/// empty.
template <Described T>
std::vector<std::string> declaration_faults(const T& defaults = {}) {
  std::vector<std::string> faults;
  detail::add_faults(defaults, "", faults);
  if (!faults.empty()) return faults;
  faults = choice_faults(uses_of<T>(), write(defaults));
  if (!faults.empty()) return faults;
  Problems problems;
  read<T>(write(defaults), "", problems);
  return problems.sentences();
}

}  // namespace sunstar::kit
