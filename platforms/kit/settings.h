// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "platforms/kit/json_text.h"

// Values given on the command line, `--set machine.nodes.3.role=io`, applied to the JSON before it is read, so that the
// same checks apply to them. A path may lead into a section given by name ("disk": "hp97560" and --set
// machine.disk.rotation=10ms): the setting is applied when that section's own file has been read. Later settings win.
namespace sunstar::kit {

struct Setting {
  std::string path;
  json::value value;
  std::string option;  ///< as the user wrote it, for messages
  bool used = false;
};

/// The error of a path whose `key` is no element of the list at `list`, which has `size` elements.
std::string no_element(const std::string& list, std::size_t size, std::string_view key);

/// True if `path` is `top` or lies below it.
bool is_within(std::string_view path, std::string_view top);

class Settings {
 public:
  /// Adds "path=value"; the value is JSON if it parses as such, and else a string. Returns false if there is no path or
  /// no '='.
  bool add(std::string_view path_and_value);
  void add(std::string path, json::value value, std::string option);
  /// Applies all settings of paths below `path` to `value`, the JSON at `path`.
  void apply(json::value& value, const std::string& path, Problems&);
  /// Applies the settings of the key `key` alone; later calls skip them.
  void apply_to(std::string_view key, json::value& value, Problems&);
  /// Whether a setting sets `path` or a part of it.
  bool concern(std::string_view path) const;
  /// Whether a setting sets `path` itself.
  bool set(std::string_view path) const;
  /// Adds a problem for each setting whose path led nowhere.
  void report_unused(Problems&) const;

 private:
  void assign(Setting&, json::value& top, const std::string& top_path, Problems&);
  std::vector<Setting> all_;
};

}  // namespace sunstar::kit
