// SPDX-License-Identifier: MIT
#include "platforms/kit/config.h"

#include "models/core/words.h"
#include "platforms/kit/json_read.h"
#include "platforms/kit/json_write.h"
#include "platforms/kit/unused.h"

namespace sunstar::kit {

namespace {

/// The raw JSON with the settings applied and without the schema entry; nothing if the file cannot be used at all.
std::optional<json::value> load_json(ConfigInput& input, Problems& problems) {
  std::optional<json::value> value = json::value(json::object_kind);
  if (input.file) {
    const auto name = input.file->string();
    value = read_json_file(*input.file, problems);
    if (!value) return value;
    auto* object = value->if_object();
    if (!object) {
      problems.add_sentence(name + ": the file must hold an object");
      return std::nullopt;
    }
    if (object->contains("result") && object->contains("config")) {
      problems.add_sentence(name + ": the file is a result; its section config, in a file of its own, repeats the run");
      return std::nullopt;
    }
    object->erase("$schema");  // names the schema for editors
    const auto* schema = object->if_contains("schema");
    const auto wanted = "\"schema\": " + in_quotes(schema_name);
    if (!schema) problems.add_sentence(name + ": schema is missing; the file must say " + wanted);
    else if (*schema != schema_name)
      problems.add_sentence(name + ": schema is " + json::serialize(*schema) + "; it must be " +
                            in_quotes(schema_name));
    if (schema) object->erase("schema");
  }
  input.settings.apply(*value, "", problems);
  return value;
}

}  // namespace

void load_config(Ref config, ConfigInput input, std::vector<std::string>* unused) {
  Problems problems;
  std::optional<Problems::InFile> where;
  if (input.file) where.emplace(problems, input.file->string());
  if (const auto value = load_json(input, problems)) {
    Reader reader(problems, &input.settings, input.file ? input.file->parent_path() : "", input.catalogue);
    read_into(config, *value, "", Param{}, reader);
    if (problems.empty()) input.settings.report_unused(problems);
    if (problems.empty() && unused) *unused = unused_settings(config, input.settings, reader.foreign);
  }
  problems.throw_if_any();
}

json::object effective(ConstRef config) {
  json::object all{{"schema", schema_name}};
  const auto sections = write(config);
  for (const auto& [key, value] : sections.get_object()) all[key] = value;
  return all;
}

}  // namespace sunstar::kit
