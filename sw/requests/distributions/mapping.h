// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "sw/requests/access.h"

namespace sunstar::requests {

/// The description of a transfer in messages, in words of 8 bytes.
using Words = std::vector<std::uint64_t>;

/// Which processor holds which bytes of a file: the relation between file offsets and the buffers of the compute
/// processors during one transfer. Implementations are immutable, so every node may read the same object.
class Mapping {
 public:
  enum class Form : std::uint64_t { hpf, placed, list, segmented };
  /// Bytes of a file; the end is not included.
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  virtual ~Mapping() = default;

  virtual std::uint64_t file_bytes() const = 0;
  virtual std::uint32_t processors() const = 0;

  /// Size of the processor's buffer.
  virtual std::uint64_t memory_bytes(std::uint32_t processor) const = 0;

  /// Number of dimensions that are spread over processors (0 for NONE or ALL, 1 for BLOCK or CYCLIC, 2 if both
  /// dimensions are): finding the holder of a piece costs one division chain for each.
  virtual unsigned distributed_dimensions() const = 0;

  /// A range outside which no processor holds a byte, as far as a rule says so.
  virtual Range extent() const { return {0, file_bytes()}; }

  /// False if no processor holds a byte of [offset, offset + bytes).
  virtual bool touches([[maybe_unused]] std::uint64_t offset, [[maybe_unused]] std::uint64_t bytes) const {
    return true;
  }

  /// Appends the mapping as it travels: the word of its Form, then the parameters of that form (transfer.h).
  virtual void describe(Words& out) const = 0;

  /// False if a rule gives each byte's holder, so that every node can work it out. True if only each processor itself
  /// knows its parts, as a list: a file system must send the list to the nodes that need it.
  virtual bool listed() const { return false; }

  /// Returns the processor's contiguous chunk that starts at `memory_offset` (0, or where the previous chunk ended);
  /// nothing after the last one. Chunks come in file order.
  virtual std::optional<Piece> chunk(std::uint32_t processor, std::uint64_t memory_offset) const = 0;

  /// Appends to `out` the pieces of the file range [offset, offset + bytes), in file order; under ALL, all processors'
  /// pieces of a run follow one another.
  virtual void pieces(std::uint64_t offset, std::uint64_t bytes, std::vector<Piece>& out) const = 0;
};

}  // namespace sunstar::requests
