// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <limits>
#include <string>

#include "models/core/catalogue.h"
#include "models/core/words.h"
#include "platforms/kit/json_write.h"
#include "platforms/kit/kinds.h"
#include "platforms/kit/reader.h"

// Strict reading of JSON into described structs. What JSON leaves out keeps its default; whatever is wrong is added to
// the Reader's Problems, and reading goes on. Cycles are plain numbers, quantities are strings with a unit, enums and
// policies are names. A section may be an object, the path of a file that holds the object or, if its type has one, a
// name in the catalogue. The tag of a choice is read first, wherever it stands.
namespace sunstar::kit {

template <class T>
void read_into(T& into, const json::value&, const std::string& path, const Param& rule, Reader&);

namespace detail {

template <class T>
void check_range(const T& value, const std::string& path, const Param& rule, Reader& r) {
  T limit{};
  const bool low = !rule.min.empty() && from_notation(rule.min, limit) && value < limit;
  const bool high = !rule.max.empty() && from_notation(rule.max, limit) && limit < value;
  if (!low && !high) return;
  const auto shown = write(value);
  r.out_of_range(path, shown.is_double() ? number_text(shown.get_double()) : json::serialize(shown), rule.min,
                 rule.max);
}

template <Integer T>
bool read_number(T& into, const json::value& v, const std::string& path, const Param& rule, Reader& r) {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>) {
    const auto n = r.read_signed(v, path, Limits::min(), Limits::max(), rule);
    if (n) into = static_cast<T>(*n);
    return n.has_value();
  } else {
    const auto n = r.read_unsigned(v, path, Limits::max(), rule);
    if (n) into = static_cast<T>(*n);
    return n.has_value();
  }
}

template <Quantity T>
bool read_quantity(T& into, const json::value& v, const std::string& path, Reader& r) {
  const auto& n = notation<T>();
  const auto wanted = n.noun + " with its unit, such as \"" + n.example + "\"";
  const auto* text = v.if_string();
  if (!text) {
    std::string units;
    for (const auto& u : n.units) units += (units.empty() ? "" : ", ") + u;
    r.wrong_type(path, v, wanted + " (units: " + units + ")");
    return false;
  }
  const auto why = parse(*text, into);
  if (!why.empty()) r.bad_quantity(path, *text, why);
  return why.empty();
}

template <List T>
void read_list(T& into, const json::value& v, const std::string& path, const Param& rule, Reader& r) {
  // --set nodes.3.role=io onto a list that the file leaves out arrives as an object; it changes the default list.
  if (const auto* object = v.if_object(); object && r.problems.comes_from_option(path)) {
    for (const auto& [key, value] : *object) {
      std::size_t i = into.size();
      if (!from_notation(std::string(key), i) || i >= into.size())
        r.problems.add(json_path(path, key),
                       "does not exist; " + path + " has " + std::to_string(into.size()) + " elements, counted from 0");
      else read_into(into[i], value, json_path(path, key), rule, r);
    }
    return;
  }
  const auto* array = v.if_array();
  if (!array) return r.wrong_type(path, v, "an array");
  if constexpr (is_fixed_list<T>) {
    if (array->size() != into.size())
      return r.problems.add(path, "has " + std::to_string(array->size()) +
                                      (array->size() == 1 ? " element" : " elements") + "; it must have " +
                                      std::to_string(into.size()));
  } else {
    into.assign(array->size(), typename T::value_type{});
  }
  for (std::size_t i = 0; i < array->size(); ++i) {
    if constexpr (std::same_as<typename T::value_type, bool>) {
      bool element = false;
      read_into(element, (*array)[i], json_path(path, std::to_string(i)), rule, r);
      into[i] = element;
    } else {
      read_into(into[i], (*array)[i], json_path(path, std::to_string(i)), rule, r);
    }
  }
}

/// Chooses the alternative that the tag names.
template <TaggedChoice C>
void read_tag(C& into, const json::object& object, const char* tag, const std::string& path, Reader& r) {
  const auto* value = object.if_contains(tag);
  if (!value) return;
  const auto here = json_path(path, tag);
  const auto* text = value->if_string();
  if (!text) r.wrong_type(here, *value, "a name, such as " + in_quotes(into.kind_name()));
  else if (!into.choose(*text)) r.not_allowed(here, *text, C::kind_names());
}

template <TaggedChoice C>
void read_foreign_keys(const C& choice, const json::object& object, const std::string& tag, const std::string& path,
                       Reader& r);

template <Described T>
void read_members(T& into, const json::object& object, const std::string& path, Reader& r) {
  for_each_member<T>([&](const char* name, auto member) {
    const auto here = json_path(path, name);
    using Member = member_type_t<decltype(member)>;
    if constexpr (TaggedChoice<Member>) {
      (into.*member).visit([&](auto& chosen) { read_members(chosen, object, path, r); });
      read_foreign_keys(into.*member, object, here, path, r);
    } else {
      if (const auto* value = object.if_contains(name)) read_into(into.*member, *value, here, parameter_of<T>(name), r);
      if constexpr (Described<Member>) r.keep(here, into.*member);
    }
  });
}

/// Reads the keys that only alternatives other than the chosen one have.
template <TaggedChoice C>
void read_foreign_keys(const C& choice, const json::object& object, const std::string& tag, const std::string& path,
                       Reader& r) {
  for_each_key_of_alternatives<C>([&]<class A>(const char* name, auto member, std::type_identity<A>) {
    const auto* value = object.if_contains(name);
    if (!value) return;
    const auto kinds = kinds_with<C>(name);
    if (std::find(kinds.begin(), kinds.end(), choice.kind_name()) != kinds.end()) return;
    A other{};
    const auto preset = write(other.*member);
    read_into(other.*member, *value, json_path(path, name), parameter_of<A>(name), r);
    r.foreign.push_back({json_path(path, name), write(other.*member), preset, tag, kinds});
  });
}

/// Checks the rules that span several members: those of T's bases, those of the chosen alternative, and T's own.
template <Described T>
void run_checks(const T& t, const std::string& path, Problems& problems) {
  for_each_base<T>([&]<class Base>(std::type_identity<Base>) { run_checks<Base>(t, path, problems); });
  boost::mp11::mp_for_each<boost::describe::describe_members<T, boost::describe::mod_public>>([&](auto d) {
    if constexpr (TaggedChoice<member_type_t<decltype(d.pointer)>>)
      (t.*d.pointer).visit([&](const auto& chosen) { run_checks(chosen, path, problems); });
  });
  if constexpr (HasCheck<T>) check(t, path, problems);
}

template <Described T>
void read_section(T& into, const json::value& v, const std::string& path, Reader& r) {
  if (const auto* name = v.if_string()) {
    const auto section = r.open(*name, path, catalogue_of<T>::noun);
    if (!section) return;
    T fresh{};  // a file means the same wherever it is named
    if (section->value.is_object()) read_section(fresh, section->value, path, r);
    else r.problems.add_sentence(section->file.string() + ": the file must hold an object");
    into = std::move(fresh);
    return;
  }
  const auto* object = v.if_object();
  if (!object) return r.wrong_type(path, v, "an object, or a string that names the file that holds it");
  const auto before = r.problems.count();
  for_each_member<T>([&](const char* name, auto member) {
    if constexpr (TaggedChoice<member_type_t<decltype(member)>>) read_tag(into.*member, *object, name, path, r);
  });
  const auto names = key_names<T>();
  for (const auto& [key, value] : *object)
    if (std::find(names.begin(), names.end(), std::string_view(key)) == names.end())
      r.unknown_key(path, key, names, chosen_key_names(into));
  read_members(into, *object, path, r);
  // Rules across members would only repeat, in other words, what is already known to be wrong with one.
  if (r.problems.count() == before) run_checks(into, path, r.problems);
}

}  // namespace detail

template <class T>
void read_into(T& into, const json::value& v, const std::string& path, const Param& rule, Reader& r) {
  if constexpr (std::same_as<T, bool>) {
    if (v.is_bool()) into = v.get_bool();
    else r.wrong_type(path, v, "true or false");
  } else if constexpr (Integer<T>) {
    if (detail::read_number(into, v, path, rule, r)) detail::check_range(into, path, rule, r);
  } else if constexpr (Real<T>) {
    if (!v.is_number()) return r.wrong_type(path, v, "a number");
    if constexpr (std::same_as<T, Cycles>) into.count = v.to_number<double>();
    else into = v.to_number<T>();
    detail::check_range(into, path, rule, r);
  } else if constexpr (Quantity<T>) {
    if (detail::read_quantity(into, v, path, r)) detail::check_range(into, path, rule, r);
  } else if constexpr (DescribedEnum<T>) {
    const auto* text = v.if_string();
    const auto found = text ? enumerator<T>(*text) : std::nullopt;
    if (found) into = *found;
    else if (text) r.not_allowed(path, *text, enumerator_names<T>());
    else r.wrong_type(path, v, "a name, such as \"" + to_text(into) + "\"");
  } else if constexpr (std::same_as<T, std::string>) {
    const auto* text = v.if_string();
    if (!text) return r.wrong_type(path, v, "a string");
    into = *text;
    if (!rule.allowed.empty() && std::find(rule.allowed.begin(), rule.allowed.end(), into) == rule.allowed.end())
      r.not_allowed(path, into, rule.allowed);
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    const auto* text = v.if_string();
    if (!text) return r.wrong_type(path, v, "a string, the path of a file");
    if (*text == "-")
      return r.problems.add(path, "is \"-\"; it must be the path of a file (\"./-\" for a file called -)");
    into = text->empty() ? std::filesystem::path{} : std::filesystem::absolute(r.resolve(path, *text));
  } else if constexpr (Optional<T>) {
    if (v.is_null()) return into.reset();
    if (!into) into = r.preset<typename T::value_type>(rule.starts_from);
    read_into(*into, v, path, rule, r);
  } else if constexpr (List<T>) {
    detail::read_list(into, v, path, rule, r);
  } else if constexpr (Map<T>) {
    const auto* object = v.if_object();
    if (!object) return r.wrong_type(path, v, "an object");
    for (const auto& [key, value] : *object) read_into(into[std::string(key)], value, json_path(path, key), rule, r);
  } else {
    static_assert(Described<T>, "a configuration is made of the kinds of type in platforms/kit/kinds.h");
    detail::read_section(into, v, path, r);
  }
}

/// Reads one value that stands at `path`, without command-line settings; files are relative to the working directory.
template <class T>
T read(const json::value& v, const std::string& path, Problems& problems) {
  T into{};
  Reader reader(problems, nullptr, {}, default_catalogue());
  read_into(into, v, path, Param{}, reader);
  return into;
}

}  // namespace sunstar::kit
