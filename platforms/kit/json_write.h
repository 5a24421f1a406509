// SPDX-License-Identifier: MIT
#pragma once
#include <boost/json.hpp>
#include <string>

#include "platforms/kit/json_text.h"
#include "platforms/kit/kinds.h"

// A configuration as JSON, every key with its value: what --print-config shows and results hold. read<T>(write(t)) ==
// t.
namespace sunstar::kit {

template <class T>
json::value write(const T& t) {
  if constexpr (std::same_as<T, bool>) {
    return t;
  } else if constexpr (Integer<T>) {
    if constexpr (std::is_signed_v<T>) return static_cast<std::int64_t>(t);
    else return static_cast<std::uint64_t>(t);
  } else if constexpr (std::same_as<T, Cycles>) {
    return t.count;
  } else if constexpr (Real<T>) {
    return static_cast<double>(t);
  } else if constexpr (DescribedEnum<T> || Quantity<T>) {
    return json::value(to_text(t));
  } else if constexpr (std::same_as<T, std::string>) {
    return json::value(t);
  } else if constexpr (std::same_as<T, std::filesystem::path>) {
    return json::value(t.string());
  } else if constexpr (Optional<T>) {
    return t ? write(*t) : json::value(nullptr);
  } else if constexpr (List<T>) {
    json::array array;
    for (const auto& e : t) array.push_back(write(e));
    return array;
  } else if constexpr (Map<T>) {
    json::object object;
    for (const auto& [key, e] : t) object[key] = write(e);
    return object;
  } else {
    static_assert(Described<T>, "a configuration is made of the kinds of type in platforms/kit/kinds.h");
    json::object object;
    // A tag comes first, so that a reader knows what follows.
    for_each_member<T>([&](const char* name, auto member) {
      if constexpr (TaggedChoice<member_type_t<decltype(member)>>) object[name] = json::value((t.*member).kind_name());
    });
    for_each_member<T>([&](const char* name, auto member) {
      if constexpr (TaggedChoice<member_type_t<decltype(member)>>) {
        (t.*member).visit([&](const auto& chosen) {
          const auto keys = write(chosen);
          for (const auto& [key, value] : keys.get_object()) object[key] = value;
        });
      } else {
        object[name] = write(t.*member);
      }
    });
    return object;
  }
}

}  // namespace sunstar::kit
