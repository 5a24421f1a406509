// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "models/core/words.h"
#include "platforms/kit/json_read.h"
#include "platforms/kit/unused.h"

// The reference table of a configuration's parameters, from their declaration, and a check of that declaration for
// tests.
namespace sunstar::kit {

struct ParameterRow {
  std::string path, type, preset, range, help;
  bool operator==(const ParameterRow&) const = default;
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

/// "what heats it (gas: a flame under the kettle; mains: a coil inside it)"
template <TaggedChoice C>
std::string help_of_choice(const std::string& help) {
  std::string kinds;
  for_each_alternative<C>([&]<class A>(std::type_identity<A>) {
    kinds += (kinds.empty() ? "" : "; ") + std::string(A::kind) + ": " + std::string(A::help);
  });
  return help + " (" + kinds + ")";
}

template <Described T>
void add_rows(const T& preset, const std::string& path, std::vector<ParameterRow>& rows);

/// One parameter and its parts.
template <class Member>
void add_row(const Member& value, const std::string& here, const Param& rule, const std::string& help,
             std::vector<ParameterRow>& rows) {
  rows.push_back({here, type_text<Member>(), "", range_of<Member>(rule), help});
  if constexpr (Described<Member>) {
    add_rows(value, here, rows);
  } else {
    rows.back().preset = preset_text(write(value));
    if constexpr (List<Member> || Optional<Member>) {
      using Element = typename Member::value_type;
      // A section that starts from another one needs no rows of its own.
      if constexpr (Described<Element>)
        if (rule.starts_from.empty()) add_rows(Element{}, here + (List<Member> ? ".<n>" : ""), rows);
    } else if constexpr (Map<Member>) {
      if constexpr (Described<typename Member::mapped_type>)
        add_rows(typename Member::mapped_type{}, here + ".<name>", rows);
    }
  }
}

/// Adds the tag's row, then the rows of its kinds. A key that several kinds share has one row if they describe it
/// alike.
template <TaggedChoice C>
void add_choice_rows(const C& choice, const char* tag, const std::string& path, const Param& rule,
                     const std::vector<Param>& beside, std::vector<ParameterRow>& rows) {
  rows.push_back({json_path(path, tag), "name", in_quotes(choice.kind_name()), listed(C::kind_names(), "or", false),
                  help_of_choice<C>(help_text(rule, beside))});
  struct Key {
    std::vector<ParameterRow> rows;
    std::string name;
    Param rule;
    std::vector<Param> beside;
    std::vector<std::string> kinds;
  };
  std::vector<Key> keys;
  choice.for_each([&]<class A>(const A& alternative, bool) {
    for_each_member<A>([&](const char* name, auto member) {
      const auto& own = parameter_of<A>(name);
      Key key{{}, name, own, parameters_of<A>(), {std::string(A::kind)}};
      key.beside.insert(key.beside.end(), beside.begin(), beside.end());
      add_row(alternative.*member, json_path(path, name), own, own.help, key.rows);
      const auto same = std::find_if(keys.begin(), keys.end(), [&](const Key& k) { return k.rows == key.rows; });
      if (same == keys.end()) keys.push_back(std::move(key));
      else same->kinds.push_back(std::string(A::kind));
    });
  });
  for (auto& key : keys) {
    const Choice kind{tag, key.kinds};
    key.rows.front().help = help_text(key.rule, key.beside, &kind);
    rows.insert(rows.end(), key.rows.begin(), key.rows.end());
  }
}

template <Described T>
void add_rows(const T& preset, const std::string& path, std::vector<ParameterRow>& rows) {
  for_each_member<T>([&](const char* name, auto member) {
    const auto& rule = parameter_of<T>(name);
    if constexpr (TaggedChoice<member_type_t<decltype(member)>>)
      add_choice_rows(preset.*member, name, path, rule, parameters_of<T>(), rows);
    else add_row(preset.*member, json_path(path, name), rule, help_text(rule, parameters_of<T>()), rows);
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
void add_faults(const T& preset, const std::string& path, std::vector<std::string>& faults);

template <TaggedChoice C>
void add_choice_faults(const C& choice, const std::vector<std::string>& beside, const std::string& tag,
                       const std::string& path, std::vector<std::string>& faults) {
  auto kinds = C::kind_names();
  std::sort(kinds.begin(), kinds.end());
  if (const auto twice = std::adjacent_find(kinds.begin(), kinds.end()); twice != kinds.end())
    faults.push_back(tag + ": two alternatives are called " + *twice);
  choice.for_each([&]<class A>(const A& alternative, bool) {
    if (std::string_view(A::help).empty())
      faults.push_back(tag + ": " + std::string(A::kind) + " is without a line of help");
    for (const auto& key : member_names<A>())
      if (std::find(beside.begin(), beside.end(), key) != beside.end())
        faults.push_back(json_path(path, key) + ": a key of " + std::string(A::kind) + " and of the section around it");
    const auto count = faults.size();
    add_faults(alternative, path, faults);
    if (faults.size() > count) return;
    // An alternative's defaults must pass as a configuration. Rules across members are not run: they may need more than
    // defaults.
    Problems problems;
    Reader reader(problems, nullptr, {}, default_catalogue());
    A again{};
    const auto written = write(alternative);
    read_members(again, written.get_object(), path, reader);
    faults.insert(faults.end(), problems.sentences().begin(), problems.sentences().end());
  });
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
    if constexpr (TaggedChoice<Member>) add_choice_faults(preset.*member, names, here, path, faults);
    else if constexpr (Described<Member>) add_faults(preset.*member, here, faults);
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
