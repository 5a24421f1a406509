// SPDX-License-Identifier: MIT
#include "sw/workload/subset/piece_list.h"

#include "models/core/error.h"
#include "sw/workload/trace/csv.h"
#include "sw/workload/trace/trace_workload.h"

namespace sunstar::workload {

std::vector<Piece> read_piece_list(const std::string& path, std::uint32_t processors) {
  enum { processor, offset, length };
  CsvReader csv(path, {"processor", "offset", "length"});
  std::vector<Piece> pieces;
  while (csv.next()) {
    Piece piece;
    piece.processor = static_cast<std::uint32_t>(csv.integer(processor, processors - 1));
    piece.file_offset = csv.integer(offset, most_file_bytes);
    piece.bytes = csv.integer(length, most_request_bytes);
    if (piece.bytes == 0) csv.refuse(length, "a whole number from 1 to " + std::to_string(most_request_bytes));
    if (piece.file_offset + piece.bytes > most_file_bytes)
      csv.refuse(length, "such that the piece, which begins at " + std::to_string(piece.file_offset) + ", ends by " +
                             std::to_string(most_file_bytes));
    pieces.push_back(piece);
  }
  if (pieces.empty()) throw ConfigError(path + ": the list has no piece; below its header it must have at least one.");
  return pieces;
}

}  // namespace sunstar::workload
