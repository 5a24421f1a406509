// SPDX-License-Identifier: MIT
#include <boost/iostreams/copy.hpp>
#include <boost/iostreams/device/back_inserter.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <map>
#include <sstream>

#include "models/core/error.h"
#include "sw/workload/trace/params.h"
#include "sw/workload/trace/trace.h"
#include "tests/support/catch.h"
#include "tests/support/chunks.h"
#include "tests/support/places.h"
#include "tests/support/shared_folder.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::literals;
using namespace sunstar::workload;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;

namespace {

const std::string header = "rank,op,file,offset,length,start,end\n";

TraceParams params_for(const std::string& path) {
  TraceParams params;
  params.trace = path;
  return params;
}

std::vector<Access> calls_of(const Workload& work, std::uint32_t processor) {
  std::vector<Access> calls;
  const auto source = work.accesses(processor);
  for (Access access; source->next(access);) calls.push_back(access);
  return calls;
}

std::string packed(const std::string& text) {
  namespace io = boost::iostreams;
  std::string out;
  std::istringstream source(text);
  io::filtering_streambuf<io::input> in;
  in.push(io::gzip_compressor());
  in.push(source);
  io::copy(in, io::back_inserter(out));
  return out;
}

/// The figures of the section "trace": the requests and the bytes by their fates, as they stand in the results.
NamedFigures counts_of(const Workload& work) {
  NamedFigures figures;
  work.add_figures(figures);
  return figures.section("trace");
}
std::uint64_t figure(const NamedFigures& section, std::string_view name) {
  for (const auto& entry : section.entries())
    if (entry.name == name) return std::get<std::uint64_t>(entry.value);
  FAIL("there is no figure " << name);
  return 0;
}
using Count = std::pair<std::uint64_t, std::uint64_t>;  // requests, bytes
Count count_in(const NamedFigures& section) { return {figure(section, "requests"), figure(section, "bytes")}; }

// Everything that must hold of the workload of any trace.
void check_sound(const Workload& work) {
  NamedFigures counts = counts_of(work);
  Count all;
  for (const auto& part : counts.entries())
    if (part.name != "lines_read" && part.name != "pace") {
      all.first += figure(part.section, "requests");
      all.second += figure(part.section, "bytes");
    }
  CHECK(count_in(counts.section("lines_read")) == all);
  CHECK(count_in(counts.section("zero_length")).second == 0);
  for (const char* name : {"lines_read", "kept"}) {
    NamedFigures& shape = counts.section(name);
    const Count reads = count_in(shape.section("reads")), writes = count_in(shape.section("writes"));
    CHECK(Count{reads.first + writes.first, reads.second + writes.second} == count_in(shape));
  }

  std::uint64_t calls = 0, bytes = 0;
  // What the calls put where: (processor, memory) -> call.
  std::map<std::pair<std::uint32_t, std::uint64_t>, Access> regions;
  for (std::uint32_t p = 0; p < work.processors(); ++p)
    for (const Access& access : calls_of(work, p)) {
      ++calls;
      bytes += access.bytes;
      REQUIRE(access.offset + access.bytes <= work.files()[access.file].bytes);
      REQUIRE(access.memory % 8 == 0);
      REQUIRE(access.memory + access.bytes <= work.memory_bytes(p));
      REQUIRE(regions.emplace(std::pair{p, access.memory}, access).second);
    }
  CHECK(calls == work.access_count());
  CHECK(bytes == work.bytes_moved());
  std::uint32_t processor = UINT32_MAX;
  for (std::uint64_t end = 0; const auto& [at, access] : regions) {
    if (at.first != processor) end = 0;
    processor = at.first;
    REQUIRE(at.second >= end);
    end = at.second + access.bytes;
  }

  // The collectives move the same bytes to and from the same places, less what is written twice.
  std::uint64_t moved = 0;
  for (const Collective& collective : work.collectives()) {
    const requests::Mapping& mapping = *collective.mapping;
    CHECK(mapping.file_bytes() == work.files()[collective.file].bytes);
    std::vector<requests::Piece> pieces;
    mapping.pieces(0, mapping.file_bytes(), pieces);
    std::uint64_t in_pieces = 0, in_chunks = 0;
    for (const auto& piece : pieces) in_pieces += piece.bytes;
    for (std::uint32_t p = 0; p < work.processors(); ++p) {
      std::uint64_t file_at = 0;
      for (const requests::Piece& chunk : test::chunks_of(mapping, p)) {
        in_chunks += chunk.bytes;
        REQUIRE(chunk.file_offset >= file_at);
        file_at = chunk.file_offset;
        const auto region = std::prev(regions.upper_bound(std::pair{p, chunk.memory_offset}));
        REQUIRE(region->first.first == p);
        REQUIRE(region->second.file == collective.file);
        REQUIRE(region->second.operation == collective.operation);
        REQUIRE(chunk.file_offset - region->second.offset == chunk.memory_offset - region->second.memory);
      }
    }
    CHECK(in_pieces == in_chunks);
    moved += in_pieces;
  }
  CHECK(moved == work.collective_bytes());
}

}  // namespace

TEST_CASE("a trace says when processors have no rank, since their caches may still help the others") {
  const test::TemporaryFolder folder;
  const TraceParams params = params_for(folder.write("t.csv", header + "0,w,a,0,8,0,1\n1,w,a,8,8,0,1\n"));
  CHECK(make(params, {2})->warnings().empty());
  CHECK_THAT(make(params, {3})->warnings().at(0), ContainsSubstring("the trace has 2 ranks for 3 compute"));
}

TEST_CASE("columns of a trace are found by name, in any order, and others are ignored") {
  const test::TemporaryFolder folder;
  const auto trace = read_trace(folder.write("t.csv",
                                             "host,length,offset,file,op,end,start,rank\r\n"
                                             "a,10,20,\"x,\"\"y\"\"\",READ,3.5,2,7\r\n"
                                             "\n"
                                             "b, 5 ,0,z,w,1e3,1e-3,0"),
                                TimeUnit::ms);
  REQUIRE(trace.requests.size() == 2);
  CHECK(trace.files == std::vector<std::string>{"x,\"y\"", "z"});
  CHECK(trace.requests[0].rank == 7);
  CHECK(trace.requests[0].operation == Operation::read);
  CHECK(trace.requests[0].offset == 20);
  CHECK(trace.requests[0].bytes == 10);
  CHECK(trace.requests[0].start == Approx(0.002));
  CHECK(trace.requests[1].operation == Operation::write);
  CHECK(trace.requests[1].end == Approx(1.0));
}

TEST_CASE("a packed trace reads like the plain one") {
  const test::TemporaryFolder folder;
  const std::string text = header + "0,r,f,0,1,0,1\n1,w,f,1,2,0,1\n";
  const auto trace = read_trace(folder.write("t.csv", packed(text)));
  CHECK(trace.requests.size() == 2);
}

TEST_CASE("damaged traces are refused with file, line and value") {
  const test::TemporaryFolder folder;
  const auto refused = [&](const std::string& text, const std::string& sentence) {
    const std::string path = folder.write("t.csv", text);
    INFO(text);
    CHECK_THROWS_AS(read_trace(path), ConfigError);
    CHECK_THROWS_WITH(read_trace(path), ContainsSubstring(path) && EndsWith(sentence));
  };
  const std::string good = header + "0,r,f,0,1,0,1\n";
  const std::string columns =
      "rank, op, file, offset, length, start_s, start_ms, start_us, start_ns or start and end_s, end_ms, end_us, "
      "end_ns "
      "or end";
  refused("", ": the file is empty; it must begin with a line of column names (" + columns + ").");
  refused("rank,op,file,offset,size,start,end\n",
          ":1: there is no column \"length\" among rank, op, file, offset, size, start and end; "
          "the columns needed are " +
              columns + ".");
  refused("t_ms,device,op,lbn,sectors\n",
          ":1: this is a block trace, which sunstar-disk plays (workload.kind=arrivals or trace).");
  refused("# a comment\nrank,op,file,offset,length,start_min,end_s\n",
          ":2: there is no column \"start_s\", \"start_ms\", \"start_us\", \"start_ns\" or \"start\" among rank, op, "
          "file, offset, length, start_min and end_s; the columns needed are " +
              columns + ".");
  refused("rank,op,file,offset,length,length,start_s,end_s\n",
          ":1: the columns length and length mean the same; there must be one of them.");
  refused("rank,op,file,offset,length,start_s,start_ms,end_s\n",
          ":1: the columns start_s and start_ms mean the same; there must be one of them.");
  refused(good + "0,r,f,0,1,0\n", ":3: the line has 6 fields; it must have the 7 of the header.");
  refused(good + "0,r,f,g,0,1,0,1\n", ":3: the line has 8 fields; it must have the 7 of the header.");
  refused(good + "\n0,r,f,0,ten,0,1\n",
          ":4: length: \"ten\" is not allowed; it must be a whole number from 0 to 9223372036854775807.");
  refused(good + "0,r,f,-1,1,0,1\n",
          ":3: offset: \"-1\" is not allowed; it must be a whole number from 0 to 9223372036854775807.");
  refused(good + "0,r,f,1.5,1,0,1\n",
          ":3: offset: \"1.5\" is not allowed; it must be a whole number from 0 to 9223372036854775807.");
  refused(good + "0,r,f,0,99999999999999999999,0,1\n",
          ":3: length: \"99999999999999999999\" is not allowed; it must be a whole number from 0 to "
          "9223372036854775807.");
  refused(good + "4294967296,r,f,0,1,0,1\n",
          ":3: rank: \"4294967296\" is not allowed; it must be a whole number from 0 to 4294967295.");
  refused(good + "0,seek,f,0,1,0,1\n", ":3: op: \"seek\" is not allowed; it must be r, w, read or write.");
  refused(good + "0,r,,0,1,0,1\n", ":3: file: \"\" is not allowed; it must be a file's name.");
  refused(good + "0,r,f,0,1,x,1\n", ":3: start: \"x\" is not allowed; it must be a number not below 0.");
  refused(good + "0,r,f,0,1,-1,1\n", ":3: start: \"-1\" is not allowed; it must be a number not below 0.");
  refused(good + "0,r,f,0,1,0,inf\n", ":3: end: \"inf\" is not allowed; it must be a number not below 0.");
  refused(good + "0,r,f,0,1,2,1.5\n", ":3: end: \"1.5\" is not allowed; it must be no earlier than start, which is 2.");
  refused(good + "0,r,\"f,0,1,2,1.5\n", ":3: a quoted field does not end; it must end with \" on its line.");
  CHECK_THROWS_WITH(read_trace("/nonexistent/t.csv"),
                    "/nonexistent/t.csv: there is no such file; it must be a CSV file, plain or packed by gzip.");
}

TEST_CASE("packed data cut anywhere or with a wrong byte is refused") {
  const test::TemporaryFolder folder;
  std::string text = header;
  for (int i = 0; i < 300; ++i)
    text += std::to_string(i * 7919 % 31) + ",r,f," + std::to_string(i * 104729) + ",1,0,1\n";
  const std::string whole = packed(text);
  for (std::size_t keep = 2; keep < whole.size(); keep += keep + 12 < whole.size() ? 11 : 1) {
    INFO(keep << " of " << whole.size());
    CHECK_THROWS_AS(read_trace(folder.write("t.csv.gz", whole.substr(0, keep))), ConfigError);
  }
  std::string wrong = whole;
  wrong[wrong.size() / 2] = static_cast<char>(wrong[wrong.size() / 2] ^ 0x55);
  CHECK_THROWS_WITH(read_trace(folder.write("t.csv.gz", wrong)), ContainsSubstring("the gzip data is damaged"));
}

TEST_CASE("names of files are searched in time that does not explode, and long names are refused") {
  const test::TemporaryFolder folder;
  // With backtracking, both take longer than anybody waits, or more memory than there is.
  auto params = params_for(folder.write("t.csv", header + "0,w," + std::string(4096, 'a') + "b,0,1,0,1\n"));
  CHECK_THROWS_WITH(read_trace(params.trace),
                    ContainsSubstring(":2: file: \"aaaa") && ContainsSubstring("...\" (4097 characters)") &&
                        ContainsSubstring("it must be a file's name of at most 4096 characters."));
  params = params_for(folder.write("t.csv", header + "0,w," + std::string(4000, 'a') + "b,0,1,0,1\n"));
  params.exclude = "(a+)+$";
  CHECK(make(params, {1})->access_count() == 1);
  params.exclude = std::string(100'000, '(');
  CHECK_THROWS_WITH(make(params, {1}), ContainsSubstring("workload.exclude: \"((((") &&
                                           ContainsSubstring("it must be one in RE2's syntax."));
  params.exclude = "b$";
  CHECK_THROWS_WITH(make(params, {1}), ContainsSubstring("1 filtered by name"));
}

TEST_CASE("a byte-order mark before the names of columns is no fault") {
  const test::TemporaryFolder folder;
  CHECK(read_trace(folder.write("t.csv", "\xef\xbb\xbf" + header + "0,w,f,0,1,0,1\n")).requests.size() == 1);
}

TEST_CASE("semicolons or tabs may divide the columns of a trace, and whole numbers may have a point") {
  const test::TemporaryFolder folder;
  for (const char separator : {',', ';', '\t'}) {
    std::string text = "# a,b\nrank,op,file,offset,length,start_s,end_s\n3.0,w,f,65536.0,4096.,1.5,2\n";
    std::ranges::replace(text, ',', separator);
    const Trace trace = read_trace(folder.write("t.csv", text));
    REQUIRE(trace.requests.size() == 1);
    CHECK(trace.requests[0].rank == 3);
    CHECK(trace.requests[0].offset == 65536);
    CHECK(trace.requests[0].bytes == 4096);
    CHECK(trace.requests[0].start == 1.5);
  }
  const std::string comma = "rank;op;file;offset;length;start_s;end_s\n0;w;f;0;1;1,5;2\n";
  CHECK_THROWS_WITH(
      read_trace(folder.write("t.csv", comma)),
      ContainsSubstring("start_s: \"1,5\" is not allowed; it must be a number not below 0, with a decimal point"));
  CHECK_THROWS_WITH(read_trace(folder.write("t.csv", header + "0,w,f,0.5,1,0,1\n")),
                    ContainsSubstring("a whole number"));
  CHECK_THROWS_WITH(read_trace(folder.write("t.csv", std::string("\xff\xfer\0a\0", 6))),
                    ContainsSubstring("it is UTF-16; it must be UTF-8"));
}

TEST_CASE("ranks fold onto processors, each in order of start time, then rank, then line") {
  const test::TemporaryFolder folder;
  const auto made = make(params_for(folder.write("t.csv", header + "4,w,f,40,1,2,3\n"
                                                                   "2,w,f,22,1,1,3\n"
                                                                   "0,w,f,1,1,1,3\n"
                                                                   "0,w,f,0,1,1,3\n"
                                                                   "1,w,f,10,1,0,3\n")),
                         {2});
  const Workload& work = *made;
  std::vector<std::uint64_t> offsets;
  for (const Access& access : calls_of(work, 0)) offsets.push_back(access.offset);
  CHECK(offsets == std::vector<std::uint64_t>{1, 0, 22, 40});
  CHECK(calls_of(work, 1).size() == 1);
  check_sound(work);
}

TEST_CASE("every request of a trace is accounted for") {
  const test::TemporaryFolder folder;
  auto params = params_for(folder.write("t.csv", header + "0,r,/proc/stat,0,7,0,1\n"
                                                          "0,w,out.dat,0,100,1,2\n"
                                                          "0,w,out.dat,100,100,2,3\n"
                                                          "0,w,out.dat,200,100,3,4\n"
                                                          "0,w,out.dat,300,100,4,5\n"
                                                          "0,w,out.dat,400,0,5,6\n"
                                                          "1,w,out.log,0,11,1,2\n"
                                                          "1,w,other,0,13,1,2\n"));
  params.include = "^out|^/";
  params.exclude = "^/proc/";
  params.scale.ranks = 1;
  params.scale.lengths = 0.3;
  params.scale.block_size = {50};
  const auto made = make(params, {2});
  const Workload& work = *made;
  NamedFigures counts = counts_of(work);
  CHECK(count_in(counts.section("lines_read")) == Count{8, 431});
  CHECK(count_in(counts.section("filtered")) == Count{2, 20});
  CHECK(count_in(counts.section("zero_length")) == Count{1, 0});
  CHECK(count_in(counts.section("other_ranks")) == Count{1, 11});
  // Blocks 0, 3 and 6 of out.dat stay, a half of its first, second and fourth write; the third vanishes.
  CHECK(count_in(counts.section("cut_out")) == Count{1, 250});
  CHECK(count_in(counts.section("kept")) == Count{3, 150});
  const auto check_shape = [&](const char* name, Count reads, Count writes, const std::vector<std::uint64_t>& others) {
    NamedFigures& shape = counts.section(name);
    CHECK(count_in(shape.section("reads")) == reads);
    CHECK(count_in(shape.section("writes")) == writes);
    std::vector<std::uint64_t> found;
    for (const char* figures : {"files", "ranks", "shortest", "median", "longest"})
      found.push_back(figure(shape, figures));
    CHECK(found == others);
  };
  check_shape("lines_read", {1, 7}, {7, 424}, {4, 2, 7, 100, 100});
  check_shape("kept", {}, {3, 150}, {1, 1, 50, 50, 50});
  REQUIRE(work.files().size() == 1);
  CHECK(work.files()[0].name == "out.dat");
  CHECK(work.files()[0].bytes == 150);
  CHECK(work.files()[0].written);
  CHECK_FALSE(work.files()[0].read);
  check_sound(work);
}

TEST_CASE("times have the unit that their columns' names give, and lines before the header may be comments") {
  const test::TemporaryFolder folder;
  const auto read = [&](const std::string& start, const std::string& end) {
    return read_trace(folder.write("t.csv", "# a comment, \"\n#\n\nrank,op,file,offset,length," + start + "," + end +
                                                "\n0,r,#f,0,1,3,5000\n"),
                      TimeUnit::s)
        .requests.at(0);
  };
  CHECK(read("start_s", "end_s").start == 3);
  CHECK(read("start_ms", "end_us").start == Approx(0.003));
  CHECK(read("start_ms", "end_us").end == Approx(0.005));
  CHECK(read("start_ns", "end_ns").start == Approx(3e-9));
  CHECK(read("start", "end").end == 5000);
  CHECK(read("start", "end").line == 5);
}

TEST_CASE("a trace in another format is refused with the command that converts it") {
  CHECK_THROWS_WITH(read_trace("logs/a.b.parquet"),
                    "logs/a.b.parquet: a run reads traces as CSV only; convert this one by `sunstar trace import "
                    "logs/a.b.parquet --output logs/a.b.csv`.");
  for (const char* path : {"a.darshan", "a.pfw", "a.pfw.gz"})
    CHECK_THROWS_WITH(read_trace(path), ContainsSubstring("convert this one by `sunstar trace import "));
}

TEST_CASE("requests beyond the limits are refused unless they shrink") {
  const test::TemporaryFolder folder;
  auto params = params_for(folder.write("t.csv", header + "0,r,f,0,1,0,1\n0,w,f,2199023255552,4294967296,0,1\n"));
  const std::string sentence =
      ":3: the request of 4294967296 bytes at offset 2199023255552 is too large; it must have "
      "at most 1073741824 bytes and end by 1099511627776 (workload.scale.lengths shrinks both).";
  CHECK_THROWS_WITH(make(params, {1}), EndsWith(sentence));
  params.scale.lengths = 0.25;
  CHECK(make(params, {1})->files()[0].bytes == (std::uint64_t{2} << 40) / 4 + (1 << 30));
}

TEST_CASE("pacing keeps nothing, the think times or the clock of the trace") {
  const test::TemporaryFolder folder;
  auto params = params_for(folder.write("t.csv", header + "0,w,f,0,1,10.0,10.5\n"
                                                          "1,w,f,1,1,10.25,10.5\n"
                                                          "0,r,/proc/x,0,1,10.75,11.0\n"
                                                          "0,w,f,2,1,11.5,12.0\n"
                                                          "0,w,f,3,1,11.75,12.5\n"
                                                          "0,w,f,4,1,13.0,13.5\n"));
  params.exclude = "^/proc";
  const auto all = [&](Pacing pacing) {
    params.pacing = pacing;
    return make(params, {2});
  };
  for (const Access& access : calls_of(*all(Pacing::back_to_back), 0)) {
    CHECK(access.think == 0_ps);
    CHECK(access.not_before == 0_ps);
  }
  const auto thinking = all(Pacing::think_times);
  const auto calls = calls_of(*thinking, 0);
  CHECK(calls[0].think == 0_ps);
  CHECK(calls[1].think == 750_ms);  // 0.25 before the excluded read, 0.5 after it
  CHECK(calls[2].think == 0_ps);    // overlaps
  CHECK(calls[3].think == 500_ms);  // 13.0 - 12.5
  CHECK(calls_of(*thinking, 1)[0].think == 250_ms);
  CHECK(thinking->collectives().at(0).think == 1250_ms);  // processor 0: 0.75 + 0.5
  const auto open = all(Pacing::open_loop);
  CHECK(calls_of(*open, 0)[3].not_before == 3000_ms);
  CHECK(calls_of(*open, 0)[3].think == 0_ps);
  CHECK(open->collectives().at(0).not_before == 250_ms);  // when rank 1 comes
  for (const auto& [pacing, sentence] :
       {std::pair{Pacing::back_to_back, "calls back to back; workload.pacing=think-times would add"},
        std::pair{Pacing::think_times, "calls with the trace's think times,"},
        std::pair{Pacing::open_loop, "no call before its time in the trace, which has think times of"}}) {
    const auto made = all(pacing);
    NamedFigures counts = counts_of(*made);
    std::map<std::string, NamedFigures::Value> pace;
    for (const auto& entry : counts.section("pace").entries()) pace[entry.name] = entry.value;
    CHECK(std::get<double>(pace["recorded_s"]) == 3.5);  // from 10.0 to 13.5
    CHECK(std::get<double>(pace["think_s"]) == 1.25);    // processor 0: 0.75 + 0.5
    CHECK(std::get<std::string>(pace["said"]) == std::string(sentence) + " up to 1.25 s for a processor");
  }

  params.trace = folder.write("t.csv", header + "0,w,f,0,1,0,1\n0,w,f,0,1,1e7,1e7\n");
  CHECK_THROWS_WITH(all(Pacing::open_loop), ContainsSubstring("at most 4611686 s can be replayed") &&
                                                ContainsSubstring("is the unit of the times right?"));
  CHECK_THROWS_WITH(all(Pacing::think_times), ContainsSubstring("at most 1152921 s can be replayed") &&
                                                  ContainsSubstring("is the unit of the times right?"));
  CHECK_NOTHROW(all(Pacing::back_to_back));
}

TEST_CASE("the ranks' runs on a file form collectives in an order that suits every rank") {
  const test::TemporaryFolder folder;
  // All write a (rank 0 in two calls), rank 0 writes b between, all read a.
  const auto made = make(params_for(folder.write("t.csv", header + "0,w,a,0,8,0,1\n"
                                                                   "1,w,a,8,8,0,1\n"
                                                                   "0,w,a,16,8,1,2\n"
                                                                   "0,w,b,0,8,2,3\n"
                                                                   "1,r,a,0,8,2,3\n"
                                                                   "0,r,a,8,8,3,4\n")),
                         {2});
  const Workload& work = *made;
  REQUIRE(work.collectives().size() == 3);
  CHECK(work.files()[work.collectives()[0].file].name == "a");
  CHECK(work.collectives()[0].operation == Operation::write);
  CHECK(work.files()[work.collectives()[1].file].name == "b");
  CHECK(work.collectives()[2].operation == Operation::read);
  check_sound(work);
  // Memory: collective by collective, in file order.
  std::vector<requests::Piece> pieces;
  work.collectives()[2].mapping->pieces(0, 24, pieces);
  CHECK(pieces == std::vector<requests::Piece>{{1, 0, 8, 8}, {0, 8, 24, 8}});
}

TEST_CASE("a collective is split if ranks use two files in opposite orders") {
  const test::TemporaryFolder folder;
  const auto made = make(params_for(folder.write("t.csv", header + "0,w,a,0,8,0,1\n"
                                                                   "1,w,b,8,8,1,2\n"
                                                                   "0,w,b,0,8,2,3\n"
                                                                   "1,w,a,8,8,3,4\n")),
                         {2});
  const Workload& work = *made;
  // a (rank 0 alone, it began first), then b of both, then the rest of a.
  std::vector<std::string> order;
  for (const Collective& collective : work.collectives()) order.push_back(work.files()[collective.file].name);
  CHECK(order == std::vector<std::string>{"a", "b", "a"});
  check_sound(work);
}

TEST_CASE("bytes that several ranks write in one collective are moved once, and the copies are counted") {
  const test::TemporaryFolder folder;
  const auto made = make(params_for(folder.write("t.csv", header + "0,w,a,0,10,0,1\n"
                                                                   "1,w,a,4,10,0,1\n"
                                                                   "0,w,a,2,3,1,2\n")),
                         {2});
  const Workload& work = *made;
  CHECK(work.bytes_moved() == 23);
  CHECK(work.bytes_moved() - work.collective_bytes() == 6 + 3);  // 4..10 of rank 1; 2..5 of rank 0's second
  check_sound(work);
}

TEST_CASE("an impossible trace workload is refused in a sentence") {
  const test::TemporaryFolder folder;
  const std::string path = folder.write("t.csv", header + "0,r,f,0,1,0,1\n0,r,f,0,0,0,1\n");
  const auto make = [&](auto change, std::uint32_t processors = 1) {
    auto params = params_for(path);
    change(params);
    workload::make(params, {processors});
  };
  CHECK_THROWS_WITH(make([](auto& p) { p.include = "["; }),
                    ContainsSubstring("workload.include: \"[\" is not a regular expression"));
  CHECK_THROWS_WITH(make([](auto& p) { p.exclude = "("; }),
                    ContainsSubstring("workload.exclude: \"(\" is not a regular expression"));
  CHECK_THROWS_WITH(make([](auto& p) { p.exclude = "f"; }),
                    path +
                        ": none of the 2 requests can be replayed (2 filtered by name, 0 of length 0, 0 outside the "
                        "window of time, 0 "
                        "cut out); at least one must be left.");
  CHECK_THROWS_WITH(make([](auto& p) { p.scale.from = 1_ms; }),
                    ContainsSubstring("1 of length 0, 1 outside the window of time"));
  CHECK_THROWS_AS(make([](auto&) {}, 0), ConfigError);
}

TEST_CASE("the example trace writes a header and interleaved blocks and reads some of them back") {
  const auto made = make(params_for((test::source_folder() / "platforms/torus/examples/checkpoint.csv").string()), {4});
  const Workload& work = *made;
  // 1 + 4 * 8 writes of the checkpoint, 8 of the summary, 1 + 2 * 8 reads.
  CHECK(work.access_count() == 58);
  CHECK(work.bytes_moved() == 4096 + 32 * 16384 + 8 * 2000 + 4096 + 16 * 16384);
  CHECK(work.collectives().size() == 3);
  CHECK(work.files()[0].bytes == 4096 + 32 * 16384);
  check_sound(work);
}

TEST_CASE("real application traces load completely, every request in its place") {
  struct Real {
    const char* path;
    std::uint64_t requests, bytes;
  };
  const Real real[] = {{"traces/mpi-io-test-32ranks.mpiio.csv.gz", 256, 4294967296},
                       {"traces/vpic-hdf5-summit-192ranks.mpiio.csv.gz", 13184, 17496571648},
                       {"traces/cm1-corona-48ranks.csv.gz", 125842, 723593026}};
  for (const Real& trace : real) {
    const auto path = test::shared_file(trace.path);
    if (!path) {
      WARN("skipped: " << trace.path << " is not in $SUNSTAR_SHARED or ../shared");
      continue;
    }
    INFO(trace.path);
    for (double lengths : {1.0, 0.1}) {
      auto params = params_for(*path);
      params.scale.lengths = lengths;
      params.pacing = Pacing::think_times;
      const auto made = make(params, {16});
      const Workload& work = *made;
      NamedFigures counts = counts_of(work);
      const Count read{trace.requests, trace.bytes}, kept = count_in(counts.section("kept"));
      CHECK(count_in(counts.section("lines_read")) == read);
      if (lengths == 1.0) CHECK(kept == read);
      else CHECK(static_cast<double>(kept.second) == Approx(0.1 * static_cast<double>(trace.bytes)).epsilon(0.15));
      check_sound(work);
    }
  }
}
