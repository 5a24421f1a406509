// SPDX-License-Identifier: MIT
#include "platforms/kit/results/document.h"

#include "platforms/kit/config.h"

namespace sunstar::kit {
namespace {

struct FigureProperties {
  json::object properties;
  json::array required;
  bool others = false;  ///< figures that are only known when the program runs
};

json::object any_figure_schema() {
  return {{"type", json::array{"number", "boolean", "string", "object", "array", "null"}}};
}

json::object object_schema(FigureProperties all) {
  return {{"type", "object"},
          {"properties", std::move(all.properties)},
          {"required", std::move(all.required)},
          {"additionalProperties", all.others ? json::value(any_figure_schema()) : json::value(false)}};
}

/// `in_mean`: for the result rather than for a trial. The mean of a count need not be whole.
FigureProperties figure_properties(const Type& section, bool in_mean);

json::object figure_schema(const Type& type, bool in_mean) {
  const auto any = [](const auto&) -> json::object {
    return {{"type", "object"}, {"additionalProperties", any_figure_schema()}};
  };
  return by_form(
      type, [](const BooleanForm&) { return schema_of_type("boolean"); },
      [&](const IntegerForm&) { return schema_of_type(in_mean ? "number" : "integer"); },
      [](const RealForm&) -> json::object {
        return {{"type", json::array{"number", "null"}}};
      },
      [](const StringForm&) { return schema_of_type("string"); },
      [&](const SectionForm&) { return object_schema(figure_properties(type, in_mean)); },
      [&](const OptionalForm& f) {
        auto schema = figure_schema(*f.value, in_mean);
        if (!f.value->is<SectionForm>() && schema.at("type").is_string())
          schema["type"] = json::array{schema.at("type"), "null"};
        return schema;
      },
      [&](const ListForm& f) -> json::object {
        return {{"type", "array"}, {"items", figure_schema(*f.element, in_mean)}};
      },
      [&](const MapForm& f) -> json::object {
        return {{"type", "object"}, {"additionalProperties", figure_schema(*f.element, in_mean)}};
      },
      [&](const NamedFiguresForm& f) { return any(f); }, [&](const ObjectForm& f) { return any(f); },
      [](const auto&) -> json::object { throw std::logic_error("a result holds nothing of this type"); });
}

FigureProperties figure_properties(const Type& section, bool in_mean) {
  FigureProperties all;
  for (const Member& m : members_of(section)) {
    const auto* optional = m.type->if_is<OptionalForm>();
    const Type& value = optional ? *optional->value : *m.type;
    const Figure& rule = m.rule_of_figure();
    const bool may_lack = rule.optional_key || (optional && value.is<SectionForm>());
    if (rule.is_flat && value.is<SectionForm>()) {
      auto flat = figure_properties(value, in_mean);
      for (auto& [key, schema] : flat.properties) all.properties[key] = std::move(schema);
      if (!may_lack) all.required.insert(all.required.end(), flat.required.begin(), flat.required.end());
      all.others |= flat.others;
      continue;
    }
    if (rule.is_flat) {
      all.others = true;
      continue;
    }
    if (rule.mean == Figure::Mean::variation && !in_mean) continue;
    json::object schema{{"description", rule.help}};
    if (!rule.unit.empty()) schema["unit"] = rule.unit;
    for (auto& [key, of_type] : figure_schema(*m.type, in_mean && rule.mean != Figure::Mean::first))
      schema[key] = std::move(of_type);
    all.properties[m.name] = std::move(schema);
    if (!may_lack || rule.mean == Figure::Mean::variation) all.required.push_back(json::value(m.name));
  }
  return all;
}

json::object document_schema(const std::string& platform, json::object config, FigureProperties result,
                             FigureProperties trial, FigureProperties host, const Type* over_time) {
  config.stable_erase("$schema");
  config.stable_erase("title");
  trial.properties["seed"] = {{"description", "the seed of this trial"}, {"type", "integer"}, {"minimum", 0}};
  trial.required.push_back("seed");
  if (!result.properties.contains("warnings"))
    result.properties["warnings"] = {
        {"description", "warnings about the configuration"}, {"type", "array"}, {"items", {{"type", "string"}}}};
  const json::object statistic{{"type", "object"},
                               {"properties",
                                {{"value", {{"type", json::array{"number", "null"}}}},
                                 {"unit", {{"type", "string"}}},
                                 {"description", {{"type", "string"}}},
                                 {"parts", {{"type", "integer"}, {"minimum", 1}}},
                                 {"min", {{"type", "number"}}},
                                 {"max", {{"type", "number"}}},
                                 {"sum", {{"type", "number"}}}}},
                               {"required", {"value", "unit", "description"}},
                               {"additionalProperties", false}};
  const auto described = [](const char* help, const json::object& schema) {
    json::object all{{"description", help}};
    for (const auto& [key, value] : schema) all[key] = value;
    return all;
  };
  json::object properties{
      {"schema", {{"const", schema_name}}},
      {"platform", {{"const", platform}}},
      {"version", described("the version of the program", {{"type", "string"}})},
      {"seed", described("the seed of the first trial", {{"type", "integer"}, {"minimum", 0}})},
      {"config", described("the configuration that really ran", config)},
      {"result", described("the mean of the trials", object_schema(std::move(result)))},
      {"host", described("the run's cost to the host", object_schema(std::move(host)))},
      {"statistics", described("the statistics of every part of the machine, or by kind of part (run.statistics), from "
                               "the first trial; by kind, value is the mean of that many parts",
                               {{"type", "object"}, {"additionalProperties", statistic}})},
      {"trials", described("each trial by itself",
                           {{"type", "array"}, {"items", object_schema(std::move(trial))}, {"minItems", 1}})}};
  json::array required;
  for (const auto& [key, value] : properties) required.push_back(json::value(key));
  properties["explain"] = described("explanation of the first trial's time; only with --explain", {{"type", "object"}});
  if (over_time)
    properties["over_time"] =
        described("the course of the first trial, interval by interval from its first request; only with run.interval",
                  object_schema(figure_properties(*over_time, false)));
  return {{"$schema", schema_dialect},           {"title", "result of " + platform}, {"type", "object"},
          {"properties", std::move(properties)}, {"required", std::move(required)},  {"additionalProperties", false}};
}

}  // namespace

json::object result_schema(const std::string& platform, ConstRef config, const Type& result, const Type& host,
                           const Type* over_time) {
  return document_schema(platform, json_schema(platform, config), figure_properties(result, true),
                         figure_properties(result, false), figure_properties(host, true), over_time);
}

}  // namespace sunstar::kit
