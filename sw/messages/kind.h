// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <type_traits>

#include "models/node/hal.h"
#include "sw/os/os.h"

// Typed messages. A message has a header of a few words, which holds a plain struct, and may carry data.
namespace sunstar::messages {

/// Numbers the kinds of messages of one machine: no two kinds share a number.
class Numbers {
 public:
  std::uint16_t next() { return next_++; }

 private:
  std::uint16_t next_ = 0;
};

/// One kind of message: what its header says, and the number by which nodes recognise it. All nodes share the object.
///
///   struct ReadRequest { std::uint32_t file, bytes; std::uint64_t offset; ReplyTo reply; };
///   Kind<ReadRequest> read(numbers);
///   read.on_arrival(server.os, {}, [](hal::Message& m) { ... Kind<ReadRequest>::header(m).offset ... });
///   co_await client.os.send(read.message(server.id(), {file, bytes, offset, action.expect(buffer)}));
template <class Header>
class Kind {
  static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) <= sizeof(hal::Message::word),
                "a header is plain data of at most six words");

 public:
  explicit Kind(Numbers& numbers) : number_(numbers.next()) {}

  /// Registers what the node's interrupt handler does when such a message arrives; `costs` are charged on top of taking
  /// the interrupt. The action must release the message or give it to a thread that does.
  template <class Action>
  void on_arrival(os::Os& os, std::initializer_list<os::Cost> costs, Action action) const {
    os.on_message(number_, costs, std::move(action));
  }

  /// Composes a message to `target`; `data` are in the sender's memory.
  hal::Message message(hal::NodeId target, const Header& header, std::byte* data = nullptr,
                       std::uint32_t bytes = 0) const {
    const os::CountedUnlessInside<os::Cost::message_send> mark;
    hal::Message m;
    m.target = target;
    m.handler = number_;
    m.data = data;
    m.bytes = bytes;
    std::memcpy(m.word.data(), std::assume_aligned<alignof(Header)>(&header), sizeof header);
    return m;
  }

  static Header header(const hal::Message& m) {
    alignas(word_bytes) std::array<std::byte, sizeof(Header)> raw;
    std::memcpy(raw.data(), std::assume_aligned<word_bytes>(m.word.data()), raw.size());
    return std::bit_cast<Header>(raw);
  }

 private:
  // A header is copied in words. On processors that need aligned addresses, the compiler must know that they are.
  static constexpr std::size_t word_bytes = sizeof(std::uint64_t);

  std::uint16_t number_;
};

/// Lets the receiving interface take the message even when its FIFO is full: for replies, acknowledgements and whatever
/// a waiting receiver is sure to take.
inline hal::Message always_taken(hal::Message m) {
  m.reply = true;
  return m;
}

}  // namespace sunstar::messages
