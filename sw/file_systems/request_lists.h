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

class ListSender {
 public:
  ListSender(System& system, const messages::Kind<ListPart>& part, std::uint32_t processor)
      : system_(system), part_(part), processor_(processor), endpoint_(*system.nodes.compute[processor]) {}

  /// Sorts out which entries concern which node, and sends them. An entry whose blocks several nodes move goes to each
  /// of them, as it is. The entries of `movers.self` become `own`.
  os::Task<> send(const requests::Mapping& mapping, std::uint32_t number, const BlockMovers& movers,
                  RequestList* own = nullptr) {
    std::vector<RequestList> lists = by_node(mapping, movers);
    for (const RequestList& list : lists)
      endpoint_.os.charge(os::Cost::block_list_entry, static_cast<double>(list.size()));
    if (!buffer_) buffer_ = endpoint_.os.node().allocate(system_.volume.block_bytes());
    const std::size_t in_a_message = system_.volume.block_bytes() / sizeof(ListEntry);
    // Each compute processor begins with a different node, so that they do not all turn to the same one first.
    std::size_t next = lists.size() * processor_ / system_.nodes.compute.size();
    for (std::size_t left = lists.size(); left > 0; --left) {
      os::counted_from_here<os::Cost::block_list_entry>();
      const std::size_t node = next;
      if (++next == lists.size()) next = 0;
      if (node == movers.self) continue;
      std::span<const ListEntry> list = lists[node];
      const auto parts =
          static_cast<std::uint32_t>(std::max<std::size_t>(1, (list.size() + in_a_message - 1) / in_a_message));
      for (std::uint32_t part = 0; part < parts; ++part) {
        const auto now = list.first(std::min(list.size(), in_a_message));
        list = list.subspan(now.size());
        const auto bytes = static_cast<std::uint32_t>(now.size_bytes());
        endpoint_.os.memory().put(buffer_, now.data(), bytes);
        endpoint_.count_list(bytes);
        // The interface copies the data at once, so the next part may use the buffer.
        co_await endpoint_.os.send(part_.message(movers.nodes[node]->id(),
                                                 {number, processor_, parts, static_cast<std::uint32_t>(now.size())},
                                                 bytes > 0 ? buffer_ : nullptr, bytes));
        co_await endpoint_.os.give_way();
      }
    }
    if (movers.self) *own = std::move(lists[*movers.self]);
  }

 private:
  std::vector<RequestList> by_node(const requests::Mapping& mapping, const BlockMovers& movers) {
    const os::Counted<os::Cost::block_list_entry> mark;
    const std::uint64_t block_bytes = system_.volume.block_bytes();
    std::vector<RequestList> lists(movers.nodes.size());
    std::uint64_t at = 0;
    while (const auto piece = mapping.chunk(processor_, at)) {
      at = piece->memory_offset + piece->bytes;
      const std::uint64_t first = piece->file_offset / block_bytes;
      const std::uint64_t last = (piece->file_offset + piece->bytes - 1) / block_bytes;
      for (std::uint64_t block = first; block <= last && block - first < movers.turn; ++block) {
        RequestList& list = lists[movers.of(block)];
        if (list.empty() || list.back().memory != piece->memory_offset)
          list.push_back({piece->file_offset, piece->bytes, piece->memory_offset});
      }
    }
    return lists;
  }

  System& system_;
  const messages::Kind<ListPart>& part_;
  std::uint32_t processor_;
  messages::Endpoint& endpoint_;
  std::byte* buffer_ = nullptr;  // of a block
};

class ListReceiver {
 public:
  ListReceiver(System& system, const messages::Kind<ListPart>& part, messages::Endpoint& endpoint)
      : system_(system), endpoint_(endpoint), arrival_(endpoint_.os, "the lists of a collective request") {
    // The handler takes the entries out of the interface at once. Otherwise nodes that still send their own lists would
    // hold those of others, and none could go on.
    part.on_arrival<os::Cost::reply_action>(endpoint_.os, [this](hal::Message& m) {
      endpoint_.os.after(endpoint_.os.take(m), [this, &m] {
        const ListPart& said = messages::Kind<ListPart>::header(m);
        Arrived& part = arrived_[said.collective].emplace_back(said, RequestList(said.entries));
        if (m.bytes > 0) messages::copy_data(m, 0, part.entries.data(), m.bytes);
        endpoint_.os.node().network().release(m);
        arrival_.wake_all();
      });
    });
  }

  /// The entries that the node has as a compute processor.
  struct Own {
    std::uint32_t processor;
    RequestList list{};
  };

  /// Waits for the lists of the `senders` compute processors of the application, except the node's own if it has one.
  /// Returns the part of the collective's mapping, of a file of `file_bytes`, that concerns this node's blocks.
  os::Task<std::shared_ptr<const requests::Mapping>> receive(std::uint64_t file_bytes, std::uint32_t number,
                                                             std::uint32_t senders, const Own* own = nullptr) {
    const std::size_t processors = system_.nodes.compute.size();
    std::vector<requests::Piece> pieces;
    const auto add = [&pieces](std::uint32_t processor, const RequestList& list) {
      const os::Counted<os::Cost::block_list_entry> mark;
      for (const ListEntry& entry : list) pieces.push_back({processor, entry.offset, entry.memory, entry.bytes});
    };
    if (own) add(own->processor, own->list);
    std::vector<std::uint32_t> parts(processors, 0);  // that have come, by compute processor
    std::vector<char> whole(processors);              // whose lists have come
    // Where nodes can be lost, the senders are all compute processors: one application runs.
    Watch watch(*this);
    const auto node = [this](std::uint32_t p) { return system_.nodes.compute[p]->id(); };
    for (std::uint32_t p = 0; p < senders; ++p)
      if (node(p) != endpoint_.id() && !endpoint_.peers().watch(node(p), watch)) watch.lost(node(p));
    const auto missing = [&] {  // senders that are gone and whose lists have not come whole
      std::uint32_t n = 0;
      for (const hal::NodeId gone : watch.gone)
        for (std::uint32_t p = 0; p < senders; ++p) n += node(p) == gone && !whole[p];
      return n;
    };
    std::size_t looked_at = 0;
    for (std::uint32_t complete = own ? 1 : 0;;) {
      // A list that is here counts, even if its sender seems to be gone.
      const std::vector<Arrived>& here = arrived_[number];
      if (looked_at >= here.size()) {
        if (complete + missing() >= senders) break;
        co_await arrival_.wait();
        continue;
      }
      os::counted_from_here<os::Cost::block_list_entry>();
      const auto& [part, entries] = here[looked_at++];
      add(part.processor, entries);
      endpoint_.os.charge(os::Cost::block_list_entry, part.entries);
      if (++parts[part.processor] == part.parts) ++complete, whole[part.processor] = 1;
    }
    if (endpoint_.peers().can_lose()) arrived_.erase(arrived_.begin(), arrived_.lower_bound(number));
    else arrived_.erase(number);
    for (std::uint32_t p = 0; p < senders; ++p) endpoint_.peers().unwatch(node(p), watch);
    const os::Counted<os::Cost::block_list_entry> mark;
    // A buffer reaches at least as far as its entries.
    auto memory = std::make_shared<std::vector<std::uint64_t>>(processors);
    for (const requests::Piece& p : pieces)
      (*memory)[p.processor] = std::max((*memory)[p.processor], p.memory_offset + p.bytes);
    // Bytes that several processors want to write have one holder already: the others have not listed them.
    co_return std::make_shared<const requests::ListMapping>(file_bytes, std::move(memory), std::move(pieces),
                                                            requests::ListMapping::Holders::every);
  }

 private:
  struct Arrived {
    ListPart part;
    RequestList entries;
  };
  /// Watches for senders whose lists will not come.
  struct Watch final : messages::Peers::Waiter {
    explicit Watch(ListReceiver& r) : receiver(r) {}

    void lost(hal::NodeId node) override {
      gone.push_back(node);
      receiver.arrival_.wake_all();
    }

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
