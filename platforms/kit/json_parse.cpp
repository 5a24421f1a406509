// SPDX-License-Identifier: MIT
#include <boost/json/basic_parser_impl.hpp>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>

#include "models/core/error.h"
#include "platforms/kit/named_files.h"

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

  bool on_document_begin(error_code&) {
    stack.reset();
    return true;
  }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t n, error_code&) {
    stack.push_array(n);
    return true;
  }
  bool on_object_begin(error_code&) {
    keys.emplace_back();
    return true;
  }
  bool on_object_end(std::size_t n, error_code&) {
    keys.pop_back();
    stack.push_object(n);
    return true;
  }
  bool on_string_part(std::string_view s, std::size_t, error_code&) {
    stack.push_chars(s);
    return true;
  }
  bool on_string(std::string_view s, std::size_t, error_code&) {
    stack.push_string(s);
    return true;
  }
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
  bool on_bool(bool b, error_code&) {
    stack.push_bool(b);
    return true;
  }
  bool on_null(error_code&) {
    stack.push_null();
    return true;
  }
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
    problems.add_sentence(file + ", line " + std::to_string(line) + ", column " + std::to_string(column) + ": " +
                          f.what);
  }
  return value;
}

std::optional<json::value> read_json_file(const std::filesystem::path& path, Problems& problems) {
  const auto cannot = [&](const std::string& why) {
    problems.add_sentence(path.string() + " cannot be read: " + why);
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
  const std::string_view json = text;
  return parse_json(json.starts_with(byte_order_mark) ? json.substr(byte_order_mark.size()) : json, path.string(),
                    problems);
}

}  // namespace sunstar::kit
