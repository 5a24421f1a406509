// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "platforms/kit/reader.h"
#include "platforms/kit/type_of.h"

// Strict reading of JSON into described structs. A member that JSON leaves out keeps its default; every error is added
// to the Reader's Problems, and reading goes on. Cycles are plain numbers, quantities are strings with a unit, enums
// and policies are names. A section may be an object, the path of a file that holds the object or, if its type has one,
// a name in the catalogue. The tag of a choice is read first, wherever it stands.
namespace sunstar::kit {

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

}  // namespace sunstar::kit
