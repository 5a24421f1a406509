// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/type_of.h"

// The reference table of a configuration's parameters, from their declaration.
namespace sunstar::kit {

struct ParameterRow {
  std::string path, type, preset, range, help;
  bool operator==(const ParameterRow&) const = default;
};

/// All parameters with their full paths, from a configuration that has its defaults; elements of lists are
/// "nodes.<n>.role".
std::vector<ParameterRow> parameter_rows(ConstRef defaults);

/// A Markdown table of the rows, with a heading line.
std::string markdown(const std::vector<ParameterRow>&);

/// The type's name in the table: "whole number", "list: name".
std::string type_text(const Type&);
/// "what heats it (gas: a flame under the kettle; mains: a coil inside it)"
std::string help_of_choice(const ChoiceForm&, const std::string& help);

}  // namespace sunstar::kit
