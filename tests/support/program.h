// SPDX-License-Identifier: MIT
#pragma once
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace sunstar::test {

/// Runs an executable as its users do, and keeps what it prints.
class Program {
 public:
  explicit Program(std::filesystem::path executable) : executable_(std::move(executable)) {}

  /// Gives the exit code, or minus the signal that ended it. `out_to`: where its standard output goes instead of to `out`.
  int operator()(const std::vector<std::string>& arguments, const std::optional<std::string>& out_to = {}) {
    const auto out_file = out_to.value_or((own_.path / "out").string()), err_file = (own_.path / "err").string();
    std::vector<std::string> words{executable_.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (auto& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::dup2(::open(out_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
      ::dup2(::open(err_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    out = out_to ? "" : TemporaryFolder::read(out_file);
    err = TemporaryFolder::read(err_file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  std::string out, err;

 private:
  std::filesystem::path executable_;
  TemporaryFolder own_;
};

inline Program sunstar_torus() { return Program(std::filesystem::path(SUNSTAR_BINARY_DIR) / "sunstar-torus"); }

}  // namespace sunstar::test
