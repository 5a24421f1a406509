// SPDX-License-Identifier: MIT
#pragma once
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <tuple>
#include <type_traits>

#include "models/node/hal.h"
#include "sw/os/os.h"

// Typed messages. A message has a header of a few words, which holds a plain struct, and may carry data.
namespace sunstar::messages {

/// Numbers the kinds of messages of one machine: no two kinds share a number.
class Numbers {
 public:
  std::uint16_t next() { return next_++; }
  std::uint16_t count() const { return next_; }

 private:
  std::uint16_t next_ = 0;
};

/// When the receiving interface takes a message.
enum class Taken : bool {
  with_room,  ///< when its FIFO has room
  always,  ///< even when its FIFO is full: replies, acknowledgements and other messages that a handler always releases
};

/// What the data of a message are. A receiver notices a spoilt list or name, but not spoilt bytes of a file. See
/// hal::Message::file_data.
enum class Carries : bool { other, file_data };
inline void declare(hal::Message& m, Carries carries) {
  if (!os::counting) m.file_data = carries == Carries::file_data;
}

/// Copies `bytes` of an arrived message's data, from byte `at` on.
inline void copy_data(const hal::Message& m, std::uint64_t at, void* to, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::byte* all;
  {
    const os::NotOnTheMachine mark;
    all = m.content->bytes();
  }
  if (os::counting || all) std::memcpy(to, all + at, bytes);
  else
    m.content->make_bytes(static_cast<std::byte*>(to), static_cast<std::uint32_t>(at),
                          static_cast<std::uint32_t>(bytes));
}
/// An arrived message's data, which are a text.
inline std::string text(const hal::Message& m) {
  std::string text(m.bytes, '\0');
  copy_data(m, 0, text.data(), m.bytes);
  return text;
}

/// The described numbers of a message's header, as in "file 0, offset 8192".
template <class Header>
std::string numbers_in(const hal::Message& m) {
  std::string told;
  if constexpr (boost::describe::has_describe_members<Header>::value) {
    const auto& header = *std::launder(reinterpret_cast<const Header*>(m.header.data()));
    boost::mp11::mp_for_each<boost::describe::describe_members<Header, boost::describe::mod_public>>([&](auto member) {
      told += (told.empty() ? "" : ", ") + std::string(member.name) + " " + std::to_string(header.*member.pointer);
    });
  }
  return told;
}

/// One kind of message: what its header says, and the number by which nodes recognise it. All nodes share the object.
///
///   struct ReadRequest { std::uint32_t file, bytes; std::uint64_t offset; ReplyTo reply; };
///   Kind<ReadRequest> read(numbers, "read");
///   read.on_arrival(server.os, [](hal::Message& m) { ... Kind<ReadRequest>::header(m).offset ... });
///   co_await client.os.send(read.message(server.id(), {file, bytes, offset, action.expect(server.id(), buffer)}));
template <class Header>
class Kind {
  static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) <= sizeof(hal::Message::header) &&
                    alignof(Header) <= 8,
                "a header is plain data of at most 48 bytes");

 public:
  /// `name` is for observers, which also see the members of the header that are described to Boost.
  explicit Kind(Numbers& numbers, const char* name, Taken taken = Taken::with_room, Carries carries = Carries::other)
      : number_(numbers.next()), reply_(taken == Taken::always), carries_(carries), name_(name) {}
  Kind(Numbers& numbers, const char* name, Carries carries) : Kind(numbers, name, Taken::with_room, carries) {}

  /// Registers what the node's interrupt handler does when such a message arrives, in addition to taking the interrupt:
  /// it carries out `cost`, if there is one. The action must release the message or give it to a thread that does.
  template <os::Cost... cost, class Action>
  void on_arrival(os::Os& os, Action action) const {
    static_assert(sizeof...(cost) <= 1);
    const auto handler = [action = std::move(action)](hal::Message& m) {
      [[maybe_unused]] const std::tuple<os::Counted<cost>...> mark;
      action(m);
    };
    os.on_message(number_, {cost...}, handler, name_, os::counting ? nullptr : numbers_in<Header>);
  }
  /// Each such message gets a thread `name`, which carries out body(message) and releases the message.
  template <class Body>
  void starts_thread(os::Os& os, const char* name, Body body) const {
    on_arrival(os, [&os, &kind = os.kind(name), body = std::move(body)](hal::Message& m) {
      const os::Counted<os::Cost::thread_create> mark;
      os.spawn_at(os.take(m), body(m), kind);
    });
  }

  /// Composes a message to `target`; `data` are in the sender's memory.
  hal::Message message(hal::NodeId target, const Header& header, std::byte* data = nullptr,
                       std::uint32_t bytes = 0) const {
    const os::CountedUnlessInside<os::Cost::message_send> mark;
    hal::Message m;
    m.target = target;
    m.handler = number_;
    m.reply = reply_;
    m.data = data;
    m.bytes = bytes;
    declare(m, carries_);
    std::memcpy(m.header.data(), std::assume_aligned<alignof(Header)>(&header), sizeof header);
    return m;
  }

  std::uint16_t number() const { return number_; }
  /// The header of an arrived message, which lives as long as the message.
  static const Header& header(const hal::Message& m) {
    return *std::launder(reinterpret_cast<const Header*>(m.header.data()));
  }

 private:
  std::uint16_t number_;
  bool reply_;
  Carries carries_;
  const char* name_;
};

}  // namespace sunstar::messages
