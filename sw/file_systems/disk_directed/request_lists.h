// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <type_traits>
#include <vector>

#include "sw/file_systems/file_system.h"
#include "sw/messages/kind.h"

// A collective may be given by lists that only their processors know (workload::Mapping::listed). Each compute
// processor then sends each I/O processor the entries that concern its blocks, and the I/O processor begins when it has
// those of all processors of the application. A processor without such an entry says so in a message without entries:
// otherwise an I/O processor would wait for ever, or somebody would have to gather beforehand who sends how much to
// whom, which takes more messages.
namespace sunstar::file_systems::disk_directed {

/// An entry of a list, as it crosses the network.
struct ListEntry {
  std::uint64_t offset = 0;  ///< into the file
  std::uint64_t bytes = 0;
  std::uint64_t memory = 0;  ///< into the processor's buffer
};
static_assert(sizeof(ListEntry) == 24 && std::is_trivially_copyable_v<ListEntry>);

/// The header of a message with a part of a list: as many entries as fit into a block.
struct ListPart {
  std::uint32_t collective;  ///< its number in the workload
  std::uint32_t processor;   ///< whose list it is
  std::uint32_t parts;       ///< messages into which its entries for this I/O processor are divided: at least one
  std::uint32_t entries;     ///< in this one
};

/// A compute processor sends its list.
class ListSender {
 public:
  ListSender(System& system, const messages::Kind<ListPart>& part, std::uint32_t processor);

  /// Sorts out which entries concern which I/O processor, and sends them. An entry that lies on the disks of several
  /// goes to each of them, as it is.
  os::Task<> send(const workload::Collective& collective, std::uint32_t number);

 private:
  using List = std::vector<ListEntry>;
  std::vector<List> by_io_processor(const workload::Mapping& mapping);

  System& system_;
  const messages::Kind<ListPart>& part_;
  std::uint32_t processor_;
  messages::Endpoint& endpoint_;
  std::byte* buffer_ = nullptr;  // of a block
};

/// An I/O processor receives the lists.
class ListReceiver {
 public:
  ListReceiver(System& system, const messages::Kind<ListPart>& part, std::uint32_t io_processor);

  /// Waits for the lists of all compute processors of the application, and gives what they say: the part of the
  /// collective's mapping that concerns this I/O processor's blocks.
  os::Task<std::shared_ptr<const workload::Mapping>> receive(const workload::Collective& collective,
                                                             std::uint32_t number);

 private:
  System& system_;
  messages::Endpoint& endpoint_;
  std::deque<hal::Message*> arrived_;  // parts that nobody has looked at
  os::WaitQueue arrival_;
};

}  // namespace sunstar::file_systems::disk_directed
