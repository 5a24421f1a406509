// SPDX-License-Identifier: MIT
#include "platforms/kit/config.h"

#include "models/core/words.h"

namespace sunstar::kit {

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

}  // namespace sunstar::kit
