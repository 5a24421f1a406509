// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <string_view>
#include <variant>

namespace sunstar {

/// A file that grows as a run goes on, through gzip if its name ends in .gz; or a stream.
class TextOutput {
 public:
  /// A file, or a stream that must live until close().
  using To = std::variant<std::filesystem::path, std::ostream*>;
  /// Throws ConfigError if the file cannot be written.
  explicit TextOutput(const To& to);
  ~TextOutput();
  TextOutput(const TextOutput&) = delete;

  void put(std::string_view text);
  /// Throws ConfigError if not all of the text could be written. Nothing more may be put then.
  void close();

 private:
  struct Stages;
  std::unique_ptr<Stages> stages_;
};

}  // namespace sunstar
