// SPDX-License-Identifier: MIT
#include "platforms/kit/settings.h"

#include <algorithm>

namespace sunstar::kit {

std::string no_element(const std::string& list, std::size_t size, std::string_view key) {
  const bool numbered = key.find_first_not_of("0123456789") == std::string_view::npos;
  return json_path(list, key) + " does not exist; " + list +
         (numbered ? "" : " is a list, whose elements have numbers from 0; it") +
         (size == 0   ? " is empty, so set the whole list"
          : size == 1 ? " has one element, 0"
                      : " has " + std::to_string(size) + " elements, 0 to " + std::to_string(size - 1));
}

bool is_within(std::string_view path, std::string_view top) {
  return top.empty() || (path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '.'));
}

bool Settings::add(std::string_view path_and_value) {
  const auto equals = path_and_value.find('=');
  if (equals == std::string_view::npos || equals == 0) return false;
  const auto path = path_and_value.substr(0, equals), value = path_and_value.substr(equals + 1);
  if (path.front() == '.' || path.back() == '.' || path.find("..") != std::string_view::npos) return false;
  const auto parsed = parse_json(value);
  add(std::string(path), parsed ? *parsed : json::value(value), "--set " + std::string(path_and_value));
  return true;
}

void Settings::add(std::string path, json::value value, std::string option) {
  all_.push_back({std::move(path), std::move(value), std::move(option)});
}

void Settings::apply(json::value& value, const std::string& path, Problems& problems) {
  // A later setting of the whole replaces earlier ones of its parts, whether or not it names a file.
  auto from = all_.begin();
  if (!path.empty())
    for (auto s = all_.begin(); s != all_.end(); ++s)
      if (is_within(path, s->path)) from = s + 1;
  for (auto s = all_.begin(); s != all_.end(); ++s) {
    if (!is_within(s->path, path) || s->path == path) continue;
    if (s < from) s->used = true;
    else assign(*s, value, path, problems);
  }
}

void Settings::apply_to(std::string_view key, json::value& value, Problems& problems) {
  for (Setting& s : all_)
    if (s.path == key) assign(s, value, "", problems);
  std::erase_if(all_, [&](const Setting& s) { return s.path == key; });
}

void Settings::assign(Setting& s, json::value& top, const std::string& top_path, Problems& problems) {
  auto* at = &top;
  std::string path = top_path;
  std::string_view rest{s.path};
  if (!path.empty()) rest.remove_prefix(path.size() + 1);
  while (!rest.empty()) {
    const auto dot = rest.find('.');
    const auto key = rest.substr(0, dot);
    rest = dot == std::string_view::npos ? "" : rest.substr(dot + 1);
    if (auto* array = at->if_array()) {
      std::size_t index = array->size();
      if (!is_number(key, index) || index >= array->size()) {
        s.used = true;
        problems.add_sentence(s.option, ": ", no_element(path, array->size(), key));
        return;
      }
      at = &(*array)[index];
    } else if (at->is_object()) {
      at = &at->get_object()[key];
    } else {
      return;  // the name of a section's file, or a mistake that report_unused() finds
    }
    path = json_path(path, key);
    if (!rest.empty() && at->is_null()) {
      at->emplace_object();
      problems.comes_from(path, s.option);
    }
  }
  *at = s.value;
  s.used = true;
  problems.comes_from(path, s.option);
}

bool Settings::concern(std::string_view path) const {
  return std::ranges::any_of(all_, [&](const Setting& s) { return is_within(s.path, path); });
}

bool Settings::set(std::string_view path) const { return std::ranges::find(all_, path, &Setting::path) != all_.end(); }

void Settings::report_unused(Problems& problems) const {
  for (const auto& s : all_)
    if (!s.used)
      problems.add_sentence(s.option, ": there is nothing at ", s.path,
                            ", because the value around it is not a section");
}

}  // namespace sunstar::kit
