// SPDX-License-Identifier: MIT
#include "platforms/kit/config.h"

#include "platforms/kit/unused.h"

namespace sunstar::kit {

namespace {
namespace fs = std::filesystem;

/// The content of a configuration file without the entries that name its schema; nothing if the file is unusable.
std::optional<json::value> load_file(const fs::path& file, Problems& problems) {
  const auto name = file.string();
  auto value = read_json_file(file, problems);
  if (!value) return value;
  auto* object = value->if_object();
  if (!object) {
    problems.add_sentence(name, ": the file must hold an object");
    return std::nullopt;
  }
  if (object->contains("result") && object->contains("config")) {
    problems.add_sentence(name, ": the file is a result; its section config, in a file of its own, repeats the run");
    return std::nullopt;
  }
  object->erase("$schema");  // names the schema for editors
  const auto* schema = object->if_contains("schema");
  const auto wanted = "\"schema\": " + in_quotes(schema_name);
  if (!schema) problems.add_sentence(name, ": schema is missing; the file must say ", wanted);
  else if (*schema != schema_name) {
    problems.add_sentence(name, ": schema is ", json::serialize(*schema), "; it must be ", in_quotes(schema_name));
    return std::nullopt;  // what else is wrong may be right under that schema
  }
  if (schema) object->erase("schema");
  return value;
}

/// Reads a configuration's base, and before it the bases below that one.
class Bases {
 public:
  Bases(Ref config, const ConfigInput& input)
      : config_(config), input_(input), member_(find_member(members_of(*config.type), "base")) {}

  /// Whether the configuration may have one.
  bool any() const { return member_; }
  /// Reads the base named by the file in `folder`, or else `preset`.
  void read_for(json::value& document, const fs::path& file, const std::string& preset, Problems& problems) {
    std::string base = preset;
    if (auto* given = document.get_object().if_contains("base")) {
      Reader reader(problems, nullptr, file.parent_path(), input_.catalogues);
      read_into(Ref{member_->type, &base}, *given, "base", Param{}, reader);
      document.get_object().erase("base");
    }
    above_.push_back(fs::weakly_canonical(file));
    if (!base.empty()) base = read(base, file.parent_path(), problems);
    above_.pop_back();
    member_->in(config_).as<std::string>() = base;
    if (const auto is_base = config_.type->as<SectionForm>().is_base) is_base(config_.at);
  }

 private:
  /// Returns the base's name in a document that may lie anywhere.
  std::string read(const std::string& base, const fs::path& folder, Problems& problems) {
    const auto found = Reader(problems, nullptr, folder, {}).find(base, "base", "preset", input_.presets);
    if (!found) return base;
    if (std::ranges::find(above_, fs::weakly_canonical(*found)) != above_.end()) {
      problems.add("base", "is ", in_quotes(base), ", which has this file among its own bases");
      return base;
    }
    Problems inside;
    const bool is_preset = found->parent_path() == input_.presets;
    {
      const Problems::InFile where(inside, found->string());
      if (auto document = load_file(*found, inside)) {
        read_for(*document, *found, is_preset ? "" : input_.preset, inside);
        Reader reader(inside, nullptr, found->parent_path(), input_.catalogues);
        if (inside.empty()) read_into(config_, *document, "", Param{}, reader);
      }
    }
    for (const auto& sentence : inside.sentences()) problems.add_sentence(sentence);
    return is_preset ? base : fs::absolute(*found).string();
  }

  Ref config_;
  const ConfigInput& input_;
  const Member* member_;
  std::vector<fs::path> above_;  ///< the files that lead to the one being read
};

}  // namespace

void load_config(Ref config, ConfigInput input, std::vector<std::string>* warnings) {
  Problems problems;
  std::optional<Problems::InFile> where;
  if (input.file) where.emplace(problems, input.file->string());
  std::optional<json::value> document = json::value(json::object_kind);
  if (input.file) document = load_file(*input.file, problems);
  if (document) {
    if (Bases bases(config, input); bases.any()) {
      input.settings.apply_to("base", *document, problems);
      const auto before = problems.count();
      bases.read_for(*document, input.file.value_or(""), input.preset, problems);
      if (problems.count() > before) problems.throw_if_any();
    }
    const Object base(config);
    input.settings.apply(*document, "", problems);
    Reader reader(problems, &input.settings, input.file ? input.file->parent_path() : "", input.catalogues);
    read_into(config, *document, "", Param{}, reader);
    if (problems.empty()) input.settings.report_unused(problems);
    if (problems.empty() && warnings) {
      *warnings = unused_settings(config, base.ref(), input.settings, reader.foreign);
      warnings->insert(warnings->end(), reader.unusual.begin(), reader.unusual.end());
    }
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
