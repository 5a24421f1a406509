// SPDX-License-Identifier: MIT
#include "platforms/kit/output.h"

#include <fcntl.h>
#include <unistd.h>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ostream>

#include "models/core/error.h"

namespace sunstar::kit {

namespace fs = std::filesystem;
namespace {

// Names that a signal handler may read: plain memory, published by a flag.
struct Slot {
  std::atomic<bool> used{false};
  char name[4096];
  fs::path real;
};
Slot slots[8];

constexpr int ending_signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGQUIT, SIGTERM};

extern "C" void on_interrupt(int signal) {
  for (auto& s : slots)
    if (s.used) ::unlink(s.name);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

[[noreturn]] void cannot_write(const fs::path& path, const std::string& why) {
  throw ConfigError(path.string(), " cannot be written: ", why, ".");
}

/// Devices, pipes and the like: there is nothing to rename over.
bool is_special(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_regular_file(path, error);
}

/// The file's real place, so that a link stays a link.
fs::path target(const fs::path& path) {
  std::error_code error;
  const auto real = fs::weakly_canonical(fs::absolute(path), error);
  return error ? path : real;
}

void check_place(const fs::path& path) {
  std::error_code error;
  if (path.empty()) cannot_write("\"\"", "the name is empty");
  if (fs::is_directory(path, error) || !path.has_filename()) cannot_write(path, "it is a folder");
  static_cast<void>(fs::status(path, error));
  if (error == std::errc::too_many_symbolic_link_levels) cannot_write(path, error.message());
  const auto folder = target(path).parent_path();
  if (!fs::exists(folder, error)) cannot_write(path, "there is no folder " + folder.string());
  if (!fs::is_directory(folder, error)) cannot_write(path, folder.string() + " is not a folder");
}

/// Writes all of the file at `path`, which is opened as `name`.
void write_whole(const fs::path& name, int flags, std::string_view text, const fs::path& path) {
  const int file = ::open(name.c_str(), O_WRONLY | O_CLOEXEC | flags);
  if (file < 0) cannot_write(path, std::strerror(errno));
  const std::string why = write_all(file, text) ? "" : std::strerror(errno);
  const bool closed = ::close(file) == 0;
  if (!why.empty()) cannot_write(path, why);
  if (!closed) cannot_write(path, std::strerror(errno));
}

std::vector<fs::path>& read() {
  static std::vector<fs::path> files;
  return files;
}

/// Devices and pipes may be named twice.
bool same(const fs::path& a, const fs::path& b) {
  std::error_code error;
  if (fs::exists(a, error) && !fs::is_regular_file(a, error)) return false;
  return fs::weakly_canonical(fs::absolute(a, error), error) == fs::weakly_canonical(fs::absolute(b, error), error);
}

}  // namespace

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto n = ::write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

TemporaryOutput::TemporaryOutput(fs::path path, const std::string& extension) : path_(std::move(path)) {
  check_place(path_);
  const auto real = target(path_);
  temporary_ =
      real.parent_path() / ("." + real.filename().string() + "." + std::to_string(::getpid()) + ".partial" + extension);
  if (is_special(path_)) cannot_write(path_, "it is not a regular file");
  const auto name = temporary_.string();
  for (int i = 0; i < 8 && slot_ < 0; ++i) {
    if (slots[i].used || name.size() >= sizeof slots[i].name) continue;
    std::strcpy(slots[i].name, name.c_str());
    slots[i].real = path_;
    slots[i].used = true;
    slot_ = i;
  }
  // Create the file now, to find out whether that is possible.
  const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    const std::string why = std::strerror(errno);
    if (slot_ >= 0) slots[slot_].used = false;
    cannot_write(path_, why);
  }
  ::close(file);
}

TemporaryOutput::~TemporaryOutput() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  if (slot_ >= 0) slots[slot_].used = false;
}

void TemporaryOutput::commit() {
  if (::rename(temporary_.c_str(), target(path_).c_str()) != 0) cannot_write(path_, std::strerror(errno));
  temporary_.clear();
}

void probe_output(const fs::path& path) {
  if (!is_special(path) || fs::is_directory(path)) TemporaryOutput{path, ""};
}

void write_file(const fs::path& path, std::string_view text) {
  if (is_special(path) && !fs::is_directory(path)) return write_whole(path, 0, text, path);
  TemporaryOutput out(path, "");
  write_whole(out.temporary(), O_TRUNC, text, path);
  out.commit();
}

void remove_temporaries_on_interrupt() {
  for (const int signal : ending_signals)
    if (std::signal(signal, on_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup
  std::signal(SIGXFSZ, SIG_IGN);
}

void leave_temporaries_to_parent() {
  for (const int signal : ending_signals)
    if (std::signal(signal, SIG_DFL) == SIG_IGN) std::signal(signal, SIG_IGN);
}

std::string with_real_names(std::string text) {
  for (const Slot& s : slots)
    if (s.used)
      for (std::size_t at; (at = text.find(s.name)) != std::string::npos;)
        text.replace(at, std::strlen(s.name), s.real.string());
  return text;
}

void print_text(std::ostream& out, std::string_view text) {
  out << text << std::flush;
  if (!out) throw ConfigError("The standard output cannot be written.");
}

void add_files(ConstRef config, const std::string& path, std::vector<NamedFile>& files) {
  for (const Member& m : members_of(*config.type)) {
    const auto value = m.in(config);
    if (m.type->is<PathForm>()) {
      const auto& file = value.as<fs::path>();
      if (!file.empty()) files.push_back({json_path(path, m.name), file});
    } else if (const auto* choice = m.type->if_is<ChoiceForm>()) {
      add_files(chosen_ref(*choice, value.at), path, files);
    } else if (m.type->is<SectionForm>()) {
      add_files(value, json_path(path, m.name), files);
    }
  }
}

void note_read(const fs::path& file) { read().push_back(file); }

void require_distinct(const std::vector<NamedFile>& files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (const fs::path& file : read())
      if (same(files[i].path, file))
        throw ConfigError(files[i].name, " is ", files[i].path.string(),
                          ", which is also an input; it must be another file.");
    for (std::size_t j = 0; j < i; ++j)
      if (same(files[i].path, files[j].path))
        throw ConfigError(files[j].name, " and ", files[i].name, " name the same file, ", files[i].path.string(), ".");
  }
}

}  // namespace sunstar::kit
