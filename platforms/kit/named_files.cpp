// SPDX-License-Identifier: MIT
#include "platforms/kit/named_files.h"

namespace sunstar::kit {
namespace fs = std::filesystem;

namespace {

std::vector<fs::path>& read() {
  static std::vector<fs::path> files;
  return files;
}

/// Devices and pipes may be named twice.
bool same(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;
  return fs::weakly_canonical(fs::absolute(a, error), error) == fs::weakly_canonical(fs::absolute(b, error), error);
}

}  // namespace

void add_files(ConstRef config, const std::string& path, std::vector<NamedFile>& files) {
  for (const Member& m : members_of(*config.type)) {
    const auto value = m.in(config);
    if (m.type->is<PathForm>()) {
      const auto& file = value.as<fs::path>();
      if (!file.empty()) files.push_back({json_path(path, m.name), file});
    } else if (const auto* choice = m.type->if_is<ChoiceForm>()) {
      add_files(chosen_ref(*choice, value.at), path, files);
    } else if (m.type->is<SectionForm>()) {
      add_files(value, json_path(path, m.name), files);
    }
  }
}

void note_read(const fs::path& file) { read().push_back(file); }

void require_distinct(const std::vector<NamedFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const fs::path& file : read())
      if (same(files[i].path, file))
        throw ConfigError(files[i].name + " is " + files[i].path.string() +
                          ", which is also an input; it must be another file.");
    for (std::size_t j = 0; j < i; ++j)
      if (same(files[i].path, files[j].path))
        throw ConfigError(files[j].name + " and " + files[i].name + " name the same file, " + files[i].path.string() +
                          ".");
  }
}

}  // namespace sunstar::kit
