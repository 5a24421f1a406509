// SPDX-License-Identifier: MIT
#include "sw/workload/trace/csv.h"

#include <algorithm>
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "models/core/error.h"

namespace sunstar::workload {
namespace {

std::string_view trim(std::string_view s, char separator) {
  const std::string_view blank = separator == '\t' ? " \r" : " \t\r";
  s.remove_prefix(std::min(s.find_first_not_of(blank), s.size()));
  return s.substr(0, s.find_last_not_of(blank) + 1);
}

std::string gunzip(const std::string& path, const std::string& packed) {
  namespace io = boost::iostreams;
  std::string text;
  try {
    io::filtering_streambuf<io::input> in;
    in.push(io::gzip_decompressor());
    in.push(io::array_source(packed.data(), packed.size()));
    io::copy(in, io::back_inserter(text));
  } catch (const std::ios_base::failure&) {
    throw ConfigError(path, ": the gzip data is damaged or ends too early, after ", text.size(),
                      " unpacked bytes; it must be a complete gzip file.");
  }
  return text;
}

/// Returns the place of the first control character that no text file contains; the end of the text if there is none.
/// 0x1a is allowed because some systems end their text files with it.
std::size_t no_text(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if(text,
                                                       [](char c) {
                                                         return static_cast<unsigned char>(c) < ' ' &&
                                                                std::string_view("\t\n\v\f\r\x1a").find(c) ==
                                                                    std::string_view::npos;
                                                       }) -
                                  text.begin());
}

}  // namespace

std::string read_text(const std::string& path, std::string_view must_be) {
  std::error_code error;
  if (path.empty()) throw ConfigError("workload.trace is not set; it must be ", must_be, ", plain or packed by gzip.");
  if (std::filesystem::is_directory(path, error))
    throw ConfigError(path, ": it is a folder; it must be ", must_be, ", plain or packed by gzip.");
  if (!std::filesystem::is_regular_file(path, error))
    throw ConfigError(path,
                      std::filesystem::exists(path, error) ? ": this is not a regular file" : ": there is no such file",
                      "; it must be ", must_be, ", plain or packed by gzip.");
  std::ifstream in(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw ConfigError(path, ": the file cannot be read; it must be readable.");
  if (text.size() >= 2 && text[0] == '\x1f' && text[1] == '\x8b') text = gunzip(path, text);
  if (is_utf16(text)) throw ConfigError(path, ": it is UTF-16; it must be UTF-8.");
  if (text.starts_with(byte_order_mark)) text.erase(0, byte_order_mark.size());
  if (const std::size_t at = no_text(text); at < text.size())
    throw ConfigError(path, ": byte ", at, " is ", int{text[at]}, ", which no text file contains; it must be ", must_be,
                      ", plain or packed by gzip.");
  return text;
}

CsvReader::CsvReader(std::string path, const std::vector<Column>& columns)
    : path_(std::move(path)), text_(read_text(path_)) {
  std::vector<std::string> needed;
  needed.reserve(columns.size());
  for (const Column& column : columns)
    if (column.needed) needed.push_back(listed(column.names, "or", false));
  std::size_t header = 0;
  do {
    while (at_ < text_.size() && text_[at_] == '#') {
      at_ = std::min(text_.find('\n', at_), text_.size() - 1) + 1;
      ++line_;
    }
    header = at_;
  } while (split_line() && fields_.empty());
  if (fields_.size() == 1 && fields_[0].find_first_of(";\t") != std::string_view::npos) {
    separator_ = fields_[0].find(';') == std::string_view::npos ? '\t' : ';';
    at_ = header, --line_;
    split_line();
  }
  if (fields_.empty())
    throw ConfigError(path_, ": the file is empty; it must begin with a line of column names (",
                      listed(needed, "and", false), ").");
  const std::vector<std::string> found(fields_.begin(), fields_.end());
  for (const Column& column : columns) {
    const auto place = std::find_first_of(found.begin(), found.end(), column.names.begin(), column.names.end());
    if (place == found.end() && !column.needed) {
      names_.push_back(column.names.front());
      places_.push_back(found.size());
      continue;
    }
    if (place == found.end() && std::ranges::count(found, "lbn") > 0 && column.names.front() == "rank")
      throw ConfigError(path_, ":", line_,
                        ": this is a block trace, which sunstar-disk plays (workload.kind=arrivals or trace).");
    if (place == found.end())
      throw ConfigError(path_, ":", line_, ": there is no column ", listed(column.names, "or"), " among ",
                        listed(found, "and", false), "; the columns needed are ", listed(needed, "and", false), ".");
    if (const auto again = std::find_first_of(place + 1, found.end(), column.names.begin(), column.names.end());
        again != found.end())
      throw ConfigError(path_, ":", line_, ": the columns ", *place, " and ", *again,
                        " mean the same; there must be one of them.");
    names_.push_back(*place);
    places_.push_back(static_cast<std::size_t>(place - found.begin()));
  }
  width_ = found.size();
}

bool CsvReader::next() {
  do {
    if (!split_line()) return false;
  } while (fields_.empty());
  if (fields_.size() != width_)
    throw ConfigError(path_, ":", line_, ": the line has ", fields_.size(), fields_.size() == 1 ? " field" : " fields",
                      "; it must have the ", width_, " of the header.");
  return true;
}

// Splits the next line into fields_ (none for an empty line); false at the end of the text.
bool CsvReader::split_line() {
  fields_.clear();
  unquoted_.clear();
  if (at_ >= text_.size()) return false;
  ++line_;
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string_view rest(text_.data() + at_, end - at_);
  at_ = end + 1;
  if (trim(rest, ',').empty()) return true;
  std::vector<std::pair<std::size_t, std::size_t>> quoted;  // field, index in unquoted_
  while (true) {
    const std::string_view start = trim(rest, separator_);
    if (!start.empty() && start.front() == '"') {
      rest = start.substr(1);
      std::string value;
      while (true) {
        const std::size_t quote = rest.find('"');
        if (quote == std::string_view::npos)
          throw ConfigError(path_, ":", line_, ": a quoted field does not end; it must end with \" on its line.");
        value += rest.substr(0, quote);
        rest.remove_prefix(quote + 1);
        if (rest.empty() || rest.front() != '"') break;
        value += '"';
        rest.remove_prefix(1);
      }
      rest = trim(rest, separator_);
      if (!rest.empty() && rest.front() != separator_)
        throw ConfigError(path_, ":", line_, ": a quoted field is followed by ", in_quotes(rest),
                          "; after the closing quote a separator or the end of the line must follow.");
      quoted.emplace_back(fields_.size(), unquoted_.size());
      unquoted_.push_back(std::move(value));
      fields_.emplace_back();
      if (rest.empty()) break;
      rest.remove_prefix(1);
    } else {
      const std::size_t comma = rest.find(separator_);
      fields_.push_back(trim(rest.substr(0, comma), separator_));
      if (comma == std::string_view::npos) break;
      rest.remove_prefix(comma + 1);
    }
  }
  for (const auto& [field, index] : quoted) fields_[field] = unquoted_[index];
  return true;
}

std::uint64_t CsvReader::integer(std::size_t column, std::uint64_t most) const {
  std::uint64_t value = 0;
  std::string_view digits = field(column);
  if (const std::size_t point = digits.find('.'); point != std::string_view::npos)
    if (digits.find_first_not_of('0', point + 1) == std::string_view::npos) digits = digits.substr(0, point);
  if (!is_number(digits, value) || value > most) refuse(column, "a whole number from 0 to ", most);
  return value;
}

double CsvReader::time(std::size_t column) const {
  double value = 0;
  if (!is_number(field(column), value) || !std::isfinite(value) || value < 0)
    refuse(column, field(column).find(',') == std::string_view::npos ? "a number not below 0"
                                                                     : "a number not below 0, with a decimal point");
  return value;
}

}  // namespace sunstar::workload
