// SPDX-License-Identifier: MIT

#include "platforms/kit/config.h"
#include "platforms/kit/unused.h"

namespace sunstar::kit {
namespace {

json::value limit(std::string_view text) {
  const auto number = parse_json(text);
  return number && number->is_number() ? *number : json::value(text);
}

json::array names(const std::vector<std::string>& all) { return json::array(all.begin(), all.end()); }

/// Adds the options of `sunstar advise` with a parameter, and the stages of a run that it speeds up.
void add_tuning(const Param& rule, json::object& schema) {
  constexpr std::array names{"", "setting", "part", "fixed"};
  if (rule.tuning != Tuning::unstated) schema["tuning"] = names[static_cast<std::size_t>(rule.tuning)];
  if (!rule.speedup) return;
  json::array stages;
  for (const Stage s : rule.speedup->stages) stages.emplace_back(stage_names[static_cast<std::size_t>(s)]);
  schema["speeds_up"] = std::move(stages);
}

json::object schema_of(ConstRef preset, const Param& rule);

json::object number_schema(const char* type, bool is_unsigned, const Param& rule) {
  auto schema = schema_of_type(type);
  if (!rule.min.empty()) schema["minimum"] = limit(rule.min);
  else if (is_unsigned) schema["minimum"] = 0;
  if (!rule.max.empty()) schema["maximum"] = limit(rule.max);
  return schema;
}

json::object shape_schema(const Param& rule) {
  const json::object list{{"type", "array"}, {"items", number_schema("integer", true, rule)}, {"minItems", 1}};
  const json::object text{{"type", "string"}, {"pattern", "^[0-9]+(x[0-9]+)*$"}};
  const json::object word{{"enum", names(Shape::words())}};
  return {{"anyOf", json::array{list, text, word}}};
}

json::object schema_of_parameter(ConstRef preset, const Param& rule, std::string help) {
  if (preset.type->is<QuantityForm>())
    if (const auto range = range_text(rule.min, rule.max); !range.empty()) help += " (" + range + ")";
  json::object described{{"description", help}};
  for (const auto& [key, value] : schema_of(preset, rule)) described[key] = value;
  add_tuning(rule, described);
  if (!preset.type->is<SectionForm>()) described["default"] = write(preset);
  return described;
}

/// Adds the tag to `properties`, the keys of each kind to `cases`, and the names of all these keys to `keys`.
void add_choice(ConstRef choice, const Member& tag, const std::vector<Param>& beside, json::object& properties,
                json::array& cases, std::vector<std::string>& keys) {
  const auto& form = choice.type->as<ChoiceForm>();
  const auto& by_default = chosen(form, choice.at);
  properties[tag.name] = {{"description", help_of_choice(form, help_text(tag.rule(), beside))},
                          {"enum", names(kind_names(form))},
                          {"default", by_default.kind}};
  add_tuning(tag.rule(), properties[tag.name].get_object());
  for (const Alternative& a : form.alternatives) {
    const bool is_chosen = &a == &by_default;
    const Object fresh(a.type);
    const ConstRef alternative = is_chosen ? chosen_ref(form, choice.at) : ConstRef(fresh.ref());
    json::object own;
    for (const Member& m : members_of(*a.type))
      own[m.name] =
          schema_of_parameter(m.in(alternative), m.rule(), help_text(m.rule(), a.type->as<SectionForm>().params));
    json::object condition{{"properties", {{tag.name, {{"const", a.kind}}}}}};
    if (!is_chosen) condition["required"] = json::array{json::value(tag.name)};  // without a tag, the default is chosen
    cases.push_back({{"if", std::move(condition)}, {"then", {{"properties", std::move(own)}}}});
  }
  for (const auto& key : keys_of_alternatives(form)) keys.push_back(key.member->name);
}

json::object schema_of_members(ConstRef preset) {
  const auto& section = preset.type->as<SectionForm>();
  json::object properties;
  json::array cases;
  std::vector<std::string> keys;  // keys of any kind: keys of kinds not chosen are allowed, too
  for (const Member& m : section.members) {
    if (m.type->is<ChoiceForm>()) add_choice(m.in(preset), m, section.params, properties, cases, keys);
    else properties[m.name] = schema_of_parameter(m.in(preset), m.rule(), help_text(m.rule(), section.params));
  }
  json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!keys.empty()) {
    std::string any;
    for (const auto& key : keys) any += (any.empty() ? "" : "|") + key;
    schema["patternProperties"] = {{"^(" + any + ")$", json::object{}}};
  }
  schema["additionalProperties"] = false;
  if (!cases.empty()) schema["allOf"] = std::move(cases);
  return schema;
}

json::object schema_of_section(ConstRef preset, const std::string& noun, const std::string& folder) {
  const auto named = (noun.empty() ? "" : "the name of a " + noun + " in the catalogue, or ") +
                     std::string("the path of a file that holds the object");
  json::object name{{"type", "string"}, {"description", named}};
  if (!noun.empty()) name["examples"] = names(catalogue_names(project_folder() / folder));
  return {{"anyOf", json::array{schema_of_members(preset), std::move(name)}}};
}

json::object schema_of(ConstRef preset, const Param& rule) {
  const auto of_default = [&](const Type* type) { return schema_of(Object(type).ref(), rule); };
  return by_form(
      *preset.type, [](const BooleanForm&) { return schema_of_type("boolean"); },
      [&](const IntegerForm& f) { return number_schema("integer", !f.is_signed, rule); },
      [&](const RealForm&) { return number_schema("number", false, rule); },
      [](const QuantityForm& f) -> json::object {
        return {{"type", "string"}, {"pattern", pattern(*f.notation)}};
      },
      [](const EnumForm& f) -> json::object {
        return {{"enum", names(f.names)}};
      },
      [&](const StringForm&) {
        auto schema = schema_of_type("string");
        if (!rule.allowed.empty()) schema["enum"] = names(rule.allowed);
        return schema;
      },
      [](const PathForm&) {
        return json::object{{"type", "string"}, {"format", "path"}};
      },
      [&](const ShapeForm&) { return shape_schema(rule); },
      [&](const OptionalForm& f) -> json::object {
        const void* value = value_at(f, preset.at);
        return {{"anyOf", json::array{value ? schema_of({f.value, value}, rule) : of_default(f.value),
                                      json::object{{"type", "null"}}}}};
      },
      [&](const ListForm& f) {
        json::object schema{{"type", "array"}, {"items", of_default(f.element)}};
        if (f.is_fixed) schema["minItems"] = schema["maxItems"] = f.size(preset.at);
        return schema;
      },
      [&](const MapForm& f) -> json::object {
        return {{"type", "object"}, {"additionalProperties", of_default(f.element)}};
      },
      [&](const SectionForm& f) { return schema_of_section(preset, f.noun, f.folder); },
      [](const auto&) -> json::object { throw std::logic_error("a configuration holds nothing of this type"); });
}

}  // namespace

json::object json_schema(const std::string& title, ConstRef defaults) {
  auto members = schema_of_members(defaults);
  json::object properties{
      {"$schema", {{"description", "where an editor finds this schema"}, {"type", "string"}}},
      {"schema", {{"description", "the form of the file; each must say it"}, {"const", schema_name}}}};
  for (const auto& [key, value] : members["properties"].get_object()) properties[key] = value;
  json::object schema{
      {"$schema", schema_dialect}, {"title", title}, {"type", "object"}, {"required", json::array{"schema"}}};
  members["properties"] = std::move(properties);
  for (const auto& [key, value] : members) schema[key] = value;
  return schema;
}

}  // namespace sunstar::kit
