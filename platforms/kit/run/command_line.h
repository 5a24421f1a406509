// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "platforms/kit/run/watch.h"

// The options that all executables share.
namespace sunstar::kit {

/// The command line cannot be understood: exit code 2.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& sentence) : std::runtime_error(sentence) {}
};

struct CommandLine {
  std::optional<std::filesystem::path> config, output, vcd, timeline, log;
  Watch watch = {};                   ///< without its files, whose names are temporary until they are complete
  std::string vcd_scope = {};         ///< as it was given
  std::vector<std::string> settings;  ///< "path=value" each
  std::optional<std::uint64_t> seed, trials;
  std::optional<std::filesystem::path> points;  ///< --print-points
  bool print_config = false, structure = false, schema = false, result_schema = false, parameters = false,
       check = false, verbose = false, quiet = false, version = false, help = false;
};

/// Throws a UsageError with a sentence that names the nearest option.
CommandLine parse_command_line(int argc, const char* const* argv);

/// Reads "2ms,5ms": from, to. Either may be left out ("2ms,", ",5ms"). Throws a UsageError that names the option.
Window parse_window(const std::string& option, const std::string& text);
/// Reads "iop0*,cp3": patterns of names. Throws a UsageError that names the option.
Scope parse_scope(const std::string& option, const std::string& text);

/// The options with one line each, for --help.
std::string options_text();

}  // namespace sunstar::kit
