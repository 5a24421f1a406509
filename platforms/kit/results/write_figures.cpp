// SPDX-License-Identifier: MIT
#include "platforms/kit/results/write_figures.h"

namespace sunstar::kit {

json::object write_figures(const NamedFigures& figures) {
  json::object all;
  for (const auto& e : figures.entries()) {
    if (e.is_section) all[e.name] = write_figures(e.section);
    else
      all[e.name] = std::visit(
          [](const auto& v) -> json::value {
            using Value = std::remove_cvref_t<decltype(v)>;
            if constexpr (std::same_as<Value, std::monostate>) return nullptr;
            else if constexpr (std::same_as<Value, std::string>) return json::value(v);
            else return v;
          },
          e.value);
  }
  return all;
}

}  // namespace sunstar::kit
