// SPDX-License-Identifier: MIT
#include <istream>

#include "platforms/kit/output.h"
#include "platforms/kit/run/run_main.h"

namespace sunstar::kit {
namespace {

/// The settings on one line.
std::vector<std::string> settings_of(const std::string& line) {
  std::vector<std::string> settings;
  boost::system::error_code error;
  const auto value = json::parse(line, error);
  const auto* array = error ? nullptr : value.if_array();
  for (std::size_t i = 0; array && i < array->size(); ++i) {
    const auto* text = (*array)[i].if_string();
    if (!text) array = nullptr;
    else settings.emplace_back(*text);
  }
  if (!array)
    throw ConfigError("The point " + in_quotes(line) +
                      R"( cannot be read; it must be an array of settings, as in ["run.trials=3"].)");
  return settings;
}

json::object answer(const std::string& line, CommandLine options, const AnyPlatform& platform) {
  try {
    for (auto& text : settings_of(line)) options.settings.push_back(std::move(text));
    json::object config = platform.load(config_input(options));
    return {{"config", std::move(config)},
            {"warnings", json::array(platform.warnings.begin(), platform.warnings.end())}};
  } catch (const std::runtime_error& error) {  // of the configuration, or a setting without a value
    return {{"error", error.what()}};
  }
}

}  // namespace

void print_points(std::istream& points, const CommandLine& options, const AnyPlatform& platform, const Terminal& t) {
  for (std::string line; std::getline(points, line);) {
    t.out << json::serialize(answer(line, options, platform)) << '\n';
    if (!t.out) break;
  }
  print_text(t.out, "");
}

}  // namespace sunstar::kit
