// SPDX-License-Identifier: MIT
#include "platforms/kit/reader.h"

#include <algorithm>
#include <cmath>

#include "models/core/message_text.h"

namespace sunstar::kit {
namespace fs = std::filesystem;
namespace {

/// Shows a value in a message: in full if it is short, otherwise by its type.
std::string shown(const json::value& v) {
  if (v.is_object()) return "an object";
  if (v.is_array()) return "an array";
  if (v.is_double()) return number_text(v.get_double());
  if (const auto* s = v.if_string()) {
    std::string text{*s};
    if (text.size() > 60) text.replace(57, std::string::npos, "...");
    const bool meant = text.starts_with('[') || text.starts_with('{');
    return "the string " + in_quotes(text) + (meant ? ", which is not valid JSON" : "");
  }
  return json::serialize(v);
}

/// Returns the number if it is whole and fits into a signed 64-bit integer. 1e6 is whole too. Beyond 2^53 a double is
/// not exact enough.
std::optional<std::int64_t> whole(const json::value& v) {
  if (v.is_int64()) return v.get_int64();
  if (!v.is_double()) return std::nullopt;
  const double d = v.get_double();
  if (std::trunc(d) != d || std::abs(d) > 0x1p53) return std::nullopt;
  return static_cast<std::int64_t>(d);
}

/// A number with an exponent or a point that no integer type holds.
bool is_huge(const json::value& v) { return v.is_double() && std::abs(v.get_double()) >= 0x1p63; }

}  // namespace

const fs::path& project_folder() {
  static const fs::path folder = [] {
    std::error_code ignored;
    const fs::path copy = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "project";
    return fs::is_directory(copy, ignored) ? copy : fs::path(SUNSTAR_PROJECT);
  }();
  return folder;
}

std::vector<std::string> catalogue_names(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

Reader::Reader(Problems& p, Settings* settings, fs::path folder, fs::path catalogues)
    : problems(p), settings_(settings), folder_(std::move(folder)), catalogues_(std::move(catalogues)) {}

Reader::Section::Section(Reader& r, fs::path f) : file(std::move(f)), outer_folder(r.folder_), reader(r) {
  reader.folder_ = file.parent_path();
  reader.open_.push_back(file);
  where.emplace(r.problems, file.string());
}

Reader::Section::~Section() {
  reader.folder_ = outer_folder;
  reader.open_.pop_back();
}

std::optional<fs::path> Reader::find(std::string_view name, const std::string& path, std::string_view noun,
                                     const fs::path& catalogue) {
  const bool is_file = name.ends_with(".json") || name.find('/') != std::string_view::npos;
  if (!is_file && noun.empty()) {
    problems.add(
        path, "is the string " + in_quotes(name) + "; it must be an object, or the path of a JSON file that holds it");
    return std::nullopt;
  }
  const auto file = is_file ? resolve(path, name) : catalogue / (std::string(name) + ".json");
  std::error_code error;
  if (!is_file && !fs::exists(file, error)) {
    const auto names = catalogue_names(catalogue);
    problems.add(path, "is " + in_quotes(name) + "; there is no such " + std::string(noun) +
                           " in the catalogue, which has " + (names.empty() ? "none" : listed(names, "and")) +
                           suggestion(name, names));
    return std::nullopt;
  }
  if (!fs::is_regular_file(file, error) && (!fs::exists(file, error) || fs::is_directory(file, error))) {
    problems.add(path, "is " + in_quotes(name) + "; " +
                           (fs::exists(file, error) ? "this is a folder" : "there is no file " + file.string()) +
                           "; it must be the path of a file, relative to the file that names it");
    return std::nullopt;
  }
  return file;
}

std::unique_ptr<Reader::Section> Reader::open(std::string_view name, const std::string& path, std::string_view noun,
                                              std::string_view folder) {
  const auto file = find(name, path, noun, catalogues_ / folder);
  if (!file) return nullptr;
  if (std::find(open_.begin(), open_.end(), *file) != open_.end()) {
    problems.add(path, "is " + in_quotes(name) + ", the file that names it");
    return nullptr;
  }
  auto value = read_json_file(*file, problems);
  if (!value) return nullptr;
  auto section = std::make_unique<Section>(*this, *file);
  if (auto* object = value->if_object()) {
    if (const auto* schema = object->if_contains("schema"); schema && *schema == "sunstar/1") object->erase("schema");
  }
  if (settings_) settings_->apply(*value, path, problems);
  section->value = std::move(*value);
  return section;
}

void Reader::must_be_chosen(const std::string& path, std::string_view noun, std::string_view folder) {
  if (!settings_ || !problems.comes_from_option(path) || settings_->set(path)) return;
  const auto names = catalogue_names(catalogues_ / folder);
  problems.add_sentence(problems.origin(path) + ": there is no " + path + "; choose its " + std::string(noun) +
                        " first, such as --set " + path + "=" + (names.empty() ? "FILE.json" : names.front()));
}

fs::path Reader::resolve(const std::string& path, std::string_view name) const {
  return (problems.comes_from_option(path) ? fs::path(name) : folder_ / fs::path(name)).lexically_normal();
}

void Reader::wrong_type(const std::string& path, const json::value& v, std::string_view wanted) {
  problems.add(path, "is " + shown(v) + "; it must be " + std::string(wanted));
}

void Reader::unknown_key(const std::string& path, std::string_view key, const std::vector<std::string>& keys,
                         const std::vector<std::string>& shown) {
  const auto near = suggestion(key, keys);
  const auto section = path.empty() ? "a configuration" : path;
  problems.add(json_path(path, key),
               "is not a parameter" + (near.empty() ? "; " + section + " has " + listed(shown, "and", false) : near));
}

void Reader::not_allowed(const std::string& path, std::string_view text, const std::vector<std::string>& allowed) {
  problems.add(path, "is " + in_quotes(text) + "; it must be " + listed(allowed, "or") + suggestion(text, allowed));
}

void Reader::out_of_range(const std::string& path, const std::string& shown, std::string_view min,
                          std::string_view max) {
  problems.add(path, "is " + shown + "; it must be " + range_text(min, max));
}

std::optional<std::int64_t> Reader::read_integer(const json::value& v, const std::string& path, const IntegerForm& type,
                                                 const Param& rule) {
  const auto n = whole(v);
  if (v.is_uint64() && v.get_uint64() <= type.greatest) return static_cast<std::int64_t>(v.get_uint64());
  if (n && *n >= type.least && (*n < 0 || static_cast<std::uint64_t>(*n) <= type.greatest)) return n;
  if (n || v.is_uint64() || is_huge(v))
    out_of_range(path, shown(v), rule.min.empty() ? std::to_string(type.least) : rule.min.text(),
                 rule.max.empty() ? std::to_string(type.greatest) : rule.max.text());
  else wrong_type(path, v, "a whole number");
  return std::nullopt;
}

std::string range_text(std::string_view min, std::string_view max) {
  if (!min.empty() && !max.empty()) return "between " + std::string(min) + " and " + std::string(max);
  if (!min.empty()) return "at least " + std::string(min);
  return max.empty() ? "" : "at most " + std::string(max);
}

}  // namespace sunstar::kit
