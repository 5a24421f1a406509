// SPDX-License-Identifier: MIT
#include "platforms/kit/explain/explanation.h"

#include "platforms/kit/text_table.h"

namespace sunstar::kit {
namespace {

json::array path_of(const Path& path) {
  const Duration all = total(path.spent);
  json::array stages;
  for (std::size_t s = 0; s < stage_count; ++s) {
    if (path.spent[s] == Duration{}) continue;
    stages.push_back({{"stage", stage_names[s]},
                      {"time_s", seconds(path.spent[s])},
                      {"time_ps", path.spent[s].count()},
                      {"share", seconds(path.spent[s]) / seconds(all)},
                      {"waits", !stage_texts[s].waits_for.empty()}});
  }
  return stages;
}

json::object times_of(const StageTime& t) {
  return {{"mean_s", seconds(t.mean())}, {"p99_s", seconds(t.quantile(0.99))}};
}

json::array requests_of(const CriticalPath& paths) {
  json::array all;
  for (const RequestTimes& kind : paths.requests()) {
    if (kind.total().count() == 0) continue;
    json::object stages;
    for (std::size_t i = 0; i < kind.stages().size(); ++i) stages[kind.stages()[i]] = times_of(kind.stage(i));
    all.push_back({{"kind", kind.name()},
                   {"count", kind.total().count()},
                   {"total", times_of(kind.total())},
                   {"stages", std::move(stages)}});
  }
  return all;
}

constexpr std::size_t most_resources = 1'000;

/// Utilisations from the statistics, queues from the paths, by resource, the most used first; `busy` is the largest
/// utilisation. With statistics by kind, the utilisation is the busiest part's.
json::array resources_of(const CriticalPath& paths, const json::object& statistics, Duration elapsed) {
  struct Resource {
    std::string name;
    json::object figures;
    double queue = 0, utilisation = 0;
  };
  std::map<std::string, Resource> by_name;
  for (const auto& [key, statistic] : statistics) {
    const std::string name = key;
    const auto dot = name.rfind('.');
    if (dot == std::string::npos || !name.ends_with("utilisation")) continue;
    Resource& r = by_name[name.substr(0, dot)];
    const json::value* const busiest = statistic.as_object().if_contains("max");
    const json::value& value = busiest ? *busiest : statistic.as_object().at("value");
    r.figures[name.substr(dot + 1)] = value;
    if (value.is_number()) r.utilisation = std::max(r.utilisation, value.to_number<double>());
  }
  for (const QueueTimes& q : paths.queues()) {
    if (q.waits == 0) continue;
    Resource& r = by_name[q.name];
    r.queue = seconds(q.waited) / seconds(elapsed);
    r.figures["mean_queue"] = r.queue;
    r.figures["waits"] = q.waits;
    r.figures["mean_wait_s"] = seconds(q.waited) / static_cast<double>(q.waits);
  }
  // Queues beside a processor, such as its ready threads, count for the processor.
  for (auto& [name, r] : by_name) {
    const auto cpu = by_name.find(name.substr(0, name.rfind('.')) + ".cpu");
    if (cpu == by_name.end() || r.utilisation > 0) continue;
    double busy = 0;
    for (const auto& [key, share] : cpu->second.figures)
      if (key.ends_with("utilisation") && share.is_number()) busy += share.to_number<double>();
    r.figures["processor_utilisation"] = busy;
  }
  std::vector<Resource> sorted;
  for (auto& [name, r] : by_name) r.name = name, sorted.push_back(std::move(r));
  std::ranges::stable_sort(sorted, [](const Resource& a, const Resource& b) {
    return std::max(a.queue, a.utilisation) > std::max(b.queue, b.utilisation);
  });
  if (sorted.size() > most_resources)  // of a large machine, whose utilisations are by kind and stay
    sorted.erase(std::remove_if(sorted.begin() + most_resources, sorted.end(),
                                [](const Resource& r) { return r.utilisation == 0; }),
                 sorted.end());
  json::array all;
  for (Resource& r : sorted) {
    json::object entry{{"name", r.name}};
    double busy = -1;
    for (auto& [key, value] : r.figures) {
      if (key.ends_with("utilisation") && value.is_number()) busy = std::max(busy, value.to_number<double>());
      entry[key] = std::move(value);
    }
    if (busy >= 0) entry["busy"] = busy;
    all.push_back(std::move(entry));
  }
  return all;
}

/// "<node>.cycles.<kind of thread>.<primitive>", summed over the kinds of threads.
json::array processors_of(const json::object& statistics, double clock) {
  json::array all;
  std::map<std::string, std::size_t> place;
  for (const auto& [key, statistic] : statistics) {
    const std::string name = key;
    const auto cycles = name.find(".cycles.");
    if (cycles == std::string::npos) continue;
    const std::string node = name.substr(0, cycles), cost = name.substr(name.rfind('.') + 1);
    const auto [it, is_new] = place.try_emplace(node, all.size());
    if (is_new) all.push_back({{"node", node}, {"seconds", json::object{}}});
    json::object& by_cost = all[it->second].as_object().at("seconds").as_object();
    const double seconds = statistic.as_object().at("value").to_number<double>() / clock;
    by_cost[cost] = seconds + (by_cost.contains(cost) ? by_cost.at(cost).as_double() : 0.0);
  }
  return all;
}

using Rows = std::vector<std::vector<std::string>>;

std::string milliseconds(const json::value& seconds) { return formatted("%.3f", seconds.to_number<double>() * 1e3); }
std::string percent(const json::value& share) { return formatted("%.1f", share.to_number<double>() * 100); }

/// The headings and the first rows. Rows that differ only in their first cell become one row, with their number.
Rows folded(const Rows& rows) {
  constexpr std::size_t most = 8;
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
  all.resize(std::min(all.size(), most + 1));
  return all;
}

void add_table(std::string& text, const Rows& rows, const std::vector<std::size_t>& right) {
  if (rows.size() > 1) text += "\n" + text_table(rows, right);
}

void add_path(std::string& text, const json::array& path) {
  Rows rows{{"stage on the critical path", "ms", "%"}};
  for (const json::value& entry : path)
    rows.push_back(
        {std::string(entry.at("stage").as_string()), milliseconds(entry.at("time_s")), percent(entry.at("share"))});
  add_table(text, rows, {1, 2});
}

void add_resources(std::string& text, const json::array& resources) {
  Rows rows{{"busiest resources", "busy %", "mean queue", "mean wait ms"}};
  for (const json::value& resource : resources) {
    const json::object& r = resource.as_object();
    const auto *busy = r.if_contains("busy"), *queue = r.if_contains("mean_queue");
    rows.push_back({std::string(r.at("name").as_string()), busy ? percent(*busy) : "",
                    queue ? formatted("%.2f", queue->to_number<double>()) : "",
                    queue ? milliseconds(r.at("mean_wait_s")) : ""});
  }
  add_table(text, folded(rows), {1, 2, 3});
}

/// Each node with the three primitives that take most of its time, the busiest node first.
void add_processors(std::string& text, const json::array& processors) {
  std::vector<std::pair<double, std::vector<std::string>>> nodes;
  for (const json::value& node : processors) {
    std::vector<std::pair<double, std::string>> spent;
    for (const auto& [primitive, time] : node.at("seconds").as_object())
      spent.emplace_back(time.as_double(), primitive);
    std::ranges::stable_sort(spent, std::greater<>(), &std::pair<double, std::string>::first);
    double all = 0;
    std::string most;
    for (std::size_t i = 0; i < spent.size(); ++i) {
      all += spent[i].first;
      if (i < 3) most += (i > 0 ? ", " : "") + spent[i].second + " " + milliseconds(spent[i].first);
    }
    nodes.push_back({all, {std::string(node.at("node").as_string()), milliseconds(all), most}});
  }
  std::ranges::stable_sort(nodes, [](const auto& a, const auto& b) { return a.first > b.first; });
  Rows rows{{"busiest processors", "ms", "most of it"}};
  for (auto& [all, row] : nodes) rows.push_back(std::move(row));
  add_table(text, folded(rows), {1});
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
  add_table(text, rows, {1, 3, 4});
}

/// The parts at which jobs meet, with the milliseconds for which each job alone keeps them busy.
void add_interference(std::string& text, const json::array& parts) {
  if (parts.empty()) return;
  Rows rows{{"used by several jobs", "kind"}};
  std::vector<std::size_t> right;
  for (std::size_t j = 0; j < parts.front().at("busy_s").as_array().size(); ++j) {
    rows.front().push_back("job " + std::to_string(j) + " ms");
    right.push_back(j + 2);
  }
  for (const json::value& part : parts) {
    rows.push_back({std::string(part.at("part").as_string()), std::string(part.at("kind").as_string())});
    for (const json::value& busy : part.at("busy_s").as_array()) rows.back().push_back(milliseconds(busy));
  }
  add_table(text, rows, right);
}

/// A setting to paste. Unless `verbose`, a long list is folded: "100 entries, time 1ms to 18.2ms".
std::string setting_line(std::string_view setting, bool verbose) {
  constexpr std::size_t longest = 100;
  const auto equals = setting.find('=');
  if (verbose || setting.size() <= longest || setting[equals + 1] != '[')
    return "  --set '" + std::string(setting) + "'\n";
  const json::array list = json::parse(setting.substr(equals + 1)).as_array();
  std::string line = "  " + std::string(setting.substr(0, equals)) + ": " + std::to_string(list.size()) + " entries";
  const auto text = [](const json::value& v) { return v.is_string() ? std::string(v.as_string()) : serialize(v); };
  if (const auto* first = list.front().if_object())
    for (const auto& [key, value] : *first)
      line += ", " + std::string(key) + " " + text(value) + " to " + text(list.back().at(key));
  return line + " (--verbose: all)\n";
}

void add_changes(std::string& text, const json::array& changes, bool verbose) {
  for (const json::value& change : changes) {
    text += "\nTry " + std::string(change.at("change").as_string()) + ", at most " +
            formatted("%.2f", change.at("at_most").to_number<double>()) + "x";
    if (const json::value& gone = change.at("waits_gone"); gone.is_number())
      text += ", or " + formatted("%.2f", gone.to_number<double>()) + "x if it also saved all waiting";
    text += ":\n";
    for (const json::value& setting : change.at("settings").as_array())
      text += setting_line(setting.as_string(), verbose);
  }
}

}  // namespace

json::object explanation(const CriticalPath& paths, const Path& path, const json::object& statistics, double clock) {
  const Duration elapsed = total(path.spent);
  return {{"elapsed_ps", elapsed.count()},
          {"critical_path", path_of(path)},
          {"resources", resources_of(paths, statistics, elapsed)},
          {"requests", requests_of(paths)},
          {"processors", processors_of(statistics, clock)}};
}

void add_messages(json::object& explanation, std::uint64_t count, const std::vector<std::string_view>& handling,
                  std::uint32_t cores) {
  const double elapsed = explanation.at("elapsed_ps").to_number<double>() * 1e-12;
  std::string busiest;
  double most = 0, handled = 0;
  for (const json::value& node : explanation.at("processors").as_array()) {
    double all = 0, of_messages = 0;
    for (const auto& [primitive, seconds] : node.at("seconds").as_object()) {
      all += seconds.as_double();
      if (std::ranges::find(handling, std::string_view(primitive)) != handling.end())
        of_messages += seconds.as_double();
    }
    if (all > most) most = all, handled = of_messages, busiest = node.at("node").as_string();
  }
  if (most > 0 && elapsed > 0)
    explanation["messages"] = {{"count", count},
                               {"processor", busiest},
                               {"share_of_work", handled / most},
                               {"share", handled / (elapsed * cores)}};
}

std::string explanation_text(const json::object& explanation, bool verbose) {
  std::string text = "\n";
  for (const json::value& sentence : explanation.at("sentences").as_array())
    text += std::string(sentence.as_string()) + "\n";
  add_path(text, explanation.at("critical_path").as_array());
  add_resources(text, explanation.at("resources").as_array());
  add_processors(text, explanation.at("processors").as_array());
  add_requests(text, explanation.at("requests").as_array());
  if (const auto* interference = explanation.if_contains("interference"))
    add_interference(text, interference->at("parts").as_array());
  add_changes(text, explanation.at("changes").as_array(), verbose);
  return text;
}

}  // namespace sunstar::kit
