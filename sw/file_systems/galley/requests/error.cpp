// SPDX-License-Identifier: MIT
#include "sw/file_systems/galley/requests/error.h"

namespace sunstar::file_systems::galley {

const char* what(Error error) {
  switch (error) {
    case Error::none: return "The call succeeded.";
    case Error::bad_argument: return "A size or a count is negative, or a vector is missing.";
    case Error::overflow: return "An offset or the sum of all bytes does not fit into 63 bits.";
    case Error::out_of_file: return "The request names bytes before the fork's beginning or behind its end.";
    case Error::out_of_memory: return "The request names bytes outside the application's buffer.";
    case Error::too_deep: return "The request nests vectors too deeply.";
    case Error::too_many_chunks: return "The request describes too many chunks.";
    case Error::not_open: return "The file or fork is not open.";
    case Error::no_such_file: return "No file has this name.";
    case Error::no_such_subfile: return "The file has no subfile of this number.";
    case Error::no_such_fork: return "The subfile has no fork of this name.";
    case Error::exists: return "A file or fork of this name exists already.";
    case Error::name_too_long: return "The name is too long.";
    case Error::too_many_subfiles: return "The file would have more subfiles than there are disks.";
    case Error::no_space: return "The disk is full.";
    case Error::damaged: return "What Galley or the library stored is damaged.";
    case Error::io_error: return "A disk has failed to read or write a block.";
  }
  return "The error is unknown.";
}

}  // namespace sunstar::file_systems::galley
