// SPDX-License-Identifier: MIT
#include "platforms/kit/explain/text.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "platforms/kit/text_table.h"

namespace sunstar::kit {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string formatted(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}
std::string milliseconds(const json::value& seconds) { return formatted("%.3f", seconds.to_number<double>() * 1e3); }
std::string percent(const json::value& share) { return formatted("%.1f", share.to_number<double>() * 100); }

/// Rows that differ only in their first cell become one, which says how many they are.
Rows folded(const Rows& rows) {
  Rows all;
  std::size_t alike = 0;
  for (const auto& row : rows) {
    if (!all.empty() && std::equal(row.begin() + 1, row.end(), all.back().begin() + 1, all.back().end())) {
      ++alike;
      continue;
    }
    if (alike > 0) all.back()[0] += " and " + std::to_string(alike) + " alike";
    alike = 0;
    all.push_back(row);
  }
  if (alike > 0) all.back()[0] += " and " + std::to_string(alike) + " alike";
  return all;
}

void add_path(std::string& text, const json::array& path) {
  Rows rows{{"stage on the critical path", "ms", "%"}};
  for (const json::value& entry : path)
    rows.push_back(
        {std::string(entry.at("stage").as_string()), milliseconds(entry.at("time_s")), percent(entry.at("share"))});
  text += "\n" + text_table(rows, {1, 2});
}

void add_resources(std::string& text, const json::array& resources) {
  constexpr std::size_t most = 8;
  Rows rows{{"busiest resources", "busy %", "mean queue", "mean wait ms"}};
  for (const json::value& resource : resources) {
    const json::object& r = resource.as_object();
    double busy = -1;
    for (const auto& [key, value] : r)
      if (key.ends_with("utilisation") && value.is_double()) busy = std::max(busy, value.get_double());
    const auto* queue = r.if_contains("mean_queue");
    rows.push_back({std::string(r.at("name").as_string()), busy < 0 ? "" : formatted("%.1f", busy * 100),
                    queue ? formatted("%.2f", queue->to_number<double>()) : "",
                    queue ? milliseconds(r.at("mean_wait_s")) : ""});
  }
  rows = folded(rows);
  if (rows.size() > most + 1) rows.resize(most + 1);
  if (rows.size() > 1) text += "\n" + text_table(rows, {1, 2, 3});
}

void add_requests(std::string& text, const json::array& requests) {
  Rows rows{{"requests", "number", "stage", "mean ms", "p99 ms"}};
  for (const json::value& kind : requests) {
    const auto add = [&](std::string what, std::string count, std::string stage, const json::value& times) {
      rows.push_back({std::move(what), std::move(count), std::move(stage), milliseconds(times.at("mean_s")),
                      milliseconds(times.at("p99_s"))});
    };
    add(std::string(kind.at("kind").as_string()), json::serialize(kind.at("count")), "all", kind.at("total"));
    for (const auto& [stage, times] : kind.at("stages").as_object())
      if (times.at("mean_s").to_number<double>() > 0) add("", "", std::string(stage), times);
  }
  if (rows.size() > 1) text += "\n" + text_table(rows, {1, 3, 4});
}

void add_changes(std::string& text, const json::array& changes) {
  for (const json::value& change : changes) {
    text += "\nTry " + std::string(change.at("change").as_string()) + ", at most " +
            formatted("%.2f", change.at("at_most").to_number<double>()) + "x";
    if (const json::value& gone = change.at("waits_gone"); gone.is_number())
      text += ", or " + formatted("%.2f", gone.to_number<double>()) + "x if it also saved all waiting";
    text += ":\n";
    for (const json::value& setting : change.at("settings").as_array())
      text += "  --set '" + std::string(setting.as_string()) + "'\n";
  }
}

}  // namespace

std::string explanation_text(const json::object& explanation) {
  std::string text = "\n";
  for (const json::value& sentence : explanation.at("sentences").as_array())
    text += std::string(sentence.as_string()) + "\n";
  add_path(text, explanation.at("critical_path").as_array());
  add_resources(text, explanation.at("resources").as_array());
  add_requests(text, explanation.at("requests").as_array());
  add_changes(text, explanation.at("changes").as_array());
  return text;
}

}  // namespace sunstar::kit
