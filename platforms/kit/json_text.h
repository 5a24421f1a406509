// SPDX-License-Identifier: MIT
#pragma once
#include <boost/json.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "models/core/problems.h"

// JSON as text. Reading is stricter than the standard (a key twice in one object is an error) and exact: a number
// becomes the nearest double. Printing is for people: indented, short lists on one line, shortest exact numbers.
namespace sunstar::kit {

namespace json = boost::json;

/// Parses `text`, which came from `file`. Adds errors to the problems, with line and column.
std::optional<json::value> parse_json(std::string_view text, const std::string& file, Problems&);
/// The same without a reason if it fails, for values on the command line.
std::optional<json::value> parse_json(std::string_view text);
/// Reads and parses a file; a file that is missing or unreadable is a problem too.
std::optional<json::value> read_json_file(const std::filesystem::path&, Problems&);

/// Indented text that ends in a newline.
std::string pretty(const json::value&);
/// The shortest text that reads back as the same double; "null" if it is not finite.
std::string number_text(double);
/// For people: rounded to five significant digits.
std::string short_number_text(double);
/// As std::printf() would print it: "%.1f".
std::string formatted(const char* format, double);

}  // namespace sunstar::kit
