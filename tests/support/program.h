// SPDX-License-Identifier: MIT
#pragma once
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/places.h"
#include "tests/support/temporary_folder.h"

namespace sunstar::test {

/// Runs an executable as its users do, and keeps what it prints.
class Program {
 public:
  explicit Program(std::filesystem::path executable) : executable_(std::move(executable)) {}

  /// Gives the exit code, or minus the signal that ended it. `out_to`: where its standard output goes instead of to
  /// `out`.
  int operator()(const std::vector<std::string>& arguments, const std::optional<std::string>& out_to = {}) {
    const auto out_file = out_to.value_or((own_.path / "out").string()), err_file = (own_.path / "err").string();
    const int code = run(arguments, out_file, err_file);
    out = out_to ? "" : TemporaryFolder::read(out_file);
    err = TemporaryFolder::read(err_file);
    return code;
  }

  /// Whether on_terminal() can be called: some hosts give their processes no pseudo-terminals.
  static bool has_terminals() {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (terminal < 0) return false;
    const bool usable = ::grantpt(terminal) == 0 && ::unlockpt(terminal) == 0 && ::ptsname(terminal) != nullptr;
    ::close(terminal);
    return usable;
  }

  /// The same with a terminal for its standard error; `err` is what it shows, a screenful at most.
  int on_terminal(const std::vector<std::string>& arguments) {
    const auto out_file = (own_.path / "out").string();
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
    ::grantpt(terminal);
    ::unlockpt(terminal);
    const int code = run(arguments, out_file, ::ptsname(terminal));
    out = TemporaryFolder::read(out_file);
    err.clear();
    char buffer[4096];
    for (ssize_t n; (n = ::read(terminal, buffer, sizeof buffer)) > 0;) err.append(buffer, static_cast<std::size_t>(n));
    ::close(terminal);
    return code;
  }

  /// Limits that its process has (setrlimit).
  std::map<int, rlim_t> limits;
  std::string out, err;

 private:
  int run(const std::vector<std::string>& arguments, const std::string& out_file, const std::string& err_file) {
    std::vector<std::string> words{executable_.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (auto& w : words) argv.push_back(w.data());
    argv.push_back(nullptr);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::dup2(::open(out_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), 1);
      ::dup2(::open(err_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666), 2);
      for (const auto& [resource, most] : limits) {
        const rlimit limit{most, most};
        ::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
      }
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  std::filesystem::path executable_;
  TemporaryFolder own_;
};

inline Program sunstar_torus() { return Program(binary_folder() / "sunstar-torus"); }

}  // namespace sunstar::test
