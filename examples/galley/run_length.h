// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <optional>
#include <span>

// A run-length code of bytes in the manner of PackBits. It serves arrays that are mostly one value, and gives the same
// bytes on every host, so that what a run stores and how long it takes do not depend on the version of a library.
//
// A control byte c below 128 stands for the c + 1 bytes behind it; from 128 on for c - 125 (3 to 130) times the byte
// behind it.
namespace sunstar::file_systems::galley {

/// Writes the code of `from` to the beginning of `to` and returns its length; nothing if `to` is too short, and `to`
/// holds anything then. The two must not overlap.
std::optional<std::size_t> run_length_encode(std::span<const std::byte> from, std::span<std::byte> to);
/// Fills `to` with what `code` stands for. False if the code is broken, or stands for another number of bytes.
bool run_length_decode(std::span<const std::byte> code, std::span<std::byte> to);

}  // namespace sunstar::file_systems::galley
