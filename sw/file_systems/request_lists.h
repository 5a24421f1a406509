// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "sw/file_systems/system.h"
#include "sw/messages/kind.h"
#include "sw/requests/distributions/list_mapping.h"

// A collective may be given by lists that only their processors know (requests::Mapping::listed). Each compute
// processor then sends each node that moves blocks of the file the entries that concern its blocks, and that node
// begins when it has those of all processors of the application. A processor without such an entry sends a message
// without entries: otherwise a node would wait for ever, or the processors would first have to agree on the number of
// messages.
namespace sunstar::file_systems {

/// An entry of a list, as it crosses the network.
struct ListEntry {
  std::uint64_t offset = 0;  ///< into the file
  std::uint64_t bytes = 0;
  std::uint64_t memory = 0;  ///< into the processor's buffer
};
static_assert(sizeof(ListEntry) == 24 && std::is_trivially_copyable_v<ListEntry>);
using RequestList = std::vector<ListEntry>;

/// The header of a message with a part of a list: as many entries as fit into a block.
struct ListPart {
  std::uint32_t collective;  ///< its number
  std::uint32_t processor;   ///< whose list it is
  std::uint32_t parts;       ///< messages into which its entries for this node are divided: at least one
  std::uint32_t entries;     ///< in this one
};

/// The nodes that move the blocks of a file.
struct BlockMovers {
  std::vector<messages::Endpoint*> nodes;
  std::function<std::size_t(std::uint64_t block)> of;  ///< which of them moves the block
  /// This many consecutive blocks involve every node.
  std::uint64_t turn = std::numeric_limits<std::uint64_t>::max();
  std::optional<std::size_t> self{};  ///< the one that sends the list: it keeps its own entries
};

/// A compute processor sends its list.
class ListSender {
 public:
  ListSender(System& system, const messages::Kind<ListPart>& part, std::uint32_t processor);

  /// Sorts out which entries concern which node, and sends them. An entry whose blocks several nodes move goes to each
  /// of them, as it is. The entries of `movers.self` become `own`.
  os::Task<> send(const requests::Mapping& mapping, std::uint32_t number, const BlockMovers& movers,
                  RequestList* own = nullptr);

 private:
  std::vector<RequestList> by_node(const requests::Mapping& mapping, const BlockMovers& movers);

  System& system_;
  const messages::Kind<ListPart>& part_;
  std::uint32_t processor_;
  messages::Endpoint& endpoint_;
  std::byte* buffer_ = nullptr;  // of a block
};

/// A node receives the lists.
class ListReceiver {
 public:
  ListReceiver(System& system, const messages::Kind<ListPart>& part, messages::Endpoint& endpoint);

  /// The entries that the node has as a compute processor.
  struct Own {
    std::uint32_t processor;
    RequestList list{};
  };
  /// Waits for the lists of the `senders` compute processors of the application, except the node's own if it has one.
  /// Returns the part of the collective's mapping, of a file of `file_bytes`, that concerns this node's blocks.
  os::Task<std::shared_ptr<const requests::Mapping>> receive(std::uint64_t file_bytes, std::uint32_t number,
                                                             std::uint32_t senders, const Own* own = nullptr);

 private:
  struct Arrived {
    ListPart part;
    RequestList entries;
  };
  /// Watches for senders whose lists will not come.
  struct Watch final : messages::Peers::Waiter {
    explicit Watch(ListReceiver& r) : receiver(r) {}
    void lost(hal::NodeId node) override;
    ListReceiver& receiver;
    std::vector<hal::NodeId> gone;
  };

  System& system_;
  messages::Endpoint& endpoint_;
  /// By collective, of several applications. Where nodes can be lost, those of the last one stay: if the processor that
  /// asked for it is gone, the next one asks for it again, and nobody sends lists again.
  std::map<std::uint32_t, std::vector<Arrived>> arrived_;
  os::WaitQueue arrival_;
};

}  // namespace sunstar::file_systems
