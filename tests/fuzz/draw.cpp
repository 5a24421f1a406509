// SPDX-License-Identifier: MIT
#include "tests/fuzz/draw.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <vector>

#include "platforms/kit/config.h"

namespace sunstar::fuzz {
namespace {

namespace json = boost::json;
using kit::ConstRef;

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

class Drawer {
 public:
  Drawer(RandomStream& random, std::string (*trace)(RandomStream&)) : random_(random), trace_(trace) {}

  json::object section(ConstRef defaults, const std::string& path) {
    json::object drawn;
    const auto& members = kit::members_of(*defaults.type);
    for (const kit::Member& m : members) {
      const std::string here = json_path(path, m.name);
      const ConstRef value = m.in(defaults);
      if (here == "run") {
        drawn["run"] = json::object{{"seed", random_.below(1u << 31)}, {"trials", 1 + below(8) / 6}};
      } else if (here == "base") {
        if (below(3) == 0) drawn["base"] = any(names_in(kit::ConfigInput{}.presets));
      } else if (const auto* choice = m.type->if_is<kit::ChoiceForm>()) {
        const auto& alternative = choice->alternatives[below(choice->alternatives.size())];
        drawn[m.name] = alternative.kind;
        const kit::Object fresh(alternative.type);
        for (auto& [key, of_kind] : section(fresh.ref(), path)) drawn[key] = std::move(of_kind);
      } else if (const auto* form = m.type->if_is<kit::SectionForm>(); form && form->noun.empty()) {
        if (auto inside = section(value, here); !inside.empty()) drawn[m.name] = std::move(inside);
      } else if (says_how_much(value, here) || below(members.size() + 2) < 2) {
        if (auto v = one(value, m.rule(), here); !v.is_null()) drawn[m.name] = std::move(v);
      }
    }
    return drawn;
  }

  json::object files;

 private:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_.below(n)); }
  template <class T>
  T any(const std::vector<T>& all) {
    return all[below(all.size())];
  }

  /// Sizes of the workload, and counts of the machine's parts.
  static bool says_how_much(ConstRef value, const std::string& path) {
    const bool of_workload = path.starts_with("workload");
    if (of_workload && value.type->is<kit::PathForm>()) return path.ends_with("trace");
    const bool is_size =
        value.type->is<kit::QuantityForm>() && value.type->as<kit::QuantityForm>().text(value.at).ends_with("B");
    const bool is_count = value.type->is<kit::IntegerForm>() && value.type->as<kit::IntegerForm>().get(value.at) > 0;
    if (of_workload) return is_size || is_count;
    return is_count && std::ranges::count(path, '.') == 1;
  }

  /// Null: none is drawn.
  json::value one(ConstRef value, const Param& rule, const std::string& path) {
    return kit::by_form(
        *value.type, [&](const kit::BooleanForm&) -> json::value { return below(2) == 0; },
        [&](const kit::EnumForm& f) -> json::value { return json::value(any(f.names)); },
        [&](const kit::StringForm&) -> json::value {
          if (!rule.allowed.empty()) return json::value(any(rule.allowed));
          return rule.name == "pattern" ? json::value(pattern()) : json::value();
        },
        [&](const kit::PathForm&) -> json::value { return file(rule, path); },
        [&](const kit::ShapeForm&) -> json::value {
          json::array sizes{1 + below(4), 1 + below(4)};
          if (below(4) == 0) sizes.push_back(1 + below(3));
          return sizes;
        },
        [&](const kit::IntegerForm& f) -> json::value {
          const auto number = count(f.get(value.at));
          const std::string text = within(f, *value.type, rule, std::to_string(number));
          return json::parse(text);
        },
        [&](const kit::RealForm& f) -> json::value {
          double least = 0, most = 0;
          const bool limited = number_in(rule.min, least) && number_in(rule.max, most);
          if (limited && most <= 1) return least + (most - least) * static_cast<double>(below(11)) / 10;
          const double number = f.get(value.at) * factor();
          return limited ? std::clamp(number, least, most) : number;
        },
        [&](const kit::QuantityForm& f) -> json::value {
          return json::value(within(f, *value.type, rule, quantity(f.text(value.at), path)));
        },
        [&](const kit::SectionForm& f) -> json::value {
          return json::value(any(names_in(kit::project_folder() / f.folder)));
        },
        [&](const kit::OptionalForm& f) -> json::value { return one(kit::Object(f.value).ref(), rule, path); },
        [&](const kit::ListForm& f) -> json::value { return list(f, path); },
        [&](const auto&) -> json::value { return nullptr; });
  }

  /// The value as text, or the limit that it goes beyond; seldom, such a value stays.
  std::string within(const kit::Ordered& order, const kit::Type& type, const Param& rule, const std::string& text) {
    const kit::Object chosen(&type), limit(&type);
    if (below(100) == 0 || !order.from_notation(chosen.ref().at, text)) return text;
    const auto known = [&](std::string_view notation) {
      return !notation.empty() && order.from_notation(limit.ref().at, notation);
    };
    if (known(rule.min) && order.less(chosen.ref().at, limit.ref().at)) return rule.min.text();
    if (known(rule.max) && order.less(limit.ref().at, chosen.ref().at)) return rule.max.text();
    return text;
  }
  double factor() {
    static constexpr double all[] = {0, 0.1, 0.5, 0.9, 1.1, 2, 3, 10};
    return all[below(8)];
  }
  std::uint64_t count(std::int64_t preset) {
    if (below(40) == 0) return random_.below(100);
    if (preset == 0) return below(4);
    if (preset <= 16) return 1 + below(6);
    return static_cast<std::uint64_t>(std::floor(static_cast<double>(preset) * factor()));
  }
  static bool number_in(std::string_view text, double& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
  }

  std::string quantity(const std::string& preset, const std::string& path) {
    double number = 0;
    const auto unit = std::from_chars(preset.data(), preset.data() + preset.size(), number).ptr;
    const std::string of(unit, preset.data() + preset.size());
    if (of.ends_with('B') && path.starts_with("workload")) return size(path);
    if (number == 0 && of == "s") return any(std::vector<std::string>{"0s", "1ms", "10ms", "500ms"});
    // Most sizes of machines are powers of two.
    number *= of.ends_with('B') && below(4) > 0 ? std::exp2(below(7)) / 8 : factor();
    if (of.ends_with('B')) number = std::floor(number);
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed, 2).ptr;
    std::string shown(text, end);
    if (of.ends_with('B')) shown.resize(shown.find('.'));
    return shown + of;
  }
  /// Sizes of one run have a common measure, because most of them must be multiples of others.
  std::string size(const std::string& path) {
    static const std::vector<std::uint64_t> measures{1,    7,    8,    100,  128,  512,  512,
                                                     1000, 1024, 2048, 4096, 8192, 8192, 16384};
    if (measure_ == 0) measure_ = any(measures);
    const bool is_unit = path.ends_with("record_size") || path.ends_with("request_size") ||
                         path.ends_with("chunk_size") || path.ends_with("message_size");
    const std::uint64_t few = measure_ <= 1024 ? 48 : 12,
                        most = std::clamp<std::uint64_t>((1 << 18) / measure_ / few, 1, 100);
    return std::to_string(measure_ * (is_unit ? 1 : few * (1 + random_.below(most)))) + "B";
  }

  std::string pattern() {
    static const std::vector<std::string> distributions{"a",  "n",  "b",  "c",  "nb", "bn", "bb",
                                                        "bc", "cb", "cc", "cn", "nc", "ss"};
    return any(std::vector<std::string>{"r", "w"}) + any(distributions);
  }

  json::value file(const Param& rule, const std::string& path) {
    if (!path.starts_with("workload")) return nullptr;
    if (rule.name != "trace" && rule.name != "list") return nullptr;
    const std::string name = rule.name.text() + std::to_string(files.size()) + ".csv";
    files[name] = rule.name == "trace" ? trace_(random_) : pieces();
    return json::value(name);
  }
  std::string pieces() {
    std::string text = "processor,offset,length\n";
    for (std::size_t i = 1 + below(20); i > 0; --i)
      text += std::to_string(below(6)) + "," + std::to_string(below(100'000)) + "," + std::to_string(1 + below(9000)) +
              "\n";
    return text;
  }

  json::value list(const kit::ListForm& f, const std::string& path) {
    if (!f.element->is<kit::SectionForm>() || below(2) == 0) return nullptr;
    json::array all;
    for (std::size_t i = 1 + below(3); i > 0; --i)
      all.push_back(section(kit::Object(f.element).ref(), path + "." + std::to_string(all.size())));
    return all;
  }

  RandomStream& random_;
  std::string (*trace_)(RandomStream&);
  std::uint64_t measure_ = 0;
};

/// What a configuration must agree on: the nodes that it lists or counts, and the processors of jobs.
void make_consistent(json::object& config, RandomStream& random) {
  auto* machine = config.contains("machine") ? config["machine"].if_object() : nullptr;
  if (!machine) return;
  if (machine->contains("nodes"))
    for (const char* counted : {"compute_processors", "io_processors", "combined", "disks"}) machine->erase(counted);
  if (machine->contains("io_processors")) {
    const std::uint64_t io = machine->at("io_processors").to_number<std::uint64_t>();
    (*machine)["disks"] = io * (1 + random.below(3));
    (*machine)["combined"] =
        random.below(3) == 0 ? std::min(io, machine->at("compute_processors").to_number<std::uint64_t>()) : 0;
  }
  auto* workload = config.contains("workload") ? config["workload"].if_object() : nullptr;
  if (!workload || !workload->contains("jobs") || !machine->contains("compute_processors")) return;
  std::uint64_t processors = 0;
  for (json::value& job : workload->at("jobs").as_array()) {
    job.as_object()["processors"] = 1 + random.below(3);
    processors += job.at("processors").to_number<std::uint64_t>();
  }
  (*machine)["compute_processors"] = processors;
}

}  // namespace

Drawn draw(ConstRef defaults, RandomStream& random, std::string (*trace)(RandomStream&)) {
  Drawer drawer(random, trace);
  Drawn drawn;
  drawn.config = drawer.section(defaults, "");
  drawn.config["schema"] = "sunstar/1";
  make_consistent(drawn.config, random);
  drawn.files = std::move(drawer.files);
  return drawn;
}

}  // namespace sunstar::fuzz
