// SPDX-License-Identifier: MIT
#include "sw/file_systems/versioned/client.h"

#include <utility>

#include "sw/file_systems/striped/together.h"

namespace sunstar::file_systems::versioned {

os::Task<> Client::carry_out(const requests::Access& access, std::byte* memory, Failures& failed) {
  std::deque<Outcome> parts;
  const auto most = static_cast<std::uint32_t>(targets_.params().request_size.count);
  striped::for_each_part(system_.volume, {access.file, access.offset, access.bytes}, [&](striped::Part part) {
    for (const std::uint32_t end = part.from + part.bytes; part.from < end; part.from += part.bytes) {
      part.bytes = std::min(most, end - part.from);
      parts.push_back({part});
    }
  });
  striped::Together together(os_, "part of a call");
  for (Outcome& one : parts) {
    auto work = transfer(one, memory, access.operation == requests::Operation::write);
    if (parts.size() == 1) co_await work;
    else together.add(std::move(work));
    memory += one.part.bytes;
  }
  co_await together.all();
  for (const Outcome& one : parts)
    if (one.status != hal::Status::ok)
      failed.push_back(
          {access.file, access.operation, offset_of(system_.volume, one.part), one.part.bytes, one.status});
}

os::Task<> Client::transfer(Outcome& outcome, std::byte* memory, bool writes) {
  if (!writes) {
    outcome.status = co_await targets_.read(outcome.part, memory);
    co_return;
  }
  const std::uint32_t unit = targets_.unit_of(outcome.part);
  while (!targets_.may_write(unit)) co_await targets_.slots(unit).wait();
  targets_.begin_write(unit);
  const striped::Targets::Piece piece{outcome.part, memory};
  outcome.status = co_await targets_.write({&piece, 1});
}

}  // namespace sunstar::file_systems::versioned
