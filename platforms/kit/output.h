// SPDX-License-Identifier: MIT
#pragma once
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>

#include "platforms/kit/type.h"

// Output appears whole or not at all: it is written under a temporary name in the same folder, then renamed. If it
// cannot be written, a ConfigError names the path and the reason.
namespace sunstar::kit {

/// Throws a ConfigError unless a file can be created at `path`. Called before a simulation, so that no hours of work
/// are lost.
void probe_output(const std::filesystem::path&);

/// Writes `text` to `path`, which holds the old content or the new one, whole. Devices and pipes are written directly.
void write_file(const std::filesystem::path&, std::string_view text);

/// Prints on the standard output, or a stream in its place. Throws a ConfigError if it cannot print the whole text.
void print_text(std::ostream&, std::string_view text);

/// A file written by other code, under a temporary name that ends in `extension`. commit() renames it to `path`.
/// Without commit() it is removed, also when the program is interrupted (see remove_temporaries_on_interrupt).
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

/// From now on SIGHUP, SIGINT, SIGPIPE, SIGQUIT and SIGTERM remove temporary files before they end the program as
/// usual. A file that grows beyond the host's limit is an output that cannot be written; it does not end the program
/// (SIGXFSZ).
void remove_temporaries_on_interrupt();
/// Writes all of `text` to an open file or pipe. Returns false, with errno, if that is not possible.
bool write_all(int file, std::string_view text);

/// For a child process: leaves its parent's temporary files alone, so that signals end it as usual.
void leave_temporaries_to_parent();

/// The text with the real name of each file in place of its temporary name.
std::string with_real_names(std::string text);

struct NamedFile {
  std::string name;  ///< "--output", "workload.trace"
  std::filesystem::path path;
};

/// Adds the paths in a configuration that are not empty.
void add_files(ConstRef config, const std::string& path, std::vector<NamedFile>& files);

/// Notes a file that was read because the command line, a configuration or another file named it.
void note_read(const std::filesystem::path& file);

/// Throws ConfigError if two of the files are the same file, or one is a file that was read.
void require_distinct(const std::vector<NamedFile>& files);

}  // namespace sunstar::kit
