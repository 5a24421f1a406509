// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "platforms/kit/json_text.h"

namespace sunstar::kit {
namespace {

std::string line(const json::value& v) {
  if (v.is_double()) return number_text(v.get_double());
  if (const auto* array = v.if_array()) {
    std::string text = "[";
    for (const auto& e : *array) text += (text.size() > 1 ? ", " : "") + line(e);
    return text + "]";
  }
  if (const auto* object = v.if_object()) {
    std::string text = "{";
    for (const auto& [key, e] : *object)
      text += (text.size() > 1 ? ", " : "") + json::serialize(json::string(key)) + ": " + line(e);
    return text + "}";
  }
  return json::serialize(v);
}

bool is_leaf(const json::value& v) { return !v.is_array() && !v.is_object(); }

/// A list of single values goes on one line if it fits; so does an object of single values that is an element of a
/// list.
void print(const json::value& v, std::size_t indent, std::string& text, bool element = false) {
  const auto* array = v.if_array();
  const auto* object = v.if_object();
  const bool leaves =
      array    ? std::all_of(array->begin(), array->end(), is_leaf)
      : object ? std::all_of(object->begin(), object->end(), [](const auto& m) { return is_leaf(m.value()); })
               : true;
  const bool flat = leaves && (!object || object->empty() || element), must = !array && (!object || object->empty());
  if (const auto one_line = flat ? line(v) : ""; flat && (one_line.size() + indent <= 100 || must)) {
    text += one_line;
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

std::string short_number_text(double d) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.4e", d);
  return number_text(std::strtod(buffer, nullptr));
}

std::string pretty(const json::value& v) {
  std::string text;
  print(v, 0, text);
  return text + "\n";
}

}  // namespace sunstar::kit
