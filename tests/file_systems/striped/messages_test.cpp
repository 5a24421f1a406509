// SPDX-License-Identifier: MIT
// How many messages a call costs, as docs/file-systems/locking.md and versioned.md say.
#include "tests/support/striped_rig.h"

using namespace sunstar;
using requests::Access;
using requests::Operation;

namespace {

constexpr std::uint32_t stripe = test::StripedRig::stripe;

Access call(Operation operation, std::uint64_t offset, std::uint64_t bytes, std::int64_t think_us = 0) {
  Access a{0, operation, offset, 0, bytes, {}, {}};
  a.think = Duration{think_us * 1'000'000};
  return a;
}

/// Messages between the nodes, less those of the calls' frame: opening the file, barriers and the synchronisation,
/// which a run of the same processes with no calls but a read that finds everything would have, too.
std::size_t messages_of(const file_systems::Kinds& kind, std::vector<std::vector<Access>> calls) {
  const auto sent = [&](std::vector<std::vector<Access>> all) {
    test::StripedRig rig(static_cast<std::uint32_t>(all.size()), 2, 8 * stripe, kind);
    rig.run(std::move(all));
    return rig.machine.sent.size();
  };
  std::vector<std::vector<Access>> none(calls.size());
  std::size_t opens = 0;
  for (const auto& of_process : calls) opens += of_process.empty() ? 0 : 2;
  return sent(std::move(calls)) - sent(std::move(none)) - opens;
}

}  // namespace

TEST_CASE("messages of a call under locks") {
  const file_systems::Kinds kind = test::small_locking();
  // A lock, asked for and granted, and a request with an answer that carries the pages.
  CHECK(messages_of(kind, {{call(Operation::read, 0, stripe)}}) == 4);
  // What is in the cache under a lock costs none.
  CHECK(messages_of(kind, {{call(Operation::read, 0, stripe), call(Operation::read, 100, 3000)}}) == 4);
  // Of two objects.
  CHECK(messages_of(kind, {{call(Operation::read, 0, 2 * stripe)}}) == 8);
  // A lock; later the request, the server's Memget, its data and the answer.
  CHECK(messages_of(kind, {{call(Operation::write, 0, stripe)}}) == 6);
  // Two stripes of one object are one request, for which the server fetches two runs.
  CHECK(messages_of(kind, {{call(Operation::write, 0, stripe), call(Operation::write, 2 * stripe, stripe)}}) == 8);
  // A page that is written in part is read first.
  CHECK(messages_of(kind, {{call(Operation::write, 100, 50)}}) == 2 + 2 + 4);
  // Another node reads it: its lock waits for a call back, after which the page is at the server.
  CHECK(messages_of(kind, {{call(Operation::write, 0, stripe)}, {call(Operation::read, 0, stripe, 20'000)}}) ==
        6 + 2 + 2 + 2);
}

TEST_CASE("messages of a call with versions") {
  const file_systems::Kinds kind = test::small_versioned();
  CHECK(messages_of(kind, {{call(Operation::read, 0, stripe)}}) == 2);
  CHECK(messages_of(kind, {{call(Operation::read, 0, 2 * stripe)}}) == 4);
  // The request, the server's Memget, its data and the answer, for any bytes.
  CHECK(messages_of(kind, {{call(Operation::write, 0, stripe)}}) == 4);
  CHECK(messages_of(kind, {{call(Operation::write, 100, 50)}}) == 4);
  CHECK(messages_of(kind, {{call(Operation::write, 0, stripe)}, {call(Operation::read, 0, stripe, 20'000)}}) == 6);
}
