// SPDX-License-Identifier: MIT
// What a request pays from the compute processor to the disk and back, cost by cost: one primitive at a time costs a
// thousand cycles of a nanosecond, and the time of the request grows by a thousand nanoseconds for each time that the
// primitive lies on its way. The pages in docs/file-systems/ have the ways in words.
#include <map>

#include "sw/requests/distributions/hpf_mapping.h"
#include "tests/support/catch.h"
#include "tests/support/firmware_rig.h"

using namespace sunstar;
using namespace sunstar::literals;
using os::Cost;
using test::FirmwareRig;
using test::reading;
using test::writing;

namespace {

using Counts = std::map<std::string, double>;

/// Runs one processor and one disk with those costs and returns the time in question.
using Run = std::function<Duration(const os::Costs&)>;

Counts on_the_way(const Run& run) {
  os::Costs base;  // nothing is free: a thread that has computed nothing would not wait for the end of an interrupt
  boost::mp11::mp_for_each<boost::describe::describe_members<os::Costs, boost::describe::mod_public>>(
      [&](auto member) { base.*member.pointer = Cycles{1}; });
  const Duration before = run(base);
  Counts counts;
  std::size_t i = 0;
  boost::mp11::mp_for_each<boost::describe::describe_members<os::Costs, boost::describe::mod_public>>([&](auto member) {
    os::Costs costs = base;
    costs.*member.pointer = Cycles{1001};
    const Duration more = run(costs) - before;
    if (more != Duration{0}) counts[os::cost_names[i]] = seconds(more) * 1e6;
    ++i;
  });
  return counts;
}

void compare(const Counts& found, const Counts& expected) {
  for (const char* name : os::cost_names) {
    INFO(name);
    CHECK((found.contains(name) ? found.at(name) : 0) ==
          Approx(expected.contains(name) ? expected.at(name) : 0).margin(0.01));
  }
}

/// From the moment at which the processor's last request but one leaves to the next one: all costs of one request.
Duration period(const FirmwareRig& rig) {
  std::vector<Time> left;
  for (const auto& sent : rig.machine.sent)
    if (sent.message.source == 0 && !sent.message.reply) left.push_back(sent.when);
  REQUIRE(left.size() > 2);
  return left[left.size() - 2] - left[left.size() - 3];  // the last one asks to synchronise, or is not looked at
}

/// What the last of these calls pays under traditional caching without prefetch.
Run caching(std::vector<requests::Access> calls) {
  calls.push_back(reading(0, 8));  // whose request ends the period
  return [calls](const os::Costs& costs) {
    FirmwareRig rig(1, 1, 4 * FirmwareRig::block, costs);
    rig.caching().cache.prefetch = false;
    rig.run({calls});
    REQUIRE(rig.record().finished());
    return period(rig);
  };
}

/// What a collective over a file of `blocks` blocks pays, with that mapping.
Run directed(requests::Operation operation, std::uint64_t blocks, requests::HpfMapping mapping) {
  return [=](const os::Costs& costs) {
    FirmwareRig rig(1, 1, blocks * FirmwareRig::block, costs);
    rig.kind = file_systems::disk_directed::Params{};
    test::ListedCalls work;
    work.files_ = {{"file", blocks * FirmwareRig::block, true, true}};
    work.calls = {{}};
    work.collectives_.assign(3, {0, operation, std::make_shared<requests::HpfMapping>(mapping), {}, {}});
    rig.job.workload = &work;
    const std::uint64_t bytes = mapping.memory_bytes(0);
    rig.job.memory.push_back({rig.endpoints.os(0).node().allocate(bytes), bytes, &rig.endpoints.os(0).memory()});
    rig.io_node();
    file_systems::FileSystemParams params;
    params.kind = rig.kind;
    params.block_size = {FirmwareRig::block};
    const auto file_system = file_systems::make(params, rig.system);
    file_system->start();
    rig.machine.timeline.run();
    REQUIRE(rig.record().finished());
    return period(rig);
  };
}

/// One processor's call of 8 bytes through its write cache; up to its return, or up to the end of the run.
Run enwrich(bool to_the_end) {
  return [=](const os::Costs& costs) {
    FirmwareRig rig(1, 1, 4 * FirmwareRig::block, costs);
    rig.kind = file_systems::enwrich::Params{};
    rig.run({{writing(0, 8)}});
    REQUIRE(rig.record().finished());
    return to_the_end ? *rig.record().finished() - Time{} : rig.record().latencies().kept().front();
  };
}

const requests::HpfMapping one_piece({128, 1}, 8_B, requests::Distribution::block, 1);

}  // namespace

TEST_CASE("what a cached read of 8 bytes pays") {
  // The request: an interrupt, a thread. The reply: an interrupt, the main thread again.
  compare(on_the_way(caching({reading(0, 8), reading(8, 8)})), {{"file_call", 1},
                                                                {"block_request", 1},
                                                                {"message_send", 2},
                                                                {"interrupt", 2},
                                                                {"message_dispatch", 2},
                                                                {"thread_create", 1},
                                                                {"thread_switch", 2},
                                                                {"request_decode", 1},
                                                                {"cache_lookup", 1},
                                                                {"reply_action", 1},
                                                                {"deposit", 1}});
}

TEST_CASE("what a read of 8 bytes from the disk pays") {
  // In addition: a buffer; the disk's thread before the command and after its interrupt, then the request's thread
  // again.
  compare(on_the_way(caching({reading(0, 8)})), {{"file_call", 1},
                                                 {"block_request", 1},
                                                 {"message_send", 2},
                                                 {"interrupt", 3},
                                                 {"message_dispatch", 2},
                                                 {"thread_create", 1},
                                                 {"thread_switch", 5},
                                                 {"request_decode", 1},
                                                 {"cache_lookup", 1},
                                                 {"cache_allocate", 1},
                                                 {"disk_request", 1},
                                                 {"reply_action", 1},
                                                 {"deposit", 1}});
}

TEST_CASE("what a write of 8 bytes pays, the first of its block and the second") {
  const Counts second{{"file_call", 1},        {"block_request", 1}, {"message_send", 2},  {"interrupt", 2},
                      {"message_dispatch", 2}, {"thread_create", 1}, {"thread_switch", 2}, {"request_decode", 1},
                      {"deposit", 1},          {"cache_lookup", 1},  {"copy", 1},          {"copy_per_byte", 8},
                      {"reply_action", 1}};
  compare(on_the_way(caching({writing(0, 8), writing(8, 8)})), second);
  Counts first = second;
  first["cache_allocate"] = 1;
  first["clear_per_byte"] = FirmwareRig::block;
  compare(on_the_way(caching({writing(0, 8)})), first);
  // A whole block needs no clearing.
  const auto whole = on_the_way(caching({writing(0, FirmwareRig::block)}));
  CHECK_FALSE(whole.contains("clear_per_byte"));
  CHECK(whole.at("copy_per_byte") == Approx(FirmwareRig::block));
}

TEST_CASE("what a strided request for two chunks of 8 bytes pays, out of the cache and into it") {
  // A copy of each at the I/O processor; then the next request, which has one chunk.
  const auto strided = [](bool write) {
    return [write](const os::Costs& costs) {
      FirmwareRig rig(1, 1, 4 * FirmwareRig::block, costs);
      rig.caching().cache.prefetch = false;
      rig.caching().strided = true;
      const auto chunk = write ? writing : reading;
      auto third = reading(0, 8), second = chunk(32, 8, 0);
      second.think = third.think = 1_ns;  // calls of their own
      rig.run({{chunk(0, 8, 0), second, chunk(48, 8, 8), third}});
      REQUIRE(rig.record().finished());
      return period(rig);
    };
  };
  const Counts read{{"file_call", 1},        {"piece", 1},         {"block_request", 1}, {"message_send", 2},
                    {"interrupt", 2},        {"thread_create", 1}, {"thread_switch", 2}, {"request_decode", 1},
                    {"message_dispatch", 2}, {"cache_lookup", 1},  {"piece_copy", 2},    {"copy_per_byte", 16},
                    {"reply_action", 1},     {"deposit", 1}};
  compare(on_the_way(strided(false)), read);
  compare(on_the_way(strided(true)), read);
  // The first ones of their block take a buffer, which is cleared.
  Counts first = read;
  first["cache_allocate"] = 1;
  first["clear_per_byte"] = FirmwareRig::block;
  compare(on_the_way([](const os::Costs& costs) {
            FirmwareRig rig(1, 1, 4 * FirmwareRig::block, costs);
            rig.caching().strided = true;
            auto last = reading(0, 8);
            last.think = 1_ns;  // a call of its own
            rig.run({{writing(0, 8), writing(16, 8, 8), last}});
            REQUIRE(rig.record().finished());
            return period(rig);
          }),
          first);
}

TEST_CASE("what a disk-directed transfer of one block in one piece pays, whichever way the bytes go") {
  // Threads of a read: that of the request, a buffer's, the disk's before and after the command, the buffer's again,
  // the buffer's after the acknowledgement, the request's, the main thread. A write asks for its bytes before the
  // command. The request's thread makes those of both buffers. The request brings 9 words, written and read once each.
  for (const auto operation : {requests::Operation::read, requests::Operation::write})
    compare(on_the_way(directed(operation, 1, one_piece)), {{"file_call", 1},
                                                            {"message_send", 3},
                                                            {"interrupt", 5},
                                                            {"message_dispatch", 4},
                                                            {"thread_create", 3},
                                                            {"thread_switch", 8},
                                                            {"collective_setup", 1},
                                                            {"block_list_entry", 1},
                                                            {"disk_request", 1},
                                                            {"piece", 1},
                                                            {"piece_dimension", 1},
                                                            {"remote_memory", 1},
                                                            {"deposit", 2},
                                                            {"reply_action", 2},
                                                            {"copy_per_byte", 2 * 72}});
}

TEST_CASE("each dimension of a matrix, each block of a list and each comparison of its sort has its price") {
  const requests::HpfMapping matrix({16, 8}, 8_B, requests::Distribution::block, requests::Distribution::block, 1);
  CHECK(on_the_way(directed(requests::Operation::read, 1, matrix)).at("piece_dimension") == Approx(2));
  const requests::HpfMapping two_blocks({256, 1}, 8_B, requests::Distribution::block, 1);
  const auto listed = on_the_way(directed(requests::Operation::read, 2, two_blocks));
  CHECK(listed.at("block_list_entry") == Approx(2));
  CHECK(listed.at("sort_comparison") == Approx(2));  // two entries, log2 of 2 for each
}

TEST_CASE("what a write of 8 bytes into a write cache pays") {
  compare(on_the_way(enwrich(false)), {{"cached_call", 1}, {"log_append", 1}, {"copy_per_byte", 8}});
}

TEST_CASE("what a run of one write of 8 bytes and its flush pays") {
  // Sent: the notice, the directory, the request for the piece, the piece, the end; one interrupt serves two of them.
  // Directory entries: one is looked at, and one for the one block it touches, at the compute processor; one at the
  // I/O processor. Its block is read first, for the write fills only a part of it.
  compare(on_the_way(enwrich(true)), {{"cached_call", 1},
                                      {"log_append", 1},
                                      {"copy_per_byte", 8},
                                      {"message_send", 4},
                                      {"interrupt", 5},
                                      {"message_dispatch", 4},
                                      {"thread_create", 2},
                                      {"thread_switch", 13},
                                      {"directory_entry", 3},
                                      {"sort_comparison", 1},
                                      {"collective_setup", 1},
                                      {"block_list_entry", 1},
                                      {"cache_lookup", 1},
                                      {"disk_request", 2},
                                      {"piece", 1},
                                      {"remote_memory", 1},
                                      {"deposit", 2},
                                      {"reply_action", 3}});
}
