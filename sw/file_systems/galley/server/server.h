// SPDX-License-Identifier: MIT
#pragma once
#include <ranges>

#include "sw/file_systems/galley/protocol/params.h"
#include "sw/file_systems/galley/requests/extents.h"
#include "sw/file_systems/galley/server/catalogue.h"
#include "sw/file_systems/galley/server/file_numbers.h"
#include "sw/file_systems/system.h"

namespace sunstar::file_systems::galley {

/// What a request takes from one block, or gives to it: parts that follow one another in the request's stream.
struct BlockUse {
  std::uint64_t block = 0;     ///< of the fork
  std::uint64_t position = 0;  ///< of its first byte in the stream
  std::uint32_t bytes = 0;
  std::uint32_t parts = 0;
};

/// A request's blocks in the order of its extents. A block occurs again if the extents come back to it.
struct BlockList {
  std::vector<BlockUse> uses;
  std::uint64_t parts = 0;  ///< of all uses
  std::uint64_t end = 0;    ///< of the last byte in the fork

  BlockList(const Extents& extents, std::uint32_t block_bytes) : extents_(extents), block_bytes_(block_bytes) {
    for (Extents::Piece left : extents.pieces()) {
      end = std::max(end, left.offset + left.bytes);
      while (left.bytes > 0) {
        const std::uint64_t block = left.offset / block_bytes;
        const std::uint64_t bytes = std::min(left.bytes, (block + 1) * block_bytes - left.offset);
        if (uses.empty() || uses.back().block != block) uses.push_back({block, left.position});
        uses.back().bytes += static_cast<std::uint32_t>(bytes);
        ++uses.back().parts;
        ++parts;
        left = {{left.offset + bytes, left.bytes - bytes}, left.position + bytes};
      }
    }
  }

  /// Whether the use covers its whole block.
  bool whole(const BlockUse& use) const { return use.parts == 1 && use.bytes == block_bytes_; }

  struct Part {
    std::uint32_t offset = 0;  ///< into the block
    std::uint32_t bytes = 0;
  };
  /// The parts of [from, from + bytes) of the use's bytes.
  auto parts_of(const BlockUse& use, std::uint32_t from, std::uint32_t bytes) const {
    const auto part = [begin = use.block * block_bytes_](const Extents::Piece& piece) {
      return Part{static_cast<std::uint32_t>(piece.offset - begin), static_cast<std::uint32_t>(piece.bytes)};
    };
    return std::views::transform(extents_.pieces(use.position + from, bytes), part);
  }
  auto parts_of(const BlockUse& use) const { return parts_of(use, 0, use.bytes); }

 private:
  const Extents& extents_;
  const std::uint32_t block_bytes_;
};

/// An I/O processor (Galley, 4.2): a thread for each compute processor and disk, which serves that processor's requests
/// for the disk one after the other; a cache manager; and the disks' drivers, which order what the cache wants from the
/// disks. (The paper has one disk an I/O processor, and so a thread for each compute processor.)
class Server {
 public:
  Server(System& system, const Messages& messages, const Params& params, std::uint32_t io_processor);

  void add_statistics(StatisticSet& set);
  /// The files of the forks, only to note which of their bytes are lost.
  void knows(const FileNumbers& files) { files_ = &files; }
  const Catalogue& catalogue() const { return catalogue_; }

 private:
  /// A request whose list is arriving or complete.
  struct Request {
    TransferRequest asked;
    std::map<std::uint32_t, Extents> lists;  ///< of its messages, by the place of their first extent in the whole list
    SentSelection selection;
    requests::Selection function;  ///< the same, ready to be evaluated
    std::uint32_t arrived = 0;     ///< extents
    bool known = false;            ///< `asked` has arrived
    hal::RequestId watched = 0;    ///< its number for observers
    Time there{};                  ///< when all arrived data are in memory
  };
  /// A thread of one compute processor, for one disk. It gives up a request if the processor is gone.
  struct CpThread final : messages::Peers::Waiter {
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    CpThread(os::Os& os, hal::NodeId its_node, std::byte* its_packet)
        : node(its_node),
          packet(its_packet),
          work(os, "a request of its compute processor"),
          answer(os, "its compute processor") {}
    void lost(hal::NodeId) override {
      gone = true;
      answer.wake_all();
    }
    const hal::NodeId node;
    std::byte* const packet;       // data on their way to or from the compute processor
    std::deque<Request> requests;  // complete ones, first come, first served
    os::WaitQueue work, answer;
    std::uint32_t serving = none;  // the number of the request that it serves, or served last
    bool answered = false;         // the processor has given permission, or the data asked for
    bool gone = false;             // it will not, because it is gone or has given the request up
  };
  struct Processor {
    std::deque<CpThread> threads;   // by disk
    std::vector<Request> arriving;  // whose lists are not complete
    /// The thread that serves a request; null if it has been given up.
    CpThread* serving(std::uint32_t request);
  };

  void receive_request(hal::Message& m);
  void receive_more(hal::Message& m);
  static Request& arriving(Processor& cp, std::uint32_t number);
  void add_extents(Processor& cp, Request& request, std::uint32_t first, hal::Message& m, std::uint32_t from);
  static std::uint32_t take_selection(Request& request, const hal::Message& m);
  void take_names(hal::Message& m);

  os::Task<> thread(CpThread& cp);
  os::Task<> serve(CpThread& cp, const Request& request);
  /// Works out the next slice of the list, from the use `next` on, and gives way.
  os::Task<> work_out(const BlockList& list, std::size_t& next);
  /// Gives the fork the blocks that a write needs; `listed` says whether that has walked the list.
  os::Task<Error> prepare(Fork& fork, const Request& request, const BlockList& list, bool& listed);
  /// Where the parts lie in the request's stream that could not be moved, and why.
  struct Missing {
    std::vector<Extent> parts;
    hal::Status status = hal::Status::ok;
  };
  /// Whether a block has come and its bytes may move: if it cannot be read, they are missing.
  bool usable(const CpThread& cp, const Request& request, const Delivery::Arrived& arrived, const BlockUse& use,
              Missing& missing);
  os::Task<std::uint64_t> transfer(CpThread& cp, const Request& request, const Fork& fork, const BlockList& list,
                                   bool listed, Missing& missing);
  os::Task<> read(CpThread& cp, const Request& request, const BlockList& list, Delivery& delivery, Missing& missing);
  os::Task<> read_selected(CpThread& cp, const Request& request, const BlockList& list, Delivery& delivery,
                           std::uint64_t& sent, Missing& missing);
  os::Task<> write(CpThread& cp, const Request& request, const BlockList& list, Delivery& delivery, Missing& missing);
  /// Puts the list of missing parts where a message can take it from; returns its bytes.
  std::uint32_t list_missing(CpThread& cp, Missing& missing);

  /// Bytes of a request's stream that lie one behind the other in memory and are to be sent as one message.
  struct Packet {
    std::uint64_t position = 0;
    std::uint32_t bytes = 0;
  };
  /// Sends the packet, which is empty then.
  os::Task<> send(CpThread& cp, const Request& request, Packet& packet, std::byte* data);
  /// A buffer for some of the bytes that are asked for next.
  struct Part {
    Buffer* buffer;
    std::uint32_t use;  ///< in the block list
  };
  os::Task<> ask(CpThread& cp, const Request& request, const BlockList& list, std::vector<Part>& parts);

  os::Task<> answer(NameRequest asked, hal::NodeId from, std::string name);
  /// Brings everything to the disks; notes lost bytes and returns an error for them.
  os::Task<hal::Status> sync();

  const Messages& messages_;
  const Params& params_;
  const io::Volume& volume_;
  requests::Recorder& record_;
  const std::uint32_t block_bytes_;
  io::IoNode& node_;
  os::Os& os_;
  CacheManager cache_;
  Catalogue catalogue_;
  os::Mutex answering_;
  std::byte* answer_;
  std::vector<std::byte> looked_at_;
  const FileNumbers* files_ = nullptr;
  std::deque<Processor> processors_;
  boost::unordered_flat_map<hal::NodeId, Processor*> by_node_;
  std::uint64_t packets_ = 0, flushed_early_ = 0;
};

}  // namespace sunstar::file_systems::galley
