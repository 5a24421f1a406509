// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe/enum.hpp>
#include <cstdint>

namespace sunstar::file_systems::galley {

/// What a call of the file system answers. After an error up to too_many_chunks, the request cannot be carried out as
/// described, and none of its bytes has been moved.
BOOST_DEFINE_FIXED_ENUM_CLASS(
    Error, std::uint8_t, none,
    bad_argument,       ///< a negative size or count, or a vector that is not there
    overflow,           ///< an offset on the way, or the sum of all bytes, does not fit into 63 bits
    out_of_file,        ///< a byte before the beginning of the fork or, when reading, behind its end
    out_of_memory,      ///< a byte outside the application's buffer
    too_deep,           ///< vectors in vectors, deeper than `most_levels`
    too_many_chunks,    ///< more than `most_chunks` chunks, `most_elements` elements or `most_steps` steps
    not_open,           ///< the number given is not that of an open file or fork
    no_such_file,       ///< no file has the name
    no_such_subfile,    ///< the number of the subfile is not below the file's number of subfiles
    no_such_fork,       ///< no fork of the subfile has the name
    exists,             ///< a file or fork to be created exists already
    name_too_long,      ///< the name of a file or fork is longer than the file system stores
    too_many_subfiles,  ///< a file has at most one subfile on each disk
    no_space,           ///< no disk block is free
    damaged,            ///< what Galley, or a library on top of it, keeps on disk contradicts its checksum or itself
    io_error            ///< a disk has failed to read or write a block; a hal::Status says how
)

/// Says the error in a plain sentence, for people.
inline const char* what(Error error) {
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
