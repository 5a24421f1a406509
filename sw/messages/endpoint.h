// SPDX-License-Identifier: MIT
#pragma once
#include <cassert>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "models/node/hal.h"
#include "sw/messages/peers.h"
#include "sw/messages/pieces.h"
#include "sw/os/counted.h"

namespace sunstar::messages {

/// The replies that a node waits for. Each has a name, which the request carries to the other node and the reply brings
/// back: its place in the table and, above it, the place's generation. A reply that was given up gives its place a new
/// generation, so that the node drops the reply should it come after all.
class Expectations {
 public:
  using Name = std::uint32_t;
  static constexpr Name most = 1U << 24;    ///< replies at once, and one
  static constexpr Name nobody = most - 1;  ///< of a reply that is not expected

  /// `node` will send a reply for the reply action of that number.
  Name add(hal::NodeId node, std::uint32_t action) {
    if (free_ == nobody) [[unlikely]] {
      const os::NotOnTheMachine mark;  // the table soon has its final size
      grow();
    }
    const std::uint32_t at = free_;
    Place& place = places_[at];
    free_ = std::exchange(place.node, node);
    place.action = action;
    return std::uint32_t{place.generation} << 24 | at;
  }
  bool has(Name name) const {
    if (name % most >= places_.size()) return false;  // `nobody`
    const Place& place = places_[name % most];
    return place.action != none && place.generation == name >> 24;
  }
  /// The reply action that an expected reply belongs to.
  std::uint32_t action(Name name) const { return places_[name % most].action; }
  hal::NodeId node(Name name) const { return places_[name % most].node; }
  void came(Name name) {
    Place& place = places_[name % most];
    place.action = none;
    place.node = std::exchange(free_, name % most);
  }
  /// Gives up all replies of the node, and returns the numbers of their reply actions, in ascending order.
  std::vector<std::uint32_t> give_up(hal::NodeId node) {
    std::vector<std::uint32_t> actions;
    for (std::uint32_t at = 0; at < places_.size(); ++at) {
      Place& place = places_[at];
      if (place.action == none || place.node != node) continue;
      actions.push_back(place.action);
      ++place.generation;
      came(at);
    }
    std::ranges::sort(actions);
    return actions;
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Place {
    std::uint32_t node = nobody;  // of a free place: the next free one, or `nobody`
    std::uint32_t action = none;
    std::uint8_t generation = 0;
  };
  [[gnu::noinline]] void grow() {
    free_ = static_cast<std::uint32_t>(places_.size());
    assert(free_ < nobody);
    places_.push_back({});
  }
  std::vector<Place> places_;
  std::uint32_t free_ = nobody;  // the first free place
};

class ReplyAction;

/// Where a reply goes: a reply action of the node that asked, and the offset of the reply's data from the action's
/// destination.
struct ReplyTo {
  Expectations::Name expected = 0;
  hal::Status status = hal::Status::ok;  ///< of a reply: whether what was asked for has been done
  std::uint64_t at = 0;                  ///< bytes
};

/// The buffer that a node offers to Memput and Memget. Other nodes address it by offset.
struct RemoteMemory : hal::OpenMemory {
  std::uint64_t appended = 0;  ///< bytes at the beginning that appends have filled
};

/// The kinds of messages that every node of a machine understands, and the source of the other kinds' numbers.
class Protocol {
 public:
  struct Put {
    std::uint64_t offset;
    std::uint64_t unused;
    ReplyTo reply;  ///< of this and of Get, hal::OneSidedHeader::answer
  };
  struct Get {
    std::uint64_t offset;
    std::uint64_t bytes;
    ReplyTo reply;
  };
  /// Of several pieces. One run stands in the header; more come as a list: before the answer's data, if it asks for
  /// them, or behind the data that it brings.
  struct Pieces {
    PieceRun run;
    std::uint32_t runs;
    std::uint32_t unused;
    ReplyTo reply;
  };
  Numbers numbers;
  const Kind<ReplyTo> reply{numbers, "reply", Taken::always};
  const Kind<Put> memput{numbers, "memput", Carries::file_data};
  const Kind<Get> memget{numbers, "memget"};
  const Kind<Pieces> memput_pieces{numbers, "memput of pieces"};
  const Kind<Pieces> memget_pieces{numbers, "memget of pieces"};
  const Kind<ReplyTo> append{numbers, "append"};
  struct Nothing {};
  const Kind<Nothing> are_you_there{numbers, "are you there", Taken::always};
  struct Here {
    std::uint32_t incarnation;
  };
  const Kind<Here> here{numbers, "here", Taken::always};
  const Kind<Nothing> nobody{numbers, "nobody", Taken::always};
};

BOOST_DESCRIBE_STRUCT(Protocol::Put, (), (offset))
BOOST_DESCRIBE_STRUCT(Protocol::Get, (), (offset, bytes))

/// A node as its peers see it: its executive, the replies it waits for, the memory it offers.
class Endpoint {
 public:
  /// Registers the handler of replies. It puts the data where the reply action says and tells the action.
  Endpoint(os::Os& os, const Protocol& protocol);

  os::Os& os;
  hal::NodeId id() const { return id_; }
  /// The other nodes, which it may take for gone.
  Peers& peers() { return peers_; }
  /// For a node that was started again and runs nothing: refuses every message.
  void refuse_all();

  /// Offers `memory`, which must outlive the executive, to Memput and Memget. A Memget of several pieces may ask for
  /// `most_gathered` bytes.
  void offer(RemoteMemory& memory, std::uint64_t most_gathered = 0);
  /// What it offers; null if nothing.
  RemoteMemory* offered() const { return offered_; }

  /// Composes a request to write `bytes` at `data` into `to`'s buffer at `offset`; an acknowledgement answers it.
  hal::Message memput(hal::NodeId to, std::uint64_t offset, std::byte* data, std::uint32_t bytes, const ReplyTo&) const;
  /// Composes a request for `bytes` of `to`'s buffer at `offset`; a reply that carries them answers it.
  hal::Message memget(hal::NodeId to, std::uint64_t offset, std::uint32_t bytes, const ReplyTo&) const;
  /// Composes a request to write the packed bytes of several pieces, `pieces.bytes()` at `data`, to their places in
  /// `to`'s buffer; an acknowledgement answers it. Behind the data, the buffer needs room for `pieces.list_bytes()`.
  hal::Message memput(hal::NodeId to, const Runs& pieces, std::byte* data, const ReplyTo&);
  /// Composes a request for several pieces of `to`'s buffer; a reply that carries them one behind the other answers it.
  /// `list` is a buffer for `pieces.list_bytes()`.
  hal::Message memget(hal::NodeId to, const Runs& pieces, std::byte* list, const ReplyTo&);
  /// Composes a request to append `bytes` at `data` to the bytes appended to `to`'s buffer so far; an acknowledgement
  /// answers it.
  hal::Message append(hal::NodeId to, std::byte* data, std::uint32_t bytes, const ReplyTo&) const;
  /// Counts `bytes` of a message, composed elsewhere, that say where data go, such as a list of pieces.
  void count_list(std::uint64_t bytes) { list_bytes_ += bytes; }
  /// Bytes of such lists in all messages, with those of count_list().
  std::uint64_t list_bytes() const { return list_bytes_; }
  /// Charges the running thread for packing or unpacking `pieces`, which touches `bytes`, in the scope of the result.
  os::Counted<os::Cost::piece_copy> charge_for_pieces(std::uint64_t pieces, std::uint64_t bytes);

  /// Sends the reply to a request, and releases the request first.
  struct Answer {
    const hal::Message message;
    os::Os::Send sending;
    Answer(os::Os& os, const hal::Message& m) : message(m), sending(os.send(message)) {}
    Answer(const Answer&) = delete;
    bool await_ready() const noexcept { return sending.await_ready(); }
    auto await_suspend(std::coroutine_handle<> h) { return sending.await_suspend(h); }
    void await_resume() { sending.await_resume(); }
  };
  Answer answer(hal::Message& request, const ReplyTo& to, std::byte* data = nullptr, std::uint32_t bytes = 0,
                Carries carries = Carries::other);
  /// The same for a request that has been released.
  Answer answer(hal::NodeId client, const ReplyTo& to, std::byte* data = nullptr, std::uint32_t bytes = 0,
                Carries carries = Carries::other);
  hal::Message reply(hal::NodeId source, const ReplyTo&, std::byte* data = nullptr, std::uint32_t bytes = 0) const;

 private:
  friend class ReplyAction;
  friend class Peers;
  /// A node that is gone will not send its replies.
  void give_up(hal::NodeId node);
  void came(Expectations::Name expected, hal::Status status);
  /// Whether the sender of the reply has been taken for gone.
  bool given_up(Expectations::Name expected) const { return peers_.can_lose() && !expectations_.has(expected); }

  const Protocol& protocol_;
  const hal::NodeId id_;
  std::vector<ReplyAction*> actions_;  // by number
  std::vector<std::uint32_t> free_;
  Expectations expectations_;
  std::byte* gathered_ = nullptr;
  std::uint64_t most_gathered_ = 0;
  std::uint64_t list_bytes_ = 0;
  RemoteMemory* offered_ = nullptr;
  Peers peers_;

  hal::Message with_list(const Kind<Protocol::Pieces>& kind, hal::NodeId to, const Runs& pieces, std::byte* data,
                         std::uint32_t bytes, const ReplyTo& answer);
  void put_pieces(hal::Message& m, RemoteMemory& memory);
  void get_pieces(hal::Message& m, RemoteMemory& memory);
};

/// What a node does with the replies to its requests: where their data go, and which threads to wake when all expected
/// replies have come. A request carries the action's number to the other node, which returns it.
class ReplyAction {
 public:
  explicit ReplyAction(Endpoint& endpoint);
  ReplyAction(ReplyAction&& other) noexcept;
  ReplyAction& operator=(ReplyAction&&) = delete;
  ~ReplyAction();

  /// Call this before sending a request to `node`: the request must carry the result. The data go to `destination` +
  /// `at`. If the node is gone, or goes before it has answered, the status is no_answer.
  ReplyTo expect(hal::NodeId node, std::byte* destination = nullptr, std::uint64_t at = 0) {
    destination_ = destination;
    if (!endpoint_->peers_.expects(node)) [[unlikely]]
      return gone(at);
    ++outstanding_;
    return {.expected = endpoint_->expectations_.add(node, number_), .at = at};
  }
  bool outstanding() const { return outstanding_ > 0; }
  /// Await this only while outstanding().
  os::WaitQueue::Wait arrival() { return waiters_.wait(); }
  std::byte* destination() const { return destination_; }
  /// The worst status of a reply since the last call.
  hal::Status take_status() { return std::exchange(status_, hal::Status::ok); }
  /// Adds the status of a failure elsewhere to this action's.
  void note(hal::Status status) {
    if (status != hal::Status::ok) status_ = status;
  }
  void complete(hal::Status status) {
    if (status != hal::Status::ok) [[unlikely]]
      status_ = status;
    if (--outstanding_ == 0) waiters_.wake_all();
  }

 private:
  ReplyTo gone(std::uint64_t at);

  Endpoint* endpoint_;
  os::WaitQueue waiters_;
  std::byte* destination_ = nullptr;
  std::uint32_t number_;
  unsigned outstanding_ = 0;
  hal::Status status_ = hal::Status::ok;
};

}  // namespace sunstar::messages
