// SPDX-License-Identifier: MIT
#include "platforms/kit/json_text.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>

#include "models/core/error.h"
#include "platforms/kit/output.h"

namespace sunstar::kit {
namespace {

/// Builds the value. Unlike Boost's own parser, it refuses a key given twice and reads doubles exactly.
struct Handler {
  using error_code = boost::system::error_code;
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_object_size = max_array_size, max_string_size = max_array_size,
                               max_key_size = max_array_size;

  json::value_stack stack;
  std::vector<std::set<std::string>> keys;
  std::string key, number;
  std::string fault;              // why the parser was stopped, if not by the grammar
  const char* key_end = nullptr;  // of the last key, in the text

  bool on_document_begin(error_code&) { return stack.reset(), true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t n, error_code&) { return stack.push_array(n), true; }
  bool on_object_begin(error_code&) {
    keys.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t n, error_code&) {
    keys.pop_back();
    stack.push_object(n);
    return true;
  }
  bool on_string_part(std::string_view s, std::size_t, error_code&) { return stack.push_chars(s), true; }
  bool on_string(std::string_view s, std::size_t, error_code&) { return stack.push_string(s), true; }
  bool on_key_part(std::string_view s, std::size_t, error_code&) {
    key += s;
    stack.push_chars(s);
    return true;
  }
  bool on_key(std::string_view s, std::size_t, error_code& error) {
    key += s;
    key_end = s.data() + s.size();
    stack.push_key(s);
    if (keys.back().insert(key).second) {
      key.clear();
      return true;
    }
    fault = "the key " + in_quotes(key) + " occurs twice in one object";
    error = boost::system::errc::make_error_code(boost::system::errc::invalid_argument);
    return false;
  }
  bool on_number_part(std::string_view s, error_code&) {
    number += s;
    return true;
  }
  bool on_int64(std::int64_t i, std::string_view, error_code&) {
    number.clear();
    stack.push_int64(i);
    return true;
  }
  bool on_uint64(std::uint64_t i, std::string_view, error_code&) {
    number.clear();
    stack.push_uint64(i);
    return true;
  }
  bool on_double(double d, std::string_view s, error_code& error) {
    number += s;
    if (std::from_chars(number.data(), number.data() + number.size(), d).ec == std::errc::result_out_of_range &&
        !std::isfinite(d)) {
      fault = "the number " + printable(number) + " is too large; it must be below 1.8e308";
      error = boost::system::errc::make_error_code(boost::system::errc::result_out_of_range);
      return false;
    }
    number.clear();
    stack.push_double(d);
    return true;
  }
  bool on_bool(bool b, error_code&) { return stack.push_bool(b), true; }
  bool on_null(error_code&) { return stack.push_null(), true; }
  bool on_comment_part(std::string_view, error_code&) { return true; }
  bool on_comment(std::string_view, error_code&) { return true; }
};

struct Failure {
  std::size_t at = 0;
  std::string what;
};

/// The error in the text at a place; `key_end` is the end of the last key there. For something missing, the place is
/// where it belongs, behind the last value or key.
Failure explain(std::string_view text, std::size_t at, const char* key_end, const boost::system::error_code& error) {
  const auto before = text.substr(0, at).find_last_not_of(" \t\r\n");
  const char last = before == std::string_view::npos ? ' ' : text[before];
  const char here = at < text.size() ? text[at] : ' ';
  const auto is_between = [&](std::size_t i, int least, int most) {
    return i < text.size() && static_cast<unsigned char>(text[i]) >= least &&
           static_cast<unsigned char>(text[i]) <= most;
  };
  if (is_between(at, 0x80, 0xff) && !is_between(at + 1, 0x80, 0xbf))
    return {at, "this byte is no UTF-8, but may be Latin-1; the file must be UTF-8"};
  if (here == '/' || here == '#' || last == '/') return {at, "comments are not allowed in JSON"};
  if ((here == '}' || here == ']') && last == ',')
    return {at, "a comma before the closing bracket is not allowed in JSON"};
  if (here == '\'') return {at, "strings are written between double quotes in JSON"};
  if (at >= text.size()) return {at, "the text ends before the JSON is complete"};
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const bool begins = word(here) || here == '"' || here == '{' || here == '[';
  const bool ended = word(last) || last == '"' || last == '}' || last == ']';
  if (error == json::error::syntax && begins && key_end == text.data() + before)
    return {before + 1, "a colon is missing here, behind the key"};
  if (error == json::error::syntax && begins && ended && (before + 1 < at || !word(last) || !word(here)))
    return {before + 1, "a comma is missing here, behind the value"};
  return {at, "this is not valid JSON (" + error.message() + ")"};
}

std::optional<json::value> parse_with(std::string_view text, Failure& failure) {
  json::basic_parser<Handler> parser{json::parse_options{}};
  boost::system::error_code error;
  auto at = parser.write_some(false, text.data(), text.size(), error);
  if (!error && at < text.size()) error = json::error::extra_data;
  if (!error) return parser.handler().stack.release();
  const auto& h = parser.handler();
  // A parser that runs out of text stands at the last character it took.
  if (error == json::error::incomplete) at = text.size();
  failure = h.fault.empty() ? explain(text, at, h.key_end, error) : Failure{at, h.fault};
  return std::nullopt;
}

constexpr std::size_t most_columns = 100;

bool is_leaf(const json::value& v) { return !v.is_array() && !v.is_object(); }

bool is_list_of_leaves(const json::value& v) {
  return v.is_array() && std::all_of(v.get_array().begin(), v.get_array().end(), is_leaf);
}

/// The text of a value that goes on one line, in pieces between which a line may end.
void pieces(const json::value& v, const std::string& before, const std::string& after,
            std::vector<std::string>& found) {
  const auto* array = v.if_array();
  const auto* object = v.if_object();
  const auto n = array ? array->size() : object ? object->size() : 0;
  std::size_t i = 0;
  const auto item = [&](const json::value& e, const std::string& key) {
    const auto head = i == 0 ? before + (array ? "[" : "{") : "";
    ++i;
    pieces(e, head + key, i == n ? (array ? "]" : "}") + after : ",", found);
  };
  if (n == 0) found.push_back(before + (v.is_double() ? number_text(v.get_double()) : json::serialize(v)) + after);
  else if (array)
    for (const auto& e : *array) item(e, "");
  else
    for (const auto& [key, e] : *object) item(e, json::serialize(json::string(key)) + ": ");
}

/// Adds this text in lines that are as full as they can be.
void fold(const json::value& v, std::size_t indent, std::string& text) {
  std::vector<std::string> found;
  pieces(v, "", "", found);
  auto column = text.size() - (text.rfind('\n') + 1);  // npos + 1 is 0
  bool first = true;
  for (const auto& piece : found) {
    if (!first) {
      const bool fits = column + 1 + piece.size() <= most_columns;
      text += fits ? " " : "\n" + std::string(indent + 1, ' ');
      column = fits ? column + 1 : indent + 1;
    }
    text += piece;
    column += piece.size();
    first = false;
  }
}

/// A list of single values goes on one line if it fits, or else, as the defects of a drive, on few; so does an object
/// of single values and such lists that is an element of a list.
void print(const json::value& v, std::size_t indent, std::string& text, bool element = false) {
  const auto* array = v.if_array();
  const auto* object = v.if_object();
  const auto single = [](const auto& m) { return is_leaf(m.value()) || is_list_of_leaves(m.value()); };
  if (is_leaf(v) || (array && is_list_of_leaves(v)) ||
      (object && (object->empty() || (element && std::all_of(object->begin(), object->end(), single))))) {
    fold(v, indent, text);
    return;
  }
  const std::string inner(indent + 2, ' ');
  text += array ? "[" : "{";
  const char* separator = "\n";
  const auto item = [&](const json::value& e, const std::string& key) {
    text += separator + inner + key;
    print(e, indent + 2, text, array != nullptr);
    separator = ",\n";
  };
  if (array)
    for (const auto& e : *array) item(e, "");
  else
    for (const auto& [key, e] : *object) item(e, json::serialize(json::string(key)) + ": ");
  text += "\n" + std::string(indent, ' ') + (array ? "]" : "}");
}

}  // namespace

std::optional<json::value> parse_json(std::string_view text) {
  Failure ignored;
  return parse_with(text, ignored);
}

std::optional<json::value> parse_json(std::string_view text, const std::string& file, Problems& problems) {
  Failure f;
  auto value = parse_with(text, f);
  if (!value) {
    const auto before = text.substr(0, f.at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const auto newline = before.rfind('\n');
    const auto column = 1 + before.size() - (newline == std::string_view::npos ? 0 : newline + 1);
    problems.add_sentence(file, ", line ", line, ", column ", column, ": ", f.what);
  }
  return value;
}

std::optional<json::value> read_json_file(const std::filesystem::path& path, Problems& problems) {
  const auto cannot = [&](const std::string& why) {
    problems.add_sentence(path.string(), " cannot be read: ", why);
    return std::nullopt;
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return cannot("it is a folder");
  errno = 0;
  note_read(path);
  std::ifstream in(path, std::ios::binary);
  if (!in) return cannot(std::strerror(errno));
  constexpr std::size_t longest = 64 << 20;  // devices such as /dev/zero have no end
  std::string text;
  for (char part[1 << 16]; in && text.size() <= longest;) {
    in.read(part, sizeof part);
    text.append(part, static_cast<std::size_t>(in.gcount()));
  }
  if (in.bad()) return cannot(std::strerror(errno));
  if (text.size() > longest) return cannot("it is longer than 64 MiB, which no configuration is");
  if (is_utf16(text)) return cannot("it is UTF-16; it must be UTF-8");
  const std::string_view json = text;
  return parse_json(json.starts_with(byte_order_mark) ? json.substr(byte_order_mark.size()) : json, path.string(),
                    problems);
}

std::string number_text(double d) {
  if (!std::isfinite(d)) return "null";
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, d).ptr};
}

std::string short_number_text(double d) { return number_text(std::strtod(formatted("%.4e", d).c_str(), nullptr)); }

std::string formatted(const char* format, double d) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, format, d);
  return buffer;
}

std::string pretty(const json::value& v) {
  std::string text;
  print(v, 0, text);
  return text + "\n";
}

}  // namespace sunstar::kit
