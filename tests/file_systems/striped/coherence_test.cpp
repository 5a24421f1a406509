// SPDX-License-Identifier: MIT
// Processes that read and write the same bytes at the same time see them as if calls were carried out one after the
// other.
#include <array>

#include "models/core/random.h"
#include "tests/support/striped_rig.h"

using namespace sunstar;
using namespace sunstar::literals;
using requests::Access;
using requests::Operation;

namespace {

constexpr std::uint64_t file_bytes = 60'000;  // the last page is short

/// What is atomic: a call, or its part of a stripe.
struct Atom {
  bool write;
  std::uint64_t begin, end;  // bytes
  Time start, ended;
  std::byte value;                // of a write; 0: what the file held before
  std::vector<std::byte> seen{};  // by a read
  bool covers(std::uint64_t at) const { return begin <= at && at < end; }
  bool before(const Atom& other) const { return ended < other.start; }
};

struct History {
  std::vector<Atom> writes, reads;

  History(test::StripedRig& rig, std::uint64_t stripe) {
    writes.push_back({true, 0, file_bytes, Time{} - 2_ps, Time{} - 1_ps, std::byte{0}});
    for (const auto& d : rig.done) {
      CHECK(d.status == hal::Status::ok);
      for (std::uint64_t at = d.access.offset; at < d.access.offset + d.access.bytes;) {
        const std::uint64_t next = std::min(d.access.offset + d.access.bytes, (at / stripe + 1) * stripe);
        Atom atom{d.access.operation == Operation::write, at, next, d.start, d.end, d.value};
        const auto all = rig.seen(d);
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(at - d.access.offset);
        if (!atom.write) atom.seen.assign(first, first + static_cast<std::ptrdiff_t>(next - at));
        (atom.write ? writes : reads).push_back(std::move(atom));
        at = next;
      }
    }
    // At the end, all processes look at the disks.
    for (std::uint64_t at = 0; at < file_bytes;) {
      const std::uint64_t next = std::min(file_bytes, (at / stripe + 1) * stripe);
      Atom disk{false, at, next, Time::max(), Time::max(), {}};
      for (; at < next; ++at) disk.seen.push_back(rig.on_disk(at));
      reads.push_back(std::move(disk));
    }
  }

  /// The write that a byte of a read comes from; null if there is none.
  const Atom* from(const Atom& read, std::uint64_t at) const {
    const auto found = std::ranges::find_if(
        writes, [&](const Atom& w) { return w.covers(at) && w.value == read.seen[at - read.begin]; });
    return found == writes.end() ? nullptr : &*found;
  }

  /// Why it cannot have been so; empty if it can.
  std::string wrong() const {
    for (const Atom& read : reads) {
      std::vector<std::pair<const Atom*, std::uint64_t>> kinds;  // writes that it has seen, and where
      for (std::uint64_t at = read.begin; at < read.end; ++at) {
        const Atom* const w = from(read, at);
        const std::string where = "byte " + std::to_string(at);
        if (!w) return where + " was never written so";
        if (read.before(*w)) return where + " was read before it was written";
        for (const Atom& other : writes)
          if (w->before(other) && other.before(read) && other.covers(at)) return where + " is out of date";
        for (const Atom& earlier : reads)
          if (earlier.before(read) && earlier.covers(at))
            if (const Atom* const seen = from(earlier, at); seen && w->before(*seen)) return where + " went back";
        if (kinds.empty() || kinds.back().first != w) kinds.emplace_back(w, at);
      }
      for (const auto& [a, at] : kinds)
        for (const auto& [b, there] : kinds)
          if (a != b && a->covers(there) && b->covers(at))
            return "bytes " + std::to_string(at) + " and " + std::to_string(there) + " are of two writes of both";
    }
    return "";
  }
};

/// Calls at random: mostly around the same few places, of a byte to several stripes.
std::vector<std::vector<Access>> random_calls(RandomStream& random, std::uint32_t processes, std::uint32_t calls) {
  std::vector<std::vector<Access>> all(processes);
  for (auto& of_process : all) {
    std::uint64_t memory = 0;
    for (std::uint32_t c = 0; c < calls; ++c) {
      Access a;
      a.operation = random.below(2) == 0 ? Operation::read : Operation::write;
      const std::array<std::uint64_t, 4> most{100, 5000, 9000, 30'000};
      a.bytes = 1 + random.below(most[random.below(4)]);
      a.offset = random.below(3) == 0 ? random.below(file_bytes) : 4000 + random.below(9000);
      a.bytes = std::min(a.bytes, file_bytes - a.offset);
      a.memory = memory;
      a.think = Duration{static_cast<std::int64_t>(random.below(3'000'000'000))};  // up to 3 ms
      memory += a.bytes;
      of_process.push_back(a);
    }
  }
  return all;
}

void interleave(const file_systems::Kinds& kind, std::uint64_t atom) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "interleavings");
    test::StripedRig rig(3, 2, file_bytes, kind, os::Costs{});
    // Messages overtake one another.
    rig.machine.copies = [&](const hal::Message&) {
      rig.machine.latency = Duration{static_cast<std::int64_t>(1'000'000 + random.below(1'000'000'000))};
      return 1;
    };
    rig.run(random_calls(random, 5, 12), {0, 0, 1, 2, 2});
    CHECK(History(rig, atom).wrong() == "");
  }
}

}  // namespace

TEST_CASE("under locks, overlapping calls of several processes and nodes are atomic and in one order") {
  for (const std::uint32_t objects : {0u, 1u, 5u})
    for (const std::uint32_t ahead : {0u, 2u}) {
      auto params = test::small_locking();
      params.objects.stripe_count = objects;
      params.lock_ahead = ahead;
      INFO("objects " << objects << ", lock ahead " << ahead);
      interleave(params, file_bytes);
    }
}

TEST_CASE("with versions, overlapping calls are atomic and in one order in each stripe") {
  for (const std::uint32_t objects : {0u, 1u, 5u}) {
    auto params = test::small_versioned();
    params.objects.stripe_count = objects;
    INFO("objects " << objects);
    interleave(params, test::StripedRig::stripe);
  }
}
