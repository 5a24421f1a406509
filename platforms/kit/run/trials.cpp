// SPDX-License-Identifier: MIT
#include "platforms/kit/run/trials.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>

#include "platforms/kit/host.h"
#include "platforms/kit/output.h"

namespace sunstar::kit {

namespace {

constexpr char progress_letter = 'P';
constexpr char result_letter = 'R', configuration_letter = 'C', simulation_letter = 'S', other_letter = 'O';

/// A trial in a child process. It reports through a pipe: first any number of progress reports, each a letter and a
/// double; then its outcome, a letter and a text.
struct Child {
  pid_t pid = 0;
  int pipe = -1;
  std::uint32_t trial = 0;
  std::string text = {};
  double done = 0;

  /// Removes the progress reports from the text and keeps the last figure.
  void take_progress() {
    std::size_t at = 0;
    for (; at < text.size() && text[at] == progress_letter && text.size() - at > sizeof done; at += 1 + sizeof done)
      std::memcpy(&done, &text[at + 1], sizeof done);
    text.erase(0, at);
  }
};

using Run = std::function<json::object(std::uint32_t, const Done&)>;

std::string outcome_of(const Run& run, std::uint32_t trial, const Done& done) {
  try {
    return result_letter + json::serialize(run(trial, done));
  } catch (const ConfigError& e) {
    return configuration_letter + std::string(e.what());
  } catch (const SimulationError& e) {
    return simulation_letter + std::string(e.what());
  } catch (const std::bad_alloc&) {
    return other_letter + out_of_memory();
  } catch (const std::exception& e) {
    return other_letter + std::string(e.what());
  }
}

Child start(const Run& run, std::uint32_t trial, bool with_progress) {
  int ends[2];
  if (::pipe(ends) != 0)
    throw std::runtime_error(std::string("a pipe to a trial cannot be made: ") + std::strerror(errno));
  const pid_t parent = ::getpid();
  // A trial that is stopped at once must not run its parent's signal handler.
  sigset_t all, before;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::fork();
  if (pid == 0) leave_temporaries_to_parent();
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) throw std::runtime_error(std::string("a process for a trial cannot be made: ") + std::strerror(errno));
  if (pid == 0) {
    ::close(ends[0]);
    // If the parent ends, for any reason, its trials end with it.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(0);
    Done done;
    if (with_progress)
      done = [&ends](double share, std::string_view) {
        std::string said(1 + sizeof share, progress_letter);
        std::memcpy(&said[1], &share, sizeof share);
        write_all(ends[1], said);
      };
    write_all(ends[1], outcome_of(run, trial, done));
    ::_exit(0);
  }
  ::close(ends[1]);
  return {pid, ends[0], trial};
}

/// Returns the result of a child that has ended.
json::object finish(const Child& child) {
  int status = 0;
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  const std::string name = "trial " + std::to_string(child.trial);
  if (child.text.empty())
    throw SimulationError(name, " ended without a result",
                          WIFSIGNALED(status) ? std::string(", killed by signal ") + strsignal(WTERMSIG(status)) : "");
  const std::string rest = child.text.substr(1);
  switch (child.text.front()) {
    case result_letter: return json::parse(rest).as_object();
    case configuration_letter: throw ConfigError(rest);
    case simulation_letter: throw SimulationError(name, ": ", rest);
    default: throw std::runtime_error(name + ": " + rest);
  }
}

}  // namespace

std::vector<json::object> run_trials(std::uint32_t trials, std::uint32_t jobs,
                                     const std::function<json::object(std::uint32_t)>& run) {
  return run_trials(trials, jobs, [&](std::uint32_t trial, const Done&) { return run(trial); }, {});
}

std::vector<json::object> run_trials(std::uint32_t trials, std::uint32_t jobs, const Run& run, const Done& progress) {
  if (progress) progress(0, {});
  std::vector<json::object> in_order;
  if (trials == 1) {
    in_order.push_back(run(0, progress));
    return in_order;
  }
  if (jobs == 0) jobs = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::optional<json::object>> results(trials);
  std::vector<Child> children;
  std::uint32_t next = 0, ended = 0;
  try {
    while (ended < trials) {
      while (next < trials && children.size() < jobs)
        children.push_back(start(run, next++, static_cast<bool>(progress)));
      std::vector<pollfd> ready;
      ready.reserve(children.size());
      for (const Child& c : children) ready.push_back({c.pipe, POLLIN, 0});
      if (::poll(ready.data(), ready.size(), -1) < 0 && errno != EINTR) throw std::runtime_error("poll failed");
      for (std::size_t i = ready.size(); i-- > 0;) {
        if (!ready[i].revents) continue;
        char buffer[1 << 16];
        const ssize_t n = ::read(children[i].pipe, buffer, sizeof buffer);
        if (n > 0) {
          children[i].text.append(buffer, static_cast<std::size_t>(n));
          children[i].take_progress();
        }
        if (n > 0 || (n < 0 && errno == EINTR)) continue;
        const Child child = std::move(children[i]);
        children.erase(children.begin() + static_cast<std::ptrdiff_t>(i));
        ::close(child.pipe);
        results[child.trial] = finish(child);
        ++ended;
      }
      double done = ended;
      for (const Child& c : children) done += c.done;
      if (progress) progress(done, {});
    }
  } catch (...) {
    for (const Child& c : children) {
      ::kill(c.pid, SIGTERM);
      ::close(c.pipe);
      while (::waitpid(c.pid, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    throw;
  }
  for (auto& r : results) in_order.push_back(std::move(*r));
  return in_order;
}

}  // namespace sunstar::kit
