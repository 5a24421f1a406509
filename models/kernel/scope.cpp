// SPDX-License-Identifier: MIT
#include "models/kernel/scope.h"

#include <fnmatch.h>

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <map>

#include "models/core/error.h"
#include "models/core/message_text.h"

namespace sunstar {

namespace {

/// Whether the pattern names the instance or one above it.
bool names(const std::string& pattern, const std::string& instance) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = instance.find('.', end + 1);
    const std::string part = instance.substr(0, end);
    if (::fnmatch(pattern.c_str(), part.c_str(), 0) == 0) return true;
  }
  return false;
}

std::string without_machine(std::string_view instance) {
  const auto dot = instance.find('.');
  return std::string(dot == std::string_view::npos ? instance : instance.substr(dot + 1));
}

/// "cp0 to cp15, iop0 to iop15 and network": instances whose names differ only in their numbers are listed together.
std::string summary(const std::vector<std::string>& instances) {
  std::vector<std::string> kinds;
  std::map<std::string, std::pair<std::string, std::string>> range;  // by kind: its first and last name
  for (const std::string& name : instances) {
    std::string kind = name;
    std::ranges::replace_if(
        kind, [](char c) { return c >= '0' && c <= '9'; }, '0');
    kind.erase(std::unique(kind.begin(), kind.end(), [](char a, char b) { return a == '0' && b == '0'; }), kind.end());
    const auto [at, is_new] = range.try_emplace(kind, name, name);
    at->second.second = name;
    if (is_new) kinds.push_back(kind);
  }
  std::vector<std::string> all;
  for (const std::string& kind : kinds) {
    const auto& [first, last] = range.at(kind);
    all.push_back(first == last ? first : first + " to " + last);
  }
  return listed(all, "and", false);
}

}  // namespace

Scope::Scope(std::string_view patterns) {
  std::vector<std::string> parts;
  boost::algorithm::split(parts, patterns, boost::algorithm::is_any_of(","));
  for (std::string& part : parts) patterns_.push_back({std::move(part)});
}

bool Scope::contains(std::string_view instance) {
  if (patterns_.empty()) return true;
  const std::string whole(instance), inner = without_machine(instance);
  const std::string top = inner.substr(0, inner.find('.'));
  if (std::ranges::find(exist_, top) == exist_.end()) exist_.push_back(top);
  bool any = false;
  for (Pattern& p : patterns_)
    if (names(p.text, whole) || names(p.text, inner)) any = p.met = true;
  return any;
}

void Scope::check(const std::string& option) const {
  for (const Pattern& p : patterns_) {
    if (p.met) continue;
    const std::string near = suggestion(p.text, exist_);
    throw ConfigError(option + ": " + in_quotes(p.text) + " names nothing here; there " +
                      (exist_.size() == 1 ? "is " : "are ") + summary(exist_) + (near.empty() ? "." : near));
  }
}

}  // namespace sunstar
