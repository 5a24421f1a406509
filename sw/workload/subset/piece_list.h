// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sw/requests/distributions/mapping.h"

namespace sunstar::workload {

/// Reads the pieces of a file that processors want from a CSV file, plain or packed by gzip, with the columns processor
/// (from 0), offset and length (bytes), in the order of its lines; other columns are ignored. The places in memory are
/// left open. Throws a ConfigError with file, line and value for anything that cannot be used: a missing column, a
/// field that is not a number, a processor that does not exist, a piece of no bytes or of more than 1 GiB, or one that
/// ends beyond the first TiB of the file, and a list without a piece.
std::vector<requests::Piece> read_piece_list(const std::string& path, std::uint32_t processors);

}  // namespace sunstar::workload
