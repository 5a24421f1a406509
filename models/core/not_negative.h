// SPDX-License-Identifier: MIT
#pragma once
#include <boost/mp11.hpp>
#include <concepts>

#include "models/core/param.h"
#include "models/core/problems.h"

namespace sunstar {

/// Adds a problem for each negative duration of a described struct, and of the described structs in it.
template <class Params>
void check_not_negative(const Params& params, const std::string& path, Problems& problems) {
  namespace describe = boost::describe;
  boost::mp11::mp_for_each<describe::describe_members<Params, describe::mod_public>>([&](auto member) {
    const auto& value = params.*member.pointer;
    using Value = std::remove_cvref_t<decltype(value)>;
    const auto here = json_path(path, member.name);
    if constexpr (describe::has_describe_members<Value>::value) check_not_negative(value, here, problems);
    else if constexpr (std::same_as<Value, Duration>)
      if (value < Duration::zero()) problems.add(here, "is negative");
  });
}

}  // namespace sunstar
