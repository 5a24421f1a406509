// SPDX-License-Identifier: MIT
#include "platforms/kit/results/schema.h"

namespace sunstar::kit::detail {

json::object any_figure_schema() {
  return {{"type", json::array{"number", "boolean", "string", "object", "array", "null"}}};
}

json::object object_schema(FigureProperties all) {
  json::object schema{
      {"type", "object"}, {"properties", std::move(all.properties)}, {"required", std::move(all.required)}};
  if (all.others) schema["additionalProperties"] = any_figure_schema();
  else schema["additionalProperties"] = false;
  return schema;
}

json::object document_schema(const std::string& platform, json::object config, FigureProperties result,
                             FigureProperties trial, FigureProperties host) {
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
                                 {"description", {{"type", "string"}}}}},
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
      {"host", described("what the run cost", object_schema(std::move(host)))},
      {"statistics", described("the statistics of every part of the machine, from the first trial",
                               {{"type", "object"}, {"additionalProperties", statistic}})},
      {"trials", described("each trial by itself",
                           {{"type", "array"}, {"items", object_schema(std::move(trial))}, {"minItems", 1}})}};
  json::array required;
  for (const auto& [key, value] : properties) required.push_back(json::value(key));
  return {{"$schema", schema_dialect},           {"title", "result of " + platform}, {"type", "object"},
          {"properties", std::move(properties)}, {"required", std::move(required)},  {"additionalProperties", false}};
}

}  // namespace sunstar::kit::detail
