// SPDX-License-Identifier: MIT
#pragma once
#include "platforms/kit/settings.h"
#include "platforms/kit/type_of.h"

// Strict reading of JSON into described structs. A member that JSON leaves out keeps its default; every error is added
// to the Reader's Problems, and reading goes on. Cycles are plain numbers, quantities are strings with a unit, enums
// and policies are names. A section may be an object, the path of a file that holds the object or, if its type has one,
// a name in the catalogue. The tag of a choice is read first, wherever it stands.
namespace sunstar::kit {

/// The project's folder, or the copy of parts of it that a wheel puts beside the programs.
const std::filesystem::path& project_folder();
/// The names of the entries of the catalogue in a folder: each <name>.json in it describes one.
std::vector<std::string> catalogue_names(const std::filesystem::path& folder);

/// A key that was read but belongs to a kind other than the chosen one.
struct ForeignKey {
  std::string path;
  json::value value, preset;       ///< as read, and that kind's default
  std::string tag;                 ///< path of the tag
  std::vector<std::string> kinds;  ///< the kinds that have the key
};

/// What reading needs besides the value: the problems, and the files that hold sections.
class Reader {
 public:
  /// Paths of files are relative to `folder`, those of catalogues (catalogue_of) to `catalogues`. `settings` override
  /// sections that are in files of their own.
  Reader(Problems& problems, Settings* settings, std::filesystem::path folder, std::filesystem::path catalogues);

  Problems& problems;
  std::vector<ForeignKey> foreign = {};
  /// Sentences about values that are allowed but hardly meant (Param::usually).
  std::vector<std::string> unusual = {};

  /// A section's file, open while this lives.
  struct Section {
    json::value value;
    std::filesystem::path file, outer_folder;
    Reader& reader;
    std::optional<Problems::InFile> where;
    Section(Reader&, std::filesystem::path);
    ~Section();
  };
  /// The file that `name` at `path` means: itself, if it has a folder or ends in ".json", or else the `noun` of that
  /// name in `catalogue`. Nothing, with the problem added, if there is none.
  std::optional<std::filesystem::path> find(std::string_view name, const std::string& path, std::string_view noun,
                                            const std::filesystem::path& catalogue);
  /// Opens the section named by `name` at `path`; `folder`: of its catalogue. Null, with the problem added, if there
  /// is none.
  std::unique_ptr<Section> open(std::string_view name, const std::string& path, std::string_view noun,
                                std::string_view folder);

  /// Keeps a section, once read, for the sections that start from it (Param::starts_from).
  void keep(const std::string& path, ConstRef section) { kept_.insert_or_assign(path, Object(section)); }
  /// The section kept at `path`; null if an optional one was left out.
  const Object* kept(const std::string& path) const {
    const auto found = kept_.find(path);
    return found == kept_.end() ? nullptr : &found->second;
  }

  /// Adds the problem if options set parts of the section at `path`, a `noun` of the catalogue in `folder`, that the
  /// configuration leaves out.
  void must_be_chosen(const std::string& path, std::string_view noun, std::string_view folder);

  /// A file named at `path`, relative to the file that names it, or to the working directory if the command line does.
  std::filesystem::path resolve(const std::string& path, std::string_view name) const;

 private:
  Settings* settings_;
  std::filesystem::path folder_, catalogues_;
  std::vector<std::filesystem::path> open_;
  std::map<std::string, Object> kept_;
};

void read_into(Ref into, const json::value&, const std::string& path, const Param& rule, Reader&);

/// The members of a section alone: neither its unknown keys nor its rules across members.
void read_members(Ref section, const json::object&, const std::string& path, Reader&);

/// Reads one value that stands at `path`, without command-line settings; files are relative to the working directory.
void read(Ref into, const json::value&, const std::string& path, Problems&);
template <class T>
T read(const json::value& v, const std::string& path, Problems& problems) {
  T into{};
  read(Ref(into), v, path, problems);
  return into;
}

/// "between 1 and 64", "at least 1", "at most 64"; empty without limits.
std::string range_text(std::string_view min, std::string_view max);

}  // namespace sunstar::kit
