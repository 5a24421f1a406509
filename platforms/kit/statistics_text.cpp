// SPDX-License-Identifier: MIT
#include "platforms/kit/statistics_text.h"

#include <boost/unordered/unordered_flat_map.hpp>
#include <limits>
#include <map>

namespace sunstar::kit {

namespace {

json::value number(double d) {
  if (std::trunc(d) == d && std::abs(d) <= 0x1p53) return static_cast<std::int64_t>(d);
  if (std::isfinite(d)) return d;
  return nullptr;
}

/// The kind of a statistic of that name: see kind_of() of the header.
void kind_of(std::string_view name, std::string& kind) {
  const std::size_t dot = name.rfind('.');
  kind.resize(name.size());
  std::size_t end = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool digit = dot != name.npos && i < dot && name[i] >= '0' && name[i] <= '9';
    if (!digit) kind[end++] = name[i];
    else if (end == 0 || kind[end - 1] != '*') kind[end++] = '*';
  }
  kind.resize(end);
}

json::object entry(double value, std::string_view unit, std::string_view description) {
  return {{"value", number(value)}, {"unit", unit}, {"description", description}};
}

/// Statistics of the parts of each kind together, in the order in which the kinds appear. Parts may lack counts that
/// are 0.
class Kinds {
 public:
  void add(std::string_view name, double value, std::string_view unit, std::string_view description) {
    kind_of(name, name_of_kind_);
    const auto [at, is_new] = places_.try_emplace(name_of_kind_, kinds_.size());
    if (is_new)
      kinds_.push_back({name_of_kind_, std::string(unit), std::string(description), &parts_[owner(name_of_kind_)],
                        name_of_kind_ == name});
    Kind& kind = kinds_[at->second];
    ++kind.parts;
    kind.sum += value;
    kind.min = std::min(kind.min, value);
    kind.max = std::max(kind.max, value);
    *kind.most = std::max(*kind.most, kind.parts);
  }
  json::object text() const {
    json::object all;
    for (const Kind& kind : kinds_) {
      const bool counts = kind.unit != "fraction";
      const std::uint64_t parts = counts ? *kind.most : kind.parts;
      json::object& one = all[kind.name].emplace_object() =
          entry(kind.sum / static_cast<double>(parts), kind.unit, kind.description);
      if (kind.single) continue;
      one["parts"] = parts;
      one["min"] = number(kind.parts < parts ? std::min(kind.min, 0.0) : kind.min);
      one["max"] = number(kind.max);
      if (counts) one["sum"] = number(kind.sum);
    }
    return all;
  }

 private:
  struct Kind {
    std::string name, unit, description;
    std::uint64_t* most;  // parts of its owner
    bool single;          // a machine has only one such part
    std::uint64_t parts = 0;
    double sum = 0, min = std::numeric_limits<double>::infinity(), max = -min;
  };
  /// The parts that may have a statistic: "machine.cp*" of "machine.cp*.count.main.file_call".
  static std::string owner(const std::string& kind) { return kind.substr(0, kind.rfind('*') + 1); }

  std::vector<Kind> kinds_;
  std::string name_of_kind_;                                    // a variable that keeps its memory
  boost::unordered_flat_map<std::string, std::size_t> places_;  // for look-up only
  std::map<std::string, std::uint64_t> parts_;                  // number of parts by owner
};

}  // namespace

std::string kind_of(std::string_view name) {
  std::string kind;
  kind_of(name, kind);
  return kind;
}

json::object to_json(const StatisticSet& all, By by) {
  json::object parts;
  Kinds kinds;
  bool grouped = by == By::kind;
  all.for_each([&](const Statistic& s) {
    if (by == By::automatic && parts.size() == most_by_part) {
      grouped = true;
      for (const auto& [name, statistic] : std::exchange(parts, {})) {
        const json::object& one = statistic.as_object();
        if (!one.at("value").is_null())
          kinds.add(name, one.at("value").to_number<double>(), one.at("unit").as_string(),
                    one.at("description").as_string());
      }
    }
    const double value = s.value();
    if (!grouped) parts[s.name] = entry(value, s.unit, s.description);
    else if (std::isfinite(value)) kinds.add(s.name, value, s.unit, s.description);
  });
  return grouped ? kinds.text() : parts;
}

}  // namespace sunstar::kit
