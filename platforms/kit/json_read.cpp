// SPDX-License-Identifier: MIT
#include "platforms/kit/json_read.h"

namespace sunstar::kit {
namespace fs = std::filesystem;

std::string range_text(std::string_view min, std::string_view max) {
  if (!min.empty() && !max.empty()) return "between " + std::string(min) + " and " + std::string(max);
  if (!min.empty()) return "at least " + std::string(min);
  return max.empty() ? "" : "at most " + std::string(max);
}

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

void wrong_type(Reader& r, const std::string& path, const json::value& v, std::string_view wanted) {
  r.problems.add(path, "is ", shown(v), "; it must be ", wanted);
}

void unknown_key(Reader& r, const std::string& path, std::string_view key, const std::vector<std::string>& keys,
                 const std::vector<std::string>& shown) {
  const auto near = suggestion(key, keys);
  const auto section = path.empty() ? "a configuration" : path;
  r.problems.add(json_path(path, key), "is not a parameter",
                 near.empty() ? "; " + section + " has " + listed(shown, "and", false) : near);
}

void not_allowed(Reader& r, const std::string& path, std::string_view text, const std::vector<std::string>& allowed) {
  r.problems.add(path, "is ", in_quotes(text), "; it must be ", listed(allowed, "or"), suggestion(text, allowed));
}

void out_of_range(Reader& r, const std::string& path, const std::string& shown, std::string_view min,
                  std::string_view max) {
  r.problems.add(path, "is ", shown, "; it must be ", range_text(min, max));
}

std::optional<std::int64_t> read_integer(Reader& r, const json::value& v, const std::string& path,
                                         const IntegerForm& type, const Param& rule) {
  const auto n = whole(v);
  if (v.is_uint64() && v.get_uint64() <= type.greatest) return static_cast<std::int64_t>(v.get_uint64());
  if (n && *n >= type.least && (*n < 0 || static_cast<std::uint64_t>(*n) <= type.greatest)) return n;
  if (n || v.is_uint64() || is_huge(v))
    out_of_range(r, path, shown(v), rule.min.empty() ? std::to_string(type.least) : rule.min.text(),
                 rule.max.empty() ? std::to_string(type.greatest) : rule.max.text());
  else wrong_type(r, path, v, "a whole number");
  return std::nullopt;
}

void read_tag(const ChoiceForm& f, void* choice, const json::object& object, const std::string& tag,
              const std::string& path, Reader& r) {
  const auto* value = object.if_contains(tag);
  if (!value) return;
  const auto here = json_path(path, tag);
  const auto* text = value->if_string();
  if (!text) wrong_type(r, here, *value, "a name, such as " + in_quotes(chosen(f, choice).kind));
  else if (!choose(f, choice, *text)) not_allowed(r, here, *text, kind_names(f));
}

/// Reads the keys that only alternatives other than the chosen one have.
void read_foreign_keys(const ChoiceForm& f, const void* choice, const json::object& object, const std::string& tag,
                       const std::string& path, Reader& r) {
  for (const auto& [alternative, member] : keys_of_alternatives(f)) {
    const auto* value = object.if_contains(member->name);
    if (!value) continue;
    const auto kinds = kinds_with(f, member->name);
    if (std::ranges::find(kinds, chosen(f, choice).kind) != kinds.end()) continue;
    const Object other(alternative->type);
    const auto of_other = member->in(other.ref());
    const auto here = json_path(path, member->name);
    const auto preset = write(of_other);
    read_into(of_other, *value, here, member->rule(), r);
    r.foreign.push_back({here, write(of_other), preset, tag, kinds});
  }
}

/// Checks the rules that span several members: the rules of the bases, of the chosen alternative, and the section's
/// own.
void run_checks(ConstRef section, const std::string& path, Problems& problems) {
  const auto& form = section.type->as<SectionForm>();
  for (const Base& base : form.bases) run_checks({base.type, base.of(const_cast<void*>(section.at))}, path, problems);
  for (std::size_t i = form.inherited; i < form.members.size(); ++i)
    if (const auto* choice = form.members[i].type->if_is<ChoiceForm>())
      run_checks(chosen_ref(*choice, form.members[i].in(section).at), path, problems);
  if (form.check) form.check(section.at, path, problems);
}

/// Reads one value, whose type has the form that operator() takes.
struct ValueReader {
  Ref into;
  const json::value& v;
  const std::string& path;
  const Param& rule;
  Reader& r;

  void operator()(const BooleanForm&) const {
    if (v.is_bool()) into.as<bool>() = v.get_bool();
    else wrong_type(r, path, v, "true or false");
  }

  void operator()(const IntegerForm& f) const {
    const auto n = read_integer(r, v, path, f, rule);
    if (!n) return;
    f.set(into.at, *n);
    check_range(f);
  }

  void operator()(const RealForm& f) const {
    if (!v.is_number()) return wrong_type(r, path, v, "a number");
    f.set(into.at, v.to_number<double>());
    check_range(f);
  }

  void operator()(const QuantityForm& f) const {
    const auto* text = v.if_string();
    if (!text) {
      std::string units;
      for (const auto& u : f.notation->units) units += (units.empty() ? "" : ", ") + u;
      return wrong_type(
          r, path, v,
          f.notation->noun + " with its unit, such as \"" + f.notation->example + "\" (units: " + units + ")");
    }
    const auto why = f.parse(into.at, *text);
    if (why.empty()) check_range(f);
    else r.problems.add(path, "is ", in_quotes(*text), "; ", why);
  }

  void operator()(const EnumForm& f) const {
    const auto* text = v.if_string();
    if (!text) return wrong_type(r, path, v, "a name, such as \"" + f.names.at(f.get(into.at)) + "\"");
    const auto found = std::ranges::find(f.names, std::string_view(*text));
    if (found != f.names.end()) f.set(into.at, static_cast<std::size_t>(found - f.names.begin()));
    else not_allowed(r, path, *text, f.names);
  }

  void operator()(const StringForm&) const {
    const auto* text = v.if_string();
    if (!text) return wrong_type(r, path, v, "a string");
    into.as<std::string>() = *text;
    if (!rule.allowed.empty() && std::ranges::find(rule.allowed, std::string_view(*text)) == rule.allowed.end())
      not_allowed(r, path, *text, rule.allowed);
  }

  void operator()(const PathForm&) const {
    const auto* text = v.if_string();
    if (!text) return wrong_type(r, path, v, "a string, the path of a file");
    if (*text == "-")
      return r.problems.add(path, "is \"-\"; it must be the path of a file (\"./-\" for a file called -)");
    into.as<std::filesystem::path>() =
        text->empty() ? std::filesystem::path{} : std::filesystem::absolute(r.resolve(path, *text));
  }

  /// A list of sizes, "8x9" for such a list, or a word.
  void operator()(const ShapeForm&) const {
    auto& shape = into.as<Shape>();
    json::value list = v;
    if (const auto* text = v.if_string()) {
      if (const auto word = Shape::of_word(*text)) {
        shape = *word;
        return;
      }
      const auto sizes = Shape::sizes_in(*text);
      if (!sizes)
        return r.problems.add(path, "is ", in_quotes(*text), "; it must be a shape such as \"8x9\" or [8, 9], or ",
                              listed(Shape::words(), "or"), suggestion(*text, Shape::words()));
      list = json::array(sizes->begin(), sizes->end());
    }
    if (!list.is_array())
      return wrong_type(r, path, v, "a shape such as \"8x9\" or [8, 9], or " + listed(Shape::words(), "or"));
    Shape::Sizes sizes;
    read_into(sizes, list, path, rule, r);
    shape = std::move(sizes);
  }

  void operator()(const OptionalForm& f) const {
    if (v.is_null()) return f.reset(into.at);
    void* value = f.get(into.at);
    if (!value) {
      value = f.emplace(into.at);
      const auto* section = f.value->if_is<SectionForm>();
      if (const Object* from = r.kept(rule.starts_from.text())) f.value->assign(value, from->ref().at);
      else if (section && !section->noun.empty()) r.must_be_chosen(path, section->noun, section->folder);
    }
    read_into(Ref{f.value, value}, v, path, rule, r);
  }

  void operator()(const ListForm& f) const {
    if (const auto* object = v.if_object(); object && r.problems.comes_from_option(path))
      return change_elements(f, *object);
    const auto* array = v.if_array();
    if (!array) return wrong_type(r, path, v, "an array");
    if (const auto size = f.size(into.at); f.is_fixed && array->size() != size)
      return r.problems.add(path, "has ", array->size(), array->size() == 1 ? " element" : " elements",
                            "; it must have ", size);
    if (!f.is_fixed) f.assign(into.at, array->size());
    for (std::size_t i = 0; i < array->size(); ++i)
      read_into(Ref{f.element, f.element_at(into.at, i)}, (*array)[i], json_path(path, std::to_string(i)), rule, r);
  }

  void operator()(const MapForm& f) const {
    const auto* object = v.if_object();
    if (!object) return wrong_type(r, path, v, "an object");
    for (const auto& [key, value] : *object)
      read_into(Ref{f.element, f.element_at(into.at, std::string(key))}, value, json_path(path, key), rule, r);
  }

  void operator()(const SectionForm& f) const {
    if (const auto* name = v.if_string()) return read_named(f, *name);
    const auto* object = v.if_object();
    if (!object) return wrong_type(r, path, v, "an object, or a string that names the file that holds it");
    const auto before = r.problems.count();
    for (const Member& m : f.members)
      if (const auto* choice = m.type->if_is<ChoiceForm>()) read_tag(*choice, m.in(into).at, *object, m.name, path, r);
    const auto names = key_names(f);
    for (const auto& [key, value] : *object)
      if (std::ranges::find(names, std::string_view(key)) == names.end())
        unknown_key(r, path, key, names, chosen_key_names(into));
    read_members(into, *object, path, r);
    // Rules across members would only repeat a known error of one member in other words.
    if (r.problems.count() == before) run_checks(into, path, r.problems);
  }

  void operator()(const auto&) const { throw std::logic_error("a configuration holds nothing of this type"); }

 private:
  void check_range(const Ordered& order) const {
    const Object limit(into.type);
    void* at = limit.ref().at;
    const bool is_zero = !order.less(at, into.at) && !order.less(into.at, at);
    const auto outside = [&](std::string_view least, std::string_view most) {
      return (!least.empty() && order.from_notation(at, least) && order.less(into.at, at)) ||
             (!most.empty() && order.from_notation(at, most) && order.less(at, into.at));
    };
    const bool refused = outside(rule.min, rule.max);
    if (!refused && (is_zero || !outside(rule.usual_least, rule.usual_most))) return;
    const auto value = write(into);
    const std::string shown = value.is_double() ? number_text(value.get_double()) : json::serialize(value);
    if (refused) return out_of_range(r, path, shown, rule.min, rule.max);
    r.unusual.push_back(path + " is " + shown + ", which is hardly meant; usual values are " +
                        range_text(rule.usual_least, rule.usual_most));
  }

  /// --set nodes.3.role=io onto a list that the file leaves out arrives as an object; it changes the default list.
  void change_elements(const ListForm& f, const json::object& object) const {
    if (object.empty()) return wrong_type(r, path, v, "an array");
    const auto size = f.size(into.at);
    for (const auto& [key, value] : object) {
      std::size_t i = size;
      if (!is_number(key, i) || i >= size)
        r.problems.add_sentence(r.problems.origin(json_path(path, key)), ": ", no_element(path, size, key));
      else read_into(Ref{f.element, f.element_at(into.at, i)}, value, json_path(path, key), rule, r);
    }
  }

  void read_named(const SectionForm& f, std::string_view name) const {
    for (const Member& m : f.members) {
      const auto* choice = m.type->if_is<ChoiceForm>();
      const auto kinds = choice ? kind_names(*choice) : std::vector<std::string>{};
      if (std::ranges::find(kinds, name) != kinds.end())
        return r.problems.add(path, "is the string ", in_quotes(name), "; it must be an object; did you mean ",
                              json_path(path, m.name), " ", in_quotes(name), "?");
    }
    const auto section = r.open(name, path, f.noun, f.folder);
    if (!section) return;
    if (const auto* object = section->value.if_object(); object && !f.noun.empty()) {
      const auto known = std::ranges::count_if(f.members, [&](const Member& m) { return object->contains(m.name); });
      if (2 * static_cast<std::size_t>(known) < object->size())
        return r.problems.add(path, "is ", in_quotes(name), "; this file describes no ", f.noun);
    }
    const Object fresh(into.type);  // a file means the same wherever it is named
    if (section->value.is_object()) read_into(fresh.ref(), section->value, path, rule, r);
    else r.problems.add_sentence(section->file.string(), ": the file must hold an object");
    into.type->assign(into.at, fresh.ref().at);
  }
};

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
    problems.add(path, "is the string ", in_quotes(name),
                 "; it must be an object, or the path of a JSON file that holds it");
    return std::nullopt;
  }
  const auto file = is_file ? resolve(path, name) : catalogue / (std::string(name) + ".json");
  std::error_code error;
  if (!is_file && !fs::exists(file, error)) {
    for (const auto& other : fs::recursive_directory_iterator(catalogue.parent_path(), error))
      if (other.path().filename() == file.filename()) {
        problems.add(path, "is ", in_quotes(name), ", which lies in ", other.path().parent_path().string(),
                     "; it must be one of the ", noun, "s of ", catalogue.string());
        return std::nullopt;
      }
    const auto names = catalogue_names(catalogue);
    problems.add(path, "is ", in_quotes(name), "; there is no such ", noun, " in the catalogue, which has ",
                 names.empty() ? "none" : listed(names, "and"), suggestion(name, names));
    return std::nullopt;
  }
  if (!fs::is_regular_file(file, error) && (!fs::exists(file, error) || fs::is_directory(file, error))) {
    problems.add(path, "is ", in_quotes(name), "; ",
                 fs::exists(file, error) ? "this is a folder" : "there is no file " + file.string(),
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
    problems.add(path, "is ", in_quotes(name), ", the file that names it");
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
  problems.add_sentence(problems.origin(path), ": there is no ", path, "; choose its ", noun, " first, such as --set ",
                        path, "=", names.empty() ? "FILE.json" : names.front());
}

fs::path Reader::resolve(const std::string& path, std::string_view name) const {
  return (problems.comes_from_option(path) ? fs::path(name) : folder_ / fs::path(name)).lexically_normal();
}

void read_members(Ref section, const json::object& object, const std::string& path, Reader& r) {
  for (const Member& m : members_of(*section.type)) {
    const auto here = json_path(path, m.name);
    const auto value = m.in(section);
    if (const auto* choice = m.type->if_is<ChoiceForm>()) {
      read_members(chosen_ref(*choice, value.at), object, path, r);
      read_foreign_keys(*choice, value.at, object, here, path, r);
      continue;
    }
    if (const auto* given = object.if_contains(m.name)) read_into(value, *given, here, m.rule(), r);
    if (m.type->is<SectionForm>()) r.keep(here, value);
    if (const auto* optional = m.type->if_is<OptionalForm>(); optional && optional->value->is<SectionForm>())
      if (const void* own = value_at(*optional, value.at)) r.keep(here, {optional->value, own});
  }
}

void read_into(Ref into, const json::value& v, const std::string& path, const Param& rule, Reader& r) {
  std::visit(ValueReader{into, v, path, rule, r}, into.type->form);
}

void read(Ref into, const json::value& v, const std::string& path, Problems& problems) {
  Reader reader(problems, nullptr, {}, project_folder());
  read_into(into, v, path, Param{}, reader);
}

}  // namespace sunstar::kit
