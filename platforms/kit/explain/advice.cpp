// SPDX-License-Identifier: MIT
#include "platforms/kit/explain/explanation.h"

namespace sunstar::kit {

namespace {

using Shares = std::array<double, stage_count>;

/// A change to the configuration, and the settings that make it.
struct Change {
  const Speedup* speedup;
  std::vector<std::string> settings;
};

/// Halves durations and doubles rates in a parameter.
void double_speed(Ref value) {
  by_form(
      *value.type,
      [&](const QuantityForm& f) {
        if (f.notation == &notation<Duration>()) value.as<Duration>() /= 2;
        if (f.notation == &notation<Bandwidth>()) value.as<Bandwidth>().bytes_per_second *= 2;
        if (f.notation == &notation<Frequency>()) value.as<Frequency>().hertz *= 2;
      },
      [&](const ListForm& f) {
        for (std::size_t i = 0; i < f.size(value.at); ++i) double_speed({f.element, f.element_at(value.at, i)});
      },
      [&](const SectionForm& f) {
        for (const Member& m : f.members) double_speed(m.in(value));
      },
      [](const auto&) {});
}

/// Adds "path=value" for each parameter that differs.
void add_settings(const json::value& before, const json::value& after, const std::string& path,
                  std::vector<std::string>& settings) {
  if (const auto* object = before.if_object()) {
    for (const auto& [key, value] : *object) add_settings(value, after.at(key), json_path(path, key), settings);
  } else if (before != after) {
    settings.push_back(path + "=" +
                       (after.is_string()   ? std::string(after.get_string())
                        : after.is_double() ? short_number_text(after.get_double())
                                            : json::serialize(after)));
  }
}

/// Collects the changes that a configuration's parameters declare, except in a section from which other sections start
/// and differ.
class Changes {
 public:
  explicit Changes(ConstRef config) {
    find_own(config, "", "");
    collect(config, "");
  }

  std::vector<Change> all;
  /// A sentence on why some changes are missing, or empty.
  std::string missing;

 private:
  /// Looks for sections that differ in part from the section at Param::starts_from. `list`: the list around them.
  void find_own(ConstRef value, const std::string& path, const std::string& list) {
    by_form(
        *value.type,
        [&](const SectionForm& f) {
          for (const Member& m : f.members) {
            const auto* optional = m.type->if_is<OptionalForm>();
            const void* own = optional ? value_at(*optional, m.in(value).at) : nullptr;
            if (own && m.param && !m.param->starts_from.empty()) {
              described_elsewhere_.push_back(m.param->starts_from.text());
              missing = list + " names " + optional->value->as<SectionForm>().noun +
                        "s of its own; what would speed them up has to be set there.";
            }
            find_own(m.in(value), json_path(path, m.name), list);
          }
        },
        [&](const ChoiceForm& f) { find_own(chosen_ref(f, value.at), path.substr(0, path.rfind('.')), list); },
        [&](const ListForm& f) {
          for (std::size_t i = 0; i < f.size(value.at); ++i)
            find_own(element_of(f, value.at, i), path, list.empty() ? path : list);
        },
        [](const auto&) {});
  }

  void collect(ConstRef section, const std::string& path) {
    if (std::ranges::find(described_elsewhere_, path) != described_elsewhere_.end()) return;
    const auto& form = section.type->as<SectionForm>();
    if (form.speed_up) {
      const Object faster(section);
      add(form.speed_up(faster.ref().at), section, faster.ref(), path);
    }
    for (const Member& m : form.members) {
      const auto value = m.in(section);
      const auto here = json_path(path, m.name);
      if (const auto* choice = m.type->if_is<ChoiceForm>()) {
        collect(chosen_ref(*choice, value.at), path);
      } else if (m.param && m.param->speedup) {
        const Object faster(value);
        double_speed(faster.ref());
        add(*m.param->speedup, value, faster.ref(), here);
      } else if (m.type->is<SectionForm>()) {
        collect(value, here);
      } else if (const auto* optional = m.type->if_is<OptionalForm>()) {
        if (const void* own = value_at(*optional, value.at); own && optional->value->is<SectionForm>())
          collect({optional->value, own}, here);
      }
    }
  }

  void add(const Speedup& speedup, ConstRef before, ConstRef after, const std::string& path) {
    auto change = std::ranges::find(all, &speedup, &Change::speedup);
    if (change == all.end()) change = all.insert(change, {&speedup, {}});
    add_settings(write(before), write(after), path, change->settings);
  }

  std::vector<std::string> described_elsewhere_;
};

/// Changes that gain less are not worth a try.
constexpr double least_gain = 1.005;

using SomeStages = std::initializer_list<Stage>;

bool is_among(std::size_t s, SomeStages stages) {
  return std::ranges::find(stages, static_cast<Stage>(s)) != stages.end();
}

double share_of(const Shares& shares, SomeStages stages) {
  return sum(stages, [&](Stage s) { return shares[static_cast<std::size_t>(s)]; });
}

/// The bound of a change that halves the stages; with `waits_gone`, other waits also vanish.
double bound(const Shares& shares, SomeStages stages, bool waits_gone) {
  double rest = 1 - share_of(shares, stages) / 2;
  if (waits_gone)
    for (std::size_t s = 0; s < stage_count; ++s)
      if (!stage_texts[s].waits_for.empty()) rest -= is_among(s, stages) ? shares[s] / 2 : shares[s];
  return rest > 0 ? 1 / rest : 0;
}

std::string percent(double share) { return formatted(share < 0.0995 ? "%.1f %%" : "%.0f %%", share * 100); }

/// The path's waits in words; empty if it hardly waits.
std::string waiting_in_words(const Shares& shares, const std::string& of_what) {
  double sum = 0;
  std::string words;
  for (std::size_t s = 0; s < stage_count; ++s) {
    if (stage_texts[s].waits_for.empty() || shares[s] == 0) continue;
    sum += shares[s];
    words += (words.empty() ? "" : " or ") + std::string(stage_texts[s].waits_for);
  }
  if (sum < 0.005) return "";
  return " " + percent(sum) + " of " + of_what + " is waiting " + words + ", which any change may shorten.";
}

/// A sentence that the handling of messages bounds the run, if it is most of the processors' work.
std::string messages_in_words(const Shares& shares, const json::object& explanation, const std::string& of_what) {
  const auto* messages = explanation.if_contains("messages");
  double processors = 0;
  for (std::size_t s = 0; s < stage_count; ++s) processors += stage_texts[s].is_processor ? shares[s] : 0;
  if (!messages || processors < 1.0 / 3) return "";
  const double work = messages->at("share_of_work").as_double();
  if (work < 0.5) return "";
  return "The processors handle messages: " + json::serialize(messages->at("count")) + " in all, " + percent(work) +
         " of the work of " + std::string(messages->at("processor").as_string()) + ", the busiest, and " +
         percent(messages->at("share").as_double()) + " of " + of_what +
         ". Fewer and larger messages may gain more than faster processors.";
}

std::vector<std::string> sentences_of(const Shares& shares, const std::vector<Change>& changes,
                                      const std::string& of_what, const std::string& missing,
                                      const std::string& messages) {
  std::vector<std::string> all;
  std::vector<std::size_t> order(stage_count);
  for (std::size_t s = 0; s < stage_count; ++s) order[s] = s;
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return shares[a] > shares[b]; });
  for (std::size_t i = 0; i < 3; ++i) {
    const auto stage = static_cast<Stage>(order[i]);
    if (shares[order[i]] < 0.005) break;
    all.push_back(percent(shares[order[i]]) + " of " + of_what + " is " + std::string(stage_texts[order[i]].is) +
                  "; halving it gives at most " + formatted("%.2f", bound(shares, {stage}, false)) + "x.");
  }
  if (!messages.empty()) all.push_back(messages);
  all.push_back("The bounds assume an unchanged order of events." + waiting_in_words(shares, of_what));
  if (!missing.empty()) all.push_back(missing);
  if (!changes.empty())
    all.push_back("Most promising: " + changes.front().speedup->title.text() + ", at most " +
                  formatted("%.2f", bound(shares, changes.front().speedup->stages, false)) +
                  "x. sunstar explain tries it on the result: in another order, requests can take longer.");
  return all;
}

}  // namespace

void add_advice(json::object& explanation, ConstRef config, const std::string& of_what) {
  Shares shares{};
  for (const json::value& entry : explanation.at("critical_path").as_array())
    for (std::size_t s = 0; s < stage_count; ++s)
      if (entry.at("stage").as_string() == stage_names[s]) shares[s] = entry.at("share").to_number<double>();
  Changes found(config);
  auto& changes = found.all;
  std::erase_if(changes, [&](const Change& c) {
    return c.settings.empty() || bound(shares, c.speedup->stages, false) < least_gain;
  });
  std::ranges::stable_sort(changes, [&](const Change& a, const Change& b) {
    return share_of(shares, a.speedup->stages) > share_of(shares, b.speedup->stages);
  });
  if (changes.size() > 3) changes.resize(3);
  json::array listed;
  for (const Change& c : changes) {
    json::array stages, settings(c.settings.begin(), c.settings.end());
    for (const Stage s : c.speedup->stages) stages.push_back(json::value(stage_names[static_cast<std::size_t>(s)]));
    const double waits_gone = bound(shares, c.speedup->stages, true);
    listed.push_back({{"change", c.speedup->title.text()},
                      {"stages", std::move(stages)},
                      {"share", share_of(shares, c.speedup->stages)},
                      {"at_most", bound(shares, c.speedup->stages, false)},
                      {"waits_gone", waits_gone > 0 ? json::value(waits_gone) : json::value(nullptr)},
                      {"settings", std::move(settings)}});
  }
  json::array sentences;
  const auto messages = messages_in_words(shares, explanation, of_what);
  for (const std::string& s : sentences_of(shares, changes, of_what, found.missing, messages))
    sentences.push_back(json::value(s));
  if (const auto* interference = explanation.if_contains("interference"))
    for (const json::value& s : interference->at("sentences").as_array()) sentences.push_back(s);
  explanation["changes"] = std::move(listed);
  explanation["sentences"] = std::move(sentences);
  explanation["text"] = explanation_text(explanation);
}

}  // namespace sunstar::kit
