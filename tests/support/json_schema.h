// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/json.hpp>
#include <regex>
#include <string>
#include <vector>

// As much of JSON Schema as the schemas of the kit use, so that a test can hold a document against one.
namespace sunstar::test {

namespace detail {

namespace json = boost::json;

inline bool has_type(const json::value& v, std::string_view type) {
  if (type == "object") return v.is_object();
  if (type == "array") return v.is_array();
  if (type == "string") return v.is_string();
  if (type == "boolean") return v.is_bool();
  if (type == "null") return v.is_null();
  if (type == "integer") return v.is_int64() || v.is_uint64();
  return type == "number" && v.is_number();
}

inline void hold(const json::value& schema, const json::value& v, const std::string& path,
                 std::vector<std::string>& faults);

inline std::vector<std::string> faults_of(const json::value& schema, const json::value& v, const std::string& path) {
  std::vector<std::string> faults;
  hold(schema, v, path, faults);
  return faults;
}

inline void hold_object(const json::object& schema, const json::object& object, const std::string& path,
                        std::vector<std::string>& faults) {
  if (const auto* required = schema.if_contains("required"))
    for (const auto& key : required->as_array())
      if (!object.contains(key.as_string())) faults.push_back(path + "/" + std::string(key.as_string()) + ": missing");
  for (const auto& [key, value] : object) {
    const auto here = path + "/" + std::string(key);
    const auto* properties = schema.if_contains("properties");
    const auto* own = properties ? properties->as_object().if_contains(key) : nullptr;
    bool known = own != nullptr;
    if (own) hold(*own, value, here, faults);
    if (const auto* patterns = schema.if_contains("patternProperties"))
      for (const auto& [pattern, of_pattern] : patterns->as_object())
        if (std::regex_search(std::string(key), std::regex(std::string(pattern)))) {
          hold(of_pattern, value, here, faults);
          known = true;
        }
    const auto* others = schema.if_contains("additionalProperties");
    if (known || !others) continue;
    if (others->is_object()) hold(*others, value, here, faults);
    else if (!others->as_bool()) faults.push_back(here + ": not allowed");
  }
}

inline void hold(const json::value& schema_value, const json::value& v, const std::string& path,
                 std::vector<std::string>& faults) {
  const auto& schema = schema_value.as_object();
  const auto fault = [&](const std::string& what) { faults.push_back(path + ": " + json::serialize(v) + " " + what); };
  const auto* type = schema.if_contains("type");
  if (type) {
    const bool fits = type->is_array() ? std::ranges::any_of(type->as_array(),
                                                             [&](const auto& t) { return has_type(v, t.as_string()); })
                                       : has_type(v, type->as_string());
    if (!fits) fault("is not of type " + json::serialize(*type));
  }
  if (const auto* constant = schema.if_contains("const"); constant && v != *constant)
    fault("is not " + json::serialize(*constant));
  if (const auto* all = schema.if_contains("enum");
      all && std::ranges::find(all->as_array(), v) == all->as_array().end())
    fault("is none of " + json::serialize(*all));
  if (const auto* least = schema.if_contains("minimum"); least && v.is_number())
    if (v.to_number<double>() < least->to_number<double>()) fault("is less than " + json::serialize(*least));
  if (const auto* most = schema.if_contains("maximum"); most && v.is_number())
    if (v.to_number<double>() > most->to_number<double>()) fault("is more than " + json::serialize(*most));
  if (const auto* pattern = schema.if_contains("pattern"); pattern && v.is_string())
    if (!std::regex_search(std::string(v.as_string()), std::regex(std::string(pattern->as_string()))))
      fault("does not match " + json::serialize(*pattern));
  if (const auto* items = schema.if_contains("items"); items && v.is_array())
    for (std::size_t i = 0; i < v.as_array().size(); ++i)
      hold(*items, v.as_array()[i], path + "/" + std::to_string(i), faults);
  if (v.is_object()) hold_object(schema, v.as_object(), path, faults);
  if (const auto* any = schema.if_contains("anyOf")) {
    // The faults of the one that comes nearest, which has the right type if any has.
    std::vector<std::string> least;
    bool first = true;
    for (const auto& one : any->as_array()) {
      const auto own = faults_of(one, v, path);
      if (own.empty()) {
        least.clear();
        break;
      }
      if (first) least = own;
      first = false;
    }
    faults.insert(faults.end(), least.begin(), least.end());
  }
  if (const auto* all = schema.if_contains("allOf"))
    for (const auto& one : all->as_array()) hold(one, v, path, faults);
  if (const auto* condition = schema.if_contains("if"))
    if (faults_of(*condition, v, path).empty()) hold(schema.at("then"), v, path, faults);
}

}  // namespace detail

/// What is wrong with the document, "/path: sentence" each; empty if the schema allows it.
inline std::vector<std::string> schema_faults(const boost::json::value& schema, const boost::json::value& document) {
  return detail::faults_of(schema, document, "");
}

}  // namespace sunstar::test
