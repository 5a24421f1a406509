// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "models/core/error.h"

namespace sunstar::workload {

/// Returns the whole text of a file. Unpacks a file that begins like gzip data, under any name. Throws a ConfigError
/// that names the file if it cannot be read, is damaged or is not a text file; `must_be` completes the sentence with
/// what the file must be.
std::string read_text(const std::string& path, std::string_view must_be = "a CSV file");

/// Reads the lines of a CSV file with a header and finds fields by the column's name. Commas divide fields or, if the
/// header has none, semicolons or tabs. Fields may be in double quotes ("" inside stands for one); spaces around a
/// field do not count; empty lines are skipped, and so are lines before the header that begin with #.
class CsvReader {
 public:
  /// A column to find, under one of these names; not all files need to have it if it is not `needed`.
  struct Column {
    Column(const char* name, bool is_needed = true) : names{name}, needed(is_needed) {}
    Column(std::initializer_list<std::string> any) : names(any) {}
    std::vector<std::string> names;
    bool needed = true;
  };

  /// Throws a ConfigError that names the file and the columns found if one of `columns` is missing.
  CsvReader(std::string path, const std::vector<Column>& columns);

  /// Goes to the next line; returns false after the last one. Throws a ConfigError if the line does not have as many
  /// fields as the header.
  bool next();
  std::uint64_t line() const { return line_; }
  /// Whether the file has columns[column].
  bool has(std::size_t column) const { return places_[column] < width_; }
  /// The name under which columns[column] was found.
  const std::string& name(std::size_t column) const { return names_[column]; }
  /// The field of columns[column] in the current line; valid until next().
  std::string_view field(std::size_t column) const { return fields_[places_[column]]; }

  /// Throws ConfigError `FILE:LINE: column: "field" is not allowed; it must be <must_be>.`
  template <class... MustBe>
  [[noreturn]] void refuse(std::size_t column, const MustBe&... must_be) const {
    throw ConfigError(path_, ":", line_, ": ", names_[column], ": ", in_quotes(field(column)),
                      " is not allowed; it must be ", must_be..., ".");
  }
  /// Refuses anything but 0 .. most, also with a point and zeros behind.
  std::uint64_t integer(std::size_t column, std::uint64_t most = INT64_MAX) const;
  double time(std::size_t column) const;  ///< refuses anything but a finite number >= 0

 private:
  bool split_line();

  std::string path_, text_;
  std::vector<std::string> names_;
  std::vector<std::size_t> places_;
  std::size_t at_ = 0, width_ = 0;
  std::uint64_t line_ = 0;
  char separator_ = ',';
  std::vector<std::string_view> fields_;
  std::vector<std::string> unquoted_;
};

}  // namespace sunstar::workload
