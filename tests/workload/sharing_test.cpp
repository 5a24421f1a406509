// SPDX-License-Identifier: MIT
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "models/core/content/content.h"
#include "models/core/error.h"
#include "sw/registry/workloads.h"
#include "sw/workload/sharing/params.h"
#include "tests/support/catch.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::workload;
using Catch::Matchers::ContainsSubstring;

namespace {

MachineSizes machine_of(std::uint32_t processors) {
  MachineSizes sizes;
  sizes.processors = processors;
  return sizes;
}

/// 2 processes of 8 requests of 1 KiB each. Each request is a working set.
SharingParams small_sharing(double locality, double sharing) {
  SharingParams params;
  params.file_size = 16_KiB;
  params.request_size = 1_KiB;
  params.nodes = 2;
  params.bytes = 16_KiB;
  params.locality = locality;
  params.working_set = params.request_size;
  params.sharing = sharing;
  return params;
}

std::vector<Access> requests_of(const Workload& work, std::uint32_t processor) {
  std::vector<Access> all;
  const auto source = work.accesses(processor);
  for (Access a; source->next(a);) all.push_back(a);
  return all;
}

/// The requests of a processor as text: the file's first letter and the offset in KiB.
std::string in_short(const Workload& work, std::uint32_t processor) {
  std::string all;
  for (const Access& a : requests_of(work, processor))
    all += (all.empty() ? "" : " ") + work.files()[a.file].name.substr(0, 1) + std::to_string(a.offset >> 10);
  return all;
}

/// Hits of an infinite cache on each node. The instances run one after the other.
struct IdealCaches {
  std::uint64_t requests = 0, hits = 0;           ///< of all instances
  std::vector<std::uint64_t> hits_of, shared_of;  ///< by instance: hits, and requests to the shared file
};
IdealCaches ideal_caches(const Workload& work) {
  IdealCaches result;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> cached;  // node, file, offset
  for (const TeamRange& team : work.teams()) {
    result.hits_of.push_back(0);
    result.shared_of.push_back(0);
    for (std::uint32_t p = team.first; p < team.first + team.processors; ++p)
      for (const Access& a : requests_of(work, p)) {
        const bool hit = !cached.insert({work.node(p), a.file, a.offset}).second;
        ++result.requests;
        result.hits += hit;
        result.hits_of.back() += hit;
        result.shared_of.back() += work.files()[a.file].name == "shared";
      }
  }
  return result;
}

}  // namespace

TEST_CASE("without locality and sharing, each process goes once through its own part of a private file") {
  const auto made = make(small_sharing(0, 0), machine_of(2));
  const Workload& work = *made;
  CHECK(in_short(work, 0) == "p0 p1 p2 p3 p4 p5 p6 p7");
  CHECK(in_short(work, 1) == "p8 p9 p10 p11 p12 p13 p14 p15");
  REQUIRE(work.files().size() == 1);
  CHECK(work.files()[0].name == "private0");
  CHECK(work.files()[0].bytes == 16 << 10);
  CHECK(work.files()[0].whole);
  CHECK(work.files()[0].read);
  CHECK_FALSE(work.files()[0].written);
}

TEST_CASE("shared and private requests, new ones and repetitions are interleaved evenly") {
  // Half of the requests are shared: the second, the fourth and so on.
  CHECK(in_short(*make(small_sharing(0, 0.5), machine_of(2)), 0) == "p0 s0 p1 s1 p2 s2 p3 s3");
  CHECK(in_short(*make(small_sharing(0, 0.25), machine_of(2)), 1) == "p8 p9 p10 s8 p11 p12 p13 s9");
  CHECK(in_short(*make(small_sharing(0, 1), machine_of(2)), 0) == "s0 s1 s2 s3 s4 s5 s6 s7");
  // Half of the requests ask again.
  CHECK(in_short(*make(small_sharing(0.5, 0), machine_of(2)), 0) == "p0 p0 p1 p1 p2 p2 p3 p3");
  CHECK(in_short(*make(small_sharing(0.25, 0), machine_of(2)), 0) == "p0 p1 p2 p2 p3 p4 p5 p5");
  CHECK(in_short(*make(small_sharing(1, 0), machine_of(2)), 1) == "p8 p8 p8 p8 p8 p8 p8 p8");
  // Both: half of the requests to each file ask again.
  CHECK(in_short(*make(small_sharing(0.5, 0.5), machine_of(2)), 0) == "p0 s0 p0 s0 p1 s1 p1 s1");
  CHECK(in_short(*make(small_sharing(0.5, 0.25), machine_of(2)), 0) == "p0 p0 p1 s0 p1 p2 p2 s0");
  CHECK(in_short(*make(small_sharing(1, 0.25), machine_of(2)), 0) == "p0 p0 p0 s0 p0 p0 p0 s0");
}

TEST_CASE("a process goes through its working set before it repeats requests, and then to the next one") {
  const auto sequence = [](double locality, double sharing, Bytes working_set) {
    SharingParams params = small_sharing(locality, sharing);
    params.working_set = working_set;
    return in_short(*make(params, machine_of(2)), 0);
  };
  CHECK(sequence(0.5, 0, 2_KiB) == "p0 p1 p0 p1 p2 p3 p2 p3");
  CHECK(sequence(1, 0, 3_KiB) == "p0 p1 p2 p0 p1 p2 p0 p1");
  CHECK(sequence(0.75, 0, 4_KiB) == "p0 p1 p0 p1 p0 p1 p0 p1");  // there are only 2 new requests
  CHECK(sequence(0.5, 0, 3_KiB) == "p0 p1 p2 p0 p1 p2 p3 p3");
  CHECK(sequence(0.5, 0.5, 2_KiB) == "p0 s0 p1 s1 p0 s0 p1 s1");
  CHECK(sequence(0, 0, 2_KiB) == "p0 p1 p2 p3 p4 p5 p6 p7");
  CHECK(sequence(0.5, 0, Bytes{100}) == "p0 p0 p1 p1 p2 p2 p3 p3");  // at least a request
}

TEST_CASE("an iteration goes through the same sequence once more") {
  SharingParams params = small_sharing(0.5, 0);
  params.iterations = 2;
  const auto made = make(params, machine_of(2));
  const Workload& work = *made;
  CHECK(in_short(work, 0) == "p0 p0 p1 p1 p0 p0 p1 p1");
  CHECK_FALSE(work.files()[0].whole);
}

TEST_CASE("an instance moves the same bytes with requests of any size") {
  for (const std::uint64_t d : {1, 3, 16, 256}) {
    SharingParams params = small_sharing(0.3, 0.4);
    params.file_size = params.bytes = {3 << 20};
    params.request_size = {d << 10};
    params.nodes = 4;
    params.instances = 3;
    params.placement = Placement::different;
    const auto made = make(params, machine_of(12));
    const Workload& work = *made;
    CHECK(work.processors() == 12);
    std::uint64_t bytes = 0, requests = 0;
    for (std::uint32_t p = 0; p < work.processors(); ++p)
      for (const Access& a : requests_of(work, p)) {
        bytes += a.bytes;
        ++requests;
        CHECK(a.bytes == d << 10);
      }
    CHECK(bytes == 3 * (3 << 20));
    CHECK(bytes == work.bytes_moved());
    CHECK(requests == 3 * (3072 / d));
    CHECK(requests == work.access_count());
    CHECK(work.totals(Unit::call, 1).units == 3072 / d);
    CHECK(work.totals(Unit::call, 1).bytes == 3 << 20);
    CHECK(work.totals(Unit::collective, 1).units == 0);
  }
}

TEST_CASE("no two processes of an instance ask for the same bytes, and those of other instances only share a file") {
  SharingParams params = small_sharing(0.5, 0.5);
  params.bytes = params.file_size = 96_KiB;
  params.nodes = 3;
  params.instances = 2;
  const auto made = make(params, machine_of(3));
  const Workload& work = *made;
  REQUIRE(work.files().size() == 3);
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::set<std::uint32_t>> users;  // of file and offset
  for (std::uint32_t p = 0; p < 6; ++p)
    for (const Access& a : requests_of(work, p)) {
      users[{a.file, a.offset}].insert(p);
      CHECK(a.offset >= p % 3 * (32 << 10));
      CHECK(a.offset + a.bytes <= (p % 3 + 1) * (32 << 10));
    }
  for (const auto& [bytes, processors] : users)
    if (work.files()[bytes.first].name == "shared") {
      REQUIRE(processors.size() == 2);  // process i of either instance
      CHECK(*processors.rbegin() == *processors.begin() + 3);
    } else {
      CHECK(processors.size() == 1);
    }
  // In the same order.
  for (std::uint32_t p = 0; p < 3; ++p) {
    std::vector<std::uint64_t> one, other;
    for (const Access& a : requests_of(work, p))
      if (a.file == 0) one.push_back(a.offset);
    for (const Access& a : requests_of(work, p + 3))
      if (a.file == 0) other.push_back(a.offset);
    CHECK(one == other);
    CHECK_FALSE(one.empty());
  }
}

TEST_CASE("an ideal cache hits exactly as often as locality and sharing say") {
  for (const double l : {0.0, 0.1, 0.25, 0.29, 0.5, 0.75, 0.9, 1.0})
    for (const double s : {0.0, 0.1, 0.25, 0.5, 0.58, 0.75, 1.0}) {
      INFO("l = " << l << ", s = " << s);
      SharingParams params = small_sharing(l, s);
      params.nodes = 2;
      params.bytes = params.file_size = {2 * 10'000 << 10};  // 10,000 requests a process
      params.instances = 2;
      const auto made = make(params, machine_of(2));
      const Workload& work = *made;
      const IdealCaches ideal = ideal_caches(work);
      // Of a process: its shared requests, and those of either kind that repeat; the first of a file never does.
      const auto shared = static_cast<std::uint64_t>(10'000 * s + 0.5), own = 10'000 - shared;
      const auto repeated = [&](std::uint64_t n) {
        const auto some = static_cast<std::uint64_t>(static_cast<double>(n) * l + 1e-6);
        return n > 0 && some == n ? n - 1 : some;
      };
      CHECK(ideal.shared_of == std::vector<std::uint64_t>{2 * shared, 2 * shared});
      CHECK(ideal.hits_of[0] == 2 * (repeated(shared) + repeated(own)));
      CHECK(ideal.hits_of[1] == 2 * (shared + repeated(own)));
    }
}

TEST_CASE("instances on nodes of their own share nothing but the servers") {
  SharingParams params = small_sharing(0, 0.5);
  params.instances = 2;
  params.placement = Placement::different;
  const auto made = make(params, machine_of(4));
  const Workload& work = *made;
  for (std::uint32_t p = 0; p < 4; ++p) CHECK(work.node(p) == p);
  CHECK(ideal_caches(work).hits == 0);
  params.placement = Placement::same;
  const auto together_made = make(params, machine_of(2));
  const Workload& together = *together_made;
  CHECK(together.node(0) == 0);
  CHECK(together.node(1) == 1);
  CHECK(together.node(2) == 0);
  CHECK(together.node(3) == 1);
  CHECK(ideal_caches(together).hits == 8);
  REQUIRE(together.teams().size() == 2);
  CHECK(together.teams()[1].first == 2);
  CHECK(together.teams()[1].processors == 2);
}

TEST_CASE("each request has its own place in memory, which an oracle checks") {
  SharingParams params = small_sharing(0.5, 0.5);
  params.iterations = 2;
  const auto made = make(params, machine_of(2));
  const Workload& work = *made;
  std::uint64_t next = 0;
  for (const Access& a : requests_of(work, 1)) {
    CHECK(a.memory == next);
    next += a.bytes;
  }
  CHECK(work.memory_bytes(1) == next);
  std::uint64_t expected = 0;
  work.oracle()->in_memory(1, [&](const InMemory& m) {
    const auto& bytes = std::get<BytesInMemory>(m);
    CHECK(bytes.version == Version::before);
    expected += bytes.bytes;
  });
  CHECK(expected == next);
}

TEST_CASE("writes of several instances to the same bytes write the same, and the rest of a file stays") {
  for (const auto operation : {SharingOperation::write, SharingOperation::sync_write}) {
    SharingParams params = small_sharing(0.5, 0.5);
    params.operation = operation;
    params.instances = 2;
    const auto made = make(params, machine_of(2));
    const Workload& work = *made;
    std::vector<std::vector<std::byte>> files(3, std::vector<std::byte>(16 << 10));
    for (std::uint32_t f = 0; f < 3; ++f) content::fill(f, 0, 0, std::span(files[f]));
    std::uint64_t bytes = 0;
    for (std::uint32_t p = 0; p < 4; ++p)
      for (const Access& a : requests_of(work, p)) {
        CHECK(a.operation == Operation::write);
        CHECK(a.coherent == (operation == SharingOperation::sync_write));
        content::fill(a.file, 1, a.offset, std::span(files[a.file]).subspan(a.offset, a.bytes));
      }
    for (std::uint32_t f = 0; f < 3; ++f) {
      CHECK(work.files()[f].written);
      work.oracle()->on_medium(f, [&](const ExpectedBytes& e) {
        CHECK_FALSE(first_wrong(e, content::Content(std::span(files[f]).subspan(e.offset, e.bytes))));
        if (e.version == Version::after) bytes += e.bytes;
      });
    }
    // Each process asks for two different KiB of a shared and of a private file: 2 x 2 shared, 4 x 2 private.
    CHECK(bytes == 12 << 10);
  }
}

TEST_CASE("a job of sharing must have as many processors as processes") {
  JobParams job;
  SharingParams params = small_sharing(0, 0);
  params.instances = 2;
  params.placement = Placement::different;
  job.kind = params;
  job.processors = 4;
  const auto make = [&job](std::size_t jobs, std::uint32_t processors) {
    WorkloadParams all;
    all.jobs.assign(jobs, job);
    return workload::make(all, machine_of(processors));
  };
  const auto work = make(2, 8);
  CHECK(work->processors() == 8);
  CHECK(work->node(5) == 5);
  job.processors = 5;
  CHECK_THROWS_WITH(make(1, 5), ContainsSubstring("workload.jobs.0.processors is 5") && ContainsSubstring("has 4"));
  job.processors = 3;
  CHECK_THROWS_WITH(make(1, 3), ContainsSubstring("workload.jobs.0.nodes is 2") && ContainsSubstring("4 nodes"));
}

TEST_CASE("a workload of sharing that does not come out even is refused in a sentence") {
  const auto make = [](const SharingParams& params) { workload::make(params, machine_of(2)); };
  SharingParams params = small_sharing(0, 0);
  params.bytes = 17_KiB;
  CHECK_THROWS_WITH(make(params),
                    "workload.bytes is 17408; it must be a multiple of request_size times nodes times iterations, "
                    "2048 bytes.");
  params.bytes = {0};
  CHECK_THROWS_WITH(make(params), ContainsSubstring("workload.bytes is 0"));
  params = small_sharing(0, 0);
  params.iterations = 3;
  CHECK_THROWS_WITH(make(params), ContainsSubstring("6144 bytes"));
  params = small_sharing(0, 0);
  params.file_size = {(16 << 10) + 1};
  CHECK_THROWS_WITH(make(params), "workload.file_size is 16385; it must be a multiple of nodes, 2.");
  params.file_size = 14_KiB;
  CHECK_THROWS_WITH(make(params),
                    "workload.file_size is 14336 bytes; it must be at least the 16384 that the 2 processes ask for "
                    "together in a file.");
  params.locality = 0.25;  // 2 of 8 ask again
  params.file_size = 12_KiB;
  CHECK_NOTHROW(make(params));
  params.sharing = 0.5;  // 3 of 4 are new in either file
  params.file_size = 6_KiB;
  CHECK_NOTHROW(make(params));
  params.instances = 2;
  CHECK_NOTHROW(make(params));
  params.placement = Placement::different;
  CHECK_THROWS_WITH(make(params), ContainsSubstring("workload.nodes is 2, for which 4 nodes") &&
                                      ContainsSubstring("the machine has 2 compute processors"));
}
