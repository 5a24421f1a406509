// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sw/requests/access.h"
#include "sw/requests/selection.h"

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

  /// Appends the mapping as it travels: the word of its Form, then the parameters of that form (Transfer).
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

/// The parts of a file that a collective moves between its disks and the memories of compute processors.
struct Transfer {
  std::uint32_t file = 0;
  Operation operation = Operation::read;
  std::shared_ptr<const Mapping> mapping;
  /// If not null, each record goes where this function of its bytes says, and the mapping only says which parts of the
  /// file are wanted.
  std::shared_ptr<const Selection> selection{};

  /// The transfer as messages carry it: file, operation, mapping and selection, each number a word. A HPF distribution
  /// takes 7 words.
  Words words() const;
  /// Reads the result of words(). A mapping that lists say is empty: its runs come in messages of their own.
  static Transfer of(std::span<const std::uint64_t> words);
};

}  // namespace sunstar::requests
