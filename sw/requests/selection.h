// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe/enum.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sw/os/os.h"

namespace sunstar::requests {

/// A function of a record's bytes that says which compute processor gets the record, if any. The node that has the
/// record evaluates the function; the processor that gets the record appends it to its buffer.
///
/// Kotz, "Expanding the potential for disk-directed I/O", 1995, sections 3 and 4.
class Selection {
 public:
  enum class Function : std::uint8_t {
    cyclic,  ///< the record's number modulo the processors
    hash,    ///< a hash of the key modulo the processors
    range    ///< the processor between whose boundaries the key lies
  };
  BOOST_DESCRIBE_NESTED_ENUM(Function, cyclic, hash, range)
  /// An unsigned number in each record, least significant byte first.
  struct Field {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 8;  ///< 1 to 8
    std::uint64_t read(const std::byte* record) const {
      std::uint64_t value = 0;
      if (bytes == 8) std::memcpy(&value, record + offset, 8);  // a load
      else std::memcpy(&value, record + offset, bytes);
      return value;
    }
  };

  Function function = Function::cyclic;
  std::uint32_t first = 0;  ///< of the processors that share the records
  std::uint32_t processors = 1;
  std::uint32_t record_bytes = 1;
  Field key;
  /// Of Function::range: the first key of each processor but the first, in order.
  std::vector<std::uint64_t> boundaries;
  static constexpr std::uint32_t filter_bytes = 4;
  std::uint32_t filter_offset = 0;    ///< of the four bytes that the filter looks at
  std::uint64_t discarded_below = 0;  ///< a record whose field is below goes nowhere

  bool filters() const { return discarded_below > 0; }
  bool keeps(const std::byte* record) const;
  std::uint32_t processor(std::uint64_t number, const std::byte* record) const {
    return first + place(nullptr, number, record);
  }

  /// The same for a thread, which is charged.
  std::uint32_t processor(os::Os& os, std::uint64_t number, const std::byte* record) const {
    return first + place(&os, number, record);
  }
  /// Charges the running thread for evaluating the filter for that many records.
  void charge_filter(os::Os& os, std::uint64_t records) const;

 private:
  std::uint32_t place(os::Os* charged, std::uint64_t number, const std::byte* record) const;
};

}  // namespace sunstar::requests
