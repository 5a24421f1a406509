// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

// Output that is there whole or not at all: written under a temporary name in the same folder, then renamed. What
// cannot be written is a ConfigError that names the path and the reason.
namespace sunstar::kit {

/// Throws a ConfigError unless a file can be made at `path`; done before a simulation, so that no hours are lost.
void probe_output(const std::filesystem::path&);

/// Writes `text` to `path`, which holds the old content or all of the new. Devices and pipes are written straight.
void write_file(const std::filesystem::path&, std::string_view text);

/// A file that somebody else writes, under a temporary name that ends in `extension`. It becomes `path` at commit() and
/// goes away if there is none, also when the program is interrupted (see remove_temporaries_on_interrupt).
class TemporaryOutput {
 public:
  TemporaryOutput(std::filesystem::path path, const std::string& extension);
  ~TemporaryOutput();
  TemporaryOutput(const TemporaryOutput&) = delete;
  TemporaryOutput& operator=(const TemporaryOutput&) = delete;

  const std::filesystem::path& temporary() const { return temporary_; }
  void commit();

 private:
  std::filesystem::path path_, temporary_;
  int slot_ = -1;
};

/// From now on SIGINT and SIGTERM remove temporary files before they end the program as usual.
void remove_temporaries_on_interrupt();

}  // namespace sunstar::kit
