// SPDX-License-Identifier: MIT
#include "platforms/kit/run/fst.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <cstring>
#include <string>
#include <vector>

#include "models/core/error.h"

namespace sunstar::kit {
namespace {

constexpr const char* converter = "vcd2fst";

struct Outcome {
  int error;  ///< why the program did not start (errno); 0: it did
  int exit_code;
};

/// Runs the program silently and waits for its end. (Boost.Process takes seconds to compile.)
Outcome run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {0, 1, 2}) posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  pid_t child = 0;
  const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  if (error == 0) waitpid(child, &status, 0);
  return {error, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

}  // namespace

bool is_fst(const std::filesystem::path& path) { return path.extension() == ".fst"; }

void require_fst_converter(const std::filesystem::path& fst) {
  if (run({converter, "--help"}).error != 0)
    throw ConfigError(fst.string(), " cannot be written: ", converter,
                      ", which makes FST files, is not installed (Debian: apt-get install gtkwave); a name that ends "
                      "in .vcd needs no converter.");
}

void convert_to_fst(const std::filesystem::path& vcd, const std::filesystem::path& fst) {
  const Outcome outcome = run({converter, "-v", vcd.string(), "-f", fst.string()});
  if (outcome.error != 0 || outcome.exit_code != 0)
    throw ConfigError(fst.string(), " cannot be written: ", converter, " ",
                      outcome.error != 0 ? std::string("does not run, ") + std::strerror(outcome.error)
                                         : "failed with exit code " + std::to_string(outcome.exit_code),
                      ".");
}

}  // namespace sunstar::kit
