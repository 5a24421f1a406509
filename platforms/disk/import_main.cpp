// SPDX-License-Identifier: MIT
#include <iostream>
#include <optional>
#include <string_view>
#include <vector>

#include "models/core/message_text.h"
#include "platforms/disk/parv_import.h"
#include "platforms/kit/named_files.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/command_line.h"
#include "platforms/kit/run/tool.h"

namespace sunstar::disk_platform {
namespace {

constexpr const char* help =
    "sunstar-disk import: turns a drive's description in the parameter files of disk simulations into a drive of the\n"
    "catalogue.\n\n"
    "Usage: sunstar-disk import FILE [--output NAME.json] [--source-anywhere]\n\n"
    "FILE is a .parv file (its first disk and that disk's bus are taken) or a .diskspecs file (a disk without a bus);\n"
    "the files that it sources must lie in its folder, unless --source-anywhere allows others. Without --output the\n"
    "drive is printed; otherwise it is written to NAME.json, a file that machine.disk can name.\n\n"
    "Example:\n  sunstar-disk import cheetah9LP.parv --output cheetah9LP.json\n\n"
    "Exit codes: 0 success, 2 error in the command line, 3 a file that cannot be read, used or written.\n";

const std::vector<std::string> options{"--output", "--source-anywhere", "--help"};

void import(int argc, const char* const* argv) {
  std::optional<std::string> file, output;
  Sourcing sourcing = Sourcing::from_folder;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help" || word == "-h") return kit::print_text(std::cout, help);
    if (word == "--source-anywhere") {
      sourcing = Sourcing::from_anywhere;
    } else if (word.starts_with("--output")) {
      if (output) throw kit::UsageError("--output is given more than once.");
      if (word.starts_with("--output=")) output = word.substr(9);
      else if (word != "--output")
        throw kit::UsageError("There is no option " + std::string(word) + "; did you mean --output?");
      else if (++i < argc) output = argv[i];
      if (!output || output->empty()) throw kit::UsageError("--output needs the name of a file.");
    } else if (word.starts_with('-') && word != "-") {
      throw kit::UsageError("There is no option " + std::string(word) + suggestion(word, options) +
                            (nearest(word, options) ? "" : "."));
    } else if (file) {
      throw kit::UsageError("Only one file can be imported at a time, and there are two: " + *file + " and " +
                            std::string(word) + ".");
    } else {
      file = word;
    }
  }
  if (!file) throw kit::UsageError("The file to import is missing.");
  const std::string text = catalogue_text(import_drive(*file, sourcing));
  if (!output || *output == "-") return kit::print_text(std::cout, text);
  kit::require_distinct({{"--output", *output}});
  kit::write_file(*output, text);
}

}  // namespace

int import_main(int argc, const char* const* argv) {
  return kit::run_tool("sunstar-disk import", [&] { import(argc, argv); });
}

}  // namespace sunstar::disk_platform
