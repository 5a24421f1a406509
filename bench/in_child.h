// SPDX-License-Identifier: MIT
#pragma once
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <stdexcept>
#include <type_traits>

// SystemC simulates only once in each process. So a measurement that needs a kernel runs in a child process, which
// starts with the parent's unused kernel and sends its figures back through a pipe.
namespace sunstar::bench {

/// Calls `measure` in a child process and returns its result, a struct of plain figures. Throws if the child fails.
template <class Measure>
auto in_child(Measure&& measure) {
  using Result = std::invoke_result_t<Measure>;
  static_assert(std::is_trivially_copyable_v<Result>);
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("no pipe to a child process can be made");
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no child process can be made");
  if (child == 0) {
    ::close(ends[0]);
    try {
      const Result result = measure();
      ::_exit(::write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    } catch (const std::exception& e) {
      std::cerr << e.what() << '\n';
      ::_exit(1);
    }
  }
  ::close(ends[1]);
  Result result;
  const bool whole = ::read(ends[0], &result, sizeof result) == sizeof result;
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!whole || status != 0) throw std::runtime_error("a measurement in a child process failed");
  return result;
}

/// Processor time of this process so far, in seconds: other programs disturb it less than wall-clock time.
inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto s = [](const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; };
  return s(usage.ru_utime) + s(usage.ru_stime);
}

/// The most memory of the host that this process has held so far.
inline double resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

}  // namespace sunstar::bench
