// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <span>

#include "sw/requests/distributions/mapping.h"
#include "sw/requests/selection.h"

namespace sunstar::requests {

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
