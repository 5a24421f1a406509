// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>

// What a drive may do with its on-board buffer: the choices and their names.
namespace sunstar::disk {

/// When the drive may report a write complete.
enum class ImmediateReporting {
  off,                  ///< when it is on the medium
  empty_only,           ///< when it is in the buffer and all earlier writes are on the medium
  empty_or_sequential,  ///< likewise, or when it is in the buffer if it starts where the write before it ended
  always                ///< when it is in the buffer
};
BOOST_DESCRIBE_ENUM(ImmediateReporting, off, empty_only, empty_or_sequential, always)

/// How far reading goes on by itself after a read.
enum class ReadAhead {
  off,                   ///< not at all
  until_track_end,       ///< to the end of the track on which the read ended
  until_next_track_end,  ///< to the end of the track where the next block is, and to the end of the track after that if
                         ///< the reads that it continues began on an earlier track: it stays ahead of a sequential
                         ///< stream
  until_cylinder_end,    ///< to the end of the cylinder on which the read ended
  until_full             ///< until the segment is full of sectors not sent yet
};
BOOST_DESCRIBE_ENUM(ReadAhead, off, until_track_end, until_next_track_end, until_cylinder_end, until_full)

/// After which reads the drive reads ahead.
enum class ReadAheadAfter {
  any_read,
  sequential_read  ///< one that continues an earlier read whose blocks are still in the buffer
};
BOOST_DESCRIBE_ENUM(ReadAheadAfter, any_read, sequential_read)

/// What ends read-ahead before it has come that far.
enum class ReadAheadAbandoned {
  on_new_command,      ///< the arrival of any command; read-ahead starts again when the data of a hit has been sent
  on_mechanism_needed  ///< a write, or a read that is neither in the buffer nor on its way, once it is decoded
};
BOOST_DESCRIBE_ENUM(ReadAheadAbandoned, on_new_command, on_mechanism_needed)

/// Whether the drive finishes the sector under the head when it abandons read-ahead.
enum class ReadAheadStop { immediately, after_sector };
BOOST_DESCRIBE_ENUM(ReadAheadStop, immediately, after_sector)

/// When the arm starts towards the place of a write.
enum class WriteSeek {
  at_command,  ///< once the command is decoded and earlier writes are on the medium: seek and data-out overlap
  after_data   ///< likewise, but not before the data is in the buffer
};
BOOST_DESCRIBE_ENUM(WriteSeek, at_command, after_data)

}  // namespace sunstar::disk
