// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "platforms/kit/json_text.h"

namespace sunstar::kit {
namespace {

constexpr std::size_t most_columns = 100;

bool is_leaf(const json::value& v) { return !v.is_array() && !v.is_object(); }

bool is_list_of_leaves(const json::value& v) {
  return v.is_array() && std::all_of(v.get_array().begin(), v.get_array().end(), is_leaf);
}

/// The text of a value that goes on one line, in pieces between which a line may end.
void pieces(const json::value& v, const std::string& before, const std::string& after,
            std::vector<std::string>& found) {
  const auto* array = v.if_array();
  const auto* object = v.if_object();
  const auto n = array ? array->size() : object ? object->size() : 0;
  std::size_t i = 0;
  const auto item = [&](const json::value& e, const std::string& key) {
    const auto head = i == 0 ? before + (array ? "[" : "{") : "";
    ++i;
    pieces(e, head + key, i == n ? (array ? "]" : "}") + after : ",", found);
  };
  if (n == 0) found.push_back(before + (v.is_double() ? number_text(v.get_double()) : json::serialize(v)) + after);
  else if (array)
    for (const auto& e : *array) item(e, "");
  else
    for (const auto& [key, e] : *object) item(e, json::serialize(json::string(key)) + ": ");
}

/// Adds this text in lines that are as full as they can be.
void fold(const json::value& v, std::size_t indent, std::string& text) {
  std::vector<std::string> found;
  pieces(v, "", "", found);
  auto column = text.size() - (text.rfind('\n') + 1);  // npos + 1 is 0
  bool first = true;
  for (const auto& piece : found) {
    if (!first) {
      const bool fits = column + 1 + piece.size() <= most_columns;
      text += fits ? " " : "\n" + std::string(indent + 1, ' ');
      column = fits ? column + 1 : indent + 1;
    }
    text += piece;
    column += piece.size();
    first = false;
  }
}

/// A list of single values goes on one line if it fits, or else, as the defects of a drive, on few; so does an object
/// of single values and such lists that is an element of a list.
void print(const json::value& v, std::size_t indent, std::string& text, bool element = false) {
  const auto* array = v.if_array();
  const auto* object = v.if_object();
  const auto single = [](const auto& m) { return is_leaf(m.value()) || is_list_of_leaves(m.value()); };
  if (is_leaf(v) || (array && is_list_of_leaves(v)) ||
      (object && (object->empty() || (element && std::all_of(object->begin(), object->end(), single))))) {
    fold(v, indent, text);
    return;
  }
  const std::string inner(indent + 2, ' ');
  text += array ? "[" : "{";
  const char* separator = "\n";
  const auto item = [&](const json::value& e, const std::string& key) {
    text += separator + inner + key;
    print(e, indent + 2, text, array != nullptr);
    separator = ",\n";
  };
  if (array)
    for (const auto& e : *array) item(e, "");
  else
    for (const auto& [key, e] : *object) item(e, json::serialize(json::string(key)) + ": ");
  text += "\n" + std::string(indent, ' ') + (array ? "]" : "}");
}

}  // namespace

std::string number_text(double d) {
  if (!std::isfinite(d)) return "null";
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, d).ptr};
}

std::string short_number_text(double d) { return number_text(std::strtod(formatted("%.4e", d).c_str(), nullptr)); }

std::string formatted(const char* format, double d) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, format, d);
  return buffer;
}

std::string pretty(const json::value& v) {
  std::string text;
  print(v, 0, text);
  return text + "\n";
}

}  // namespace sunstar::kit
