// SPDX-License-Identifier: MIT
// A fuzzer: gives random inputs to all readers of inputs. Every input must be accepted or refused with a sentence; a
// crash, a hang or another exception is a finding, which is written to a file. Random whole runs are the work of
// `sunstar campaign`.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <systemc>

#include <boost/program_options.hpp>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iostream>

#include "tests/fuzz/targets.h"
#include "tests/support/temporary_folder.h"

int sc_main(int, char**) { return 0; }

namespace sunstar::fuzz {
namespace {

namespace po = boost::program_options;
using Clock = std::chrono::steady_clock;

constexpr unsigned most_seconds = 60;  // with sanitizers, on a busy host
constexpr std::uint64_t batch = 1000;  // inputs that one process takes

/// What a child tells its parent, even if it crashes.
struct Shared {
  std::uint64_t taken = 0, accepted = 0, refused = 0;
  bool at_work = false;
  std::size_t bytes = 0;
  char input[1 << 17] = {};
  char exception[1 << 12] = {};
};

struct Options {
  std::uint64_t inputs = 1000, seed = 1, jobs = 1;
  double seconds = 0;  // 0: no limit
  std::filesystem::path findings = ".";
};

struct Tally {
  std::uint64_t taken = 0, accepted = 0, refused = 0, findings = 0;
};

/// In the child: takes inputs until the batch is done.
void work(const Target& target, std::uint64_t seed, std::uint64_t inputs, Shared& shared) {
  Mutator mutator(seed, target.dictionary);
  const test::TemporaryFolder folder;
  while (shared.taken < inputs) {
    const std::string input = target.make(mutator);
    shared.bytes = std::min(input.size(), sizeof shared.input);
    std::memcpy(shared.input, input.data(), shared.bytes);
    shared.at_work = true;
    ::alarm(most_seconds);
    try {
      ++(target.take(input, folder.path) == Outcome::accepted ? shared.accepted : shared.refused);
    } catch (const std::exception& error) {
      std::strncpy(shared.exception, error.what(), sizeof shared.exception - 1);
      std::filesystem::remove_all(folder.path);
      ::_exit(1);
    }
    ::alarm(0);
    shared.at_work = false;
    ++shared.taken;
  }
}

void keep(const Target& target, const Shared& shared, const std::string& why, const Options& options, Tally& tally) {
  ++tally.findings;
  const auto file = options.findings / ("finding-" + target.name + "-" + std::to_string(tally.findings));
  std::ofstream(file, std::ios::binary).write(shared.input, static_cast<std::streamsize>(shared.bytes));
  std::cout << target.name << ": " << why << "; the input is in " << file.string() << std::endl;
}

/// A process that takes inputs.
struct Worker {
  pid_t pid = 0;
  Shared* shared = nullptr;

  Worker(const Target& target, std::uint64_t seed, std::uint64_t inputs) {
    void* const memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = new (memory) Shared;
    std::cout.flush();
    pid = ::fork();
    if (pid != 0) return;
    work(target, seed, inputs, *shared);
    ::_exit(0);
  }
};

/// Counts the work of a worker that has ended, and keeps its findings.
void collect(const Target& target, const Worker& worker, int status, const Options& options, Tally& tally) {
  const Shared& shared = *worker.shared;
  tally.taken += shared.taken + shared.at_work;
  tally.accepted += shared.accepted;
  tally.refused += shared.refused;
  std::string why;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    why = "takes more than " + std::to_string(most_seconds) + " s";
  else if (WIFSIGNALED(status)) why = std::string("ended by ") + strsignal(WTERMSIG(status));
  else if (shared.exception[0]) why = std::string("ended with \"") + shared.exception + "\"";
  else if (WEXITSTATUS(status) != 0) why = "ended with exit code " + std::to_string(WEXITSTATUS(status));
  if (!why.empty()) keep(target, shared, why, options, tally);
  ::munmap(worker.shared, sizeof(Shared));
}

Tally fuzz(const Target& target, const Options& options) {
  Tally tally;
  const auto start = Clock::now();
  const auto in_time = [&] {
    return options.seconds == 0 || std::chrono::duration<double>(Clock::now() - start).count() < options.seconds;
  };
  std::vector<Worker> workers;
  std::uint64_t given = 0;
  for (std::uint64_t round = 0; !workers.empty() || (given < options.inputs && in_time());) {
    while (workers.size() < options.jobs && given < options.inputs && in_time()) {
      const std::uint64_t inputs = std::min(batch, options.inputs - given);
      workers.emplace_back(target, options.seed + round++, inputs);
      given += inputs;
    }
    int status = 0;
    const pid_t ended = ::wait(&status);
    const auto worker = std::ranges::find(workers, ended, &Worker::pid);
    collect(target, *worker, status, options, tally);
    workers.erase(worker);
  }
  std::cout << target.name << ": " << tally.taken << " inputs, " << tally.accepted << " accepted, " << tally.refused
            << " refused, " << tally.findings << (tally.findings == 1 ? " finding" : " findings") << std::endl;
  return tally;
}

int run(int argc, char** argv) {
  Options options;
  std::vector<std::string> names;
  po::options_description all("Options");
  all.add_options()("help,h", "print this and exit")(
      "inputs", po::value(&options.inputs)->default_value(options.inputs), "most inputs for each target")(
      "seconds", po::value(&options.seconds)->default_value(options.seconds),
      "most seconds for each target; 0: no limit")("seed", po::value(&options.seed)->default_value(options.seed),
                                                   "the same seed gives the same inputs")(
      "jobs", po::value(&options.jobs)->default_value(options.jobs), "processes at the same time")(
      "findings", po::value(&options.findings)->default_value(options.findings), "folder for inputs that are findings")(
      "replay", po::value<std::string>(), "takes this one file, in this process, and says what becomes of it");
  po::options_description hidden;
  hidden.add_options()("target", po::value(&names));
  po::positional_options_description place;
  place.add("target", -1);
  po::variables_map given;
  po::options_description both;
  both.add(all).add(hidden);
  po::store(po::command_line_parser(argc, argv).options(both).positional(place).run(), given);
  po::notify(given);
  if (given.contains("help")) {
    std::cout << "usage: sunstar-fuzz [OPTION...] [TARGET...]\n\nWithout a target, all of them:\n";
    for (const Target& t : targets())
      std::cout << "  " << t.name << std::string(24 - t.name.size(), ' ') << t.help << "\n";
    std::cout << "\n"
              << all << "\nExample:\n  sunstar-fuzz configuration --inputs 1000000 --findings /tmp\n\n"
              << "Exit codes: 0 no finding, 1 findings, 2 error in the command line.\n";
    return 0;
  }
  if (options.jobs == 0) throw po::error("--jobs is 0; it must be at least 1");
  std::vector<const Target*> chosen;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(targets(), name, &Target::name);
    if (found == targets().end()) throw po::error("there is no target " + name);
    chosen.push_back(&*found);
  }
  if (chosen.empty())
    for (const Target& t : targets()) chosen.push_back(&t);
  if (given.contains("replay")) {
    const test::TemporaryFolder folder;
    const auto text = test::TemporaryFolder::read(given["replay"].as<std::string>());
    std::cout << (chosen.front()->take(text, folder.path) == Outcome::accepted ? "accepted\n" : "refused\n");
    return 0;
  }
  std::uint64_t findings = 0;
  for (const Target* t : chosen) findings += fuzz(*t, options).findings;
  return findings == 0 ? 0 : 1;
}

}  // namespace
}  // namespace sunstar::fuzz

int main(int argc, char** argv) try {
  return sunstar::fuzz::run(argc, argv);
} catch (const boost::program_options::error& error) {
  std::cerr << "sunstar-fuzz: " << error.what() << "\nAll options: sunstar-fuzz --help\n";
  return 2;
}
