// SPDX-License-Identifier: MIT
// A plugin of QEMU (user mode, 7.2 or later) that counts the instructions of RISC-V firmware between the marks of
// sw/os/counted.h, and the cycles that a simple pipeline takes for them:
//
//   single issue, in order, one cycle an instruction; a load stalls the next instruction by one cycle if that uses its
//   result; a taken branch or a jump costs one cycle more; a multiplication takes 4 cycles;
//   a division takes 35 cycles and counts as 35 instructions: the RISCs of 1994 took about as long (MIPS R3000) or
//   had no such instruction and called a routine (SPARC, PA-RISC); one division gives both quotient and remainder;
//   each node has an instruction and a data cache of 8 KiB each, direct mapped, with lines of 32 bytes; loads and
//   stores allocate; a miss costs 14 cycles at 50 MHz: 10 until the memory answers, 4 for 32 bytes at 400 MB/s.
//
// What a node does counts from the mark that names the node; everything else is the simulation, which touches neither
// counters nor caches. At the end the plugin writes the counts as JSON to the file of its argument `output`. To the
// file of `profile`, if there is one, it writes how often each instruction was carried out for each primitive, as lines
// of primitive, address and times, for the placing of marks.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The part of QEMU's plugin interface that is used here; Debian packages no header for it.
extern "C" {
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;
using qemu_plugin_id_t = std::uint64_t;
using ExecCallback = void (*)(unsigned vcpu, void* data);
using MemCallback = void (*)(unsigned vcpu, std::uint32_t info, std::uint64_t address, void* data);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, qemu_plugin_tb*));
std::size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb*);
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb*, std::size_t);
const void* qemu_plugin_insn_data(const qemu_plugin_insn*);
std::size_t qemu_plugin_insn_size(const qemu_plugin_insn*);
std::uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn*);
char* qemu_plugin_insn_disas(const qemu_plugin_insn*);
void qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_insn*, ExecCallback, int flags, void* data);
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn*, MemCallback, int flags, int which, void* data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void*), void* data);
__attribute__((visibility("default"))) extern int qemu_plugin_version;
int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t, const qemu_info_t*, int argc,
                                                               char** argv);
}

namespace {

constexpr int no_registers = 0, reads_and_writes = 3;  // flags of the interface

// sw/os/counted.h has the same numbers.
constexpr unsigned unless_inside = 256, from_here = 512, first_node = 1024, last_node = 2044;
constexpr unsigned apart = 2045, not_on_the_machine = 2046, end_of_mark = 2047;

constexpr unsigned line_bytes = 32, cache_lines = 8192 / line_bytes;
constexpr std::uint32_t miss_cycles = 14, multiply_cycles = 4, divide_cycles = 35;

class DirectMapped {
 public:
  DirectMapped() { tags_.fill(~std::uint64_t{0}); }
  /// Whether the line is missing; it is there afterwards.
  bool misses(std::uint64_t line) {
    std::uint64_t& tag = tags_[line % cache_lines];
    if (tag == line) return false;
    tag = line;
    return true;
  }

 private:
  std::array<std::uint64_t, cache_lines> tags_;
};

struct Caches {
  DirectMapped instructions, data;
};

/// What was counted for a primitive; region 0 is code in no primitive.
struct Counts {
  std::uint64_t instructions = 0, cycles = 0, instruction_misses = 0, data_misses = 0;
};

constexpr int simulation = -1;

/// Where the running code belongs.
struct Place {
  int region = simulation;
  Caches* caches = nullptr;
  bool thread = false;  ///< not in a scope of the thread that runs
};

struct Instruction {
  std::uint64_t address;
  std::uint32_t size;
  std::uint32_t cycles = 1;
  std::uint32_t loads = 0;   ///< bit of the register that it loads
  std::uint32_t uses = 0;    ///< bits of the registers that it reads
  std::uint32_t writes = 0;  ///< bit of the register that it writes
  bool divides = false, calls = false;
};

std::array<Counts, unless_inside> counts;
std::vector<Place> places{Place{}};
std::vector<std::unique_ptr<Caches>> nodes;
std::deque<Instruction> instructions;
struct Mark {
  unsigned number;
  std::uint64_t address;
};
std::deque<Mark> marks;
const Instruction* previous = nullptr;
int previous_region = simulation;
std::uint64_t next_address = 0;  // unless the previous instruction jumps
std::uint32_t divided = 0;       // registers of the last division; 0 when one has changed
std::string output, profile;
std::map<std::pair<int, std::uint64_t>, std::uint64_t> times;  // by region and address, for the profile

/// An instruction or a mark begins: charges the previous instruction if it has jumped.
void come_to(std::uint64_t address, std::uint32_t size) {
  if (next_address != address && previous_region != simulation) ++counts[static_cast<unsigned>(previous_region)].cycles;
  next_address = address + size;
}

void count(unsigned, void* data) {
  const auto& now = *static_cast<const Instruction*>(data);
  const Place& place = places.back();
  come_to(now.address, now.size);
  if (place.region != simulation) {
    Counts& c = counts[static_cast<unsigned>(place.region)];
    const std::uint32_t division = now.divides && now.uses != divided ? divide_cycles : 1;
    c.instructions += division;
    if (!profile.empty()) ++times[{place.region, now.address}];
    c.cycles += std::max(now.cycles, division);
    if (previous && previous_region != simulation && (previous->loads & now.uses) != 0) ++c.cycles;
    const std::uint64_t first = now.address / line_bytes, last = (now.address + now.size - 1) / line_bytes;
    for (std::uint64_t line = first; line <= last; ++line)
      if (place.caches->instructions.misses(line)) ++c.instruction_misses, c.cycles += miss_cycles;
  }
  if (now.divides) divided = now.uses;
  if (now.calls || (now.writes & divided) != 0) divided = 0;
  previous = &now;
  previous_region = place.region;
}

void access(unsigned, std::uint32_t, std::uint64_t address, void*) {
  const Place& place = places.back();
  if (place.region == simulation || !place.caches->data.misses(address / line_bytes)) return;
  Counts& c = counts[static_cast<unsigned>(place.region)];
  ++c.data_misses, c.cycles += miss_cycles;
}

void fail(const std::string& why) {
  std::fprintf(stderr, "plugin: %s\n", why.c_str());
  std::exit(1);
}

void mark(unsigned, void* data) {
  const auto [number, address] = *static_cast<const Mark*>(data);
  come_to(address, 4);
  Place place = places.back();
  if (number > from_here && number < first_node) {
    if (place.region == simulation) return;
    if (!place.thread) fail("counted_from_here() was called in a scope");
    places.back().region = static_cast<int>(number - from_here);
    return;
  }
  const bool in_scope = !place.thread && place.region != 0;
  place.thread = false;
  if (number == end_of_mark) {
    places.pop_back();
    if (places.empty()) fail("a mark ends that has not begun");
    return;
  }
  if (number >= first_node && number <= last_node) {
    const std::size_t node = number - first_node;
    while (nodes.size() <= node) nodes.push_back(std::make_unique<Caches>());
    place = {0, nodes[node].get()};
  } else if (number == not_on_the_machine) {
    place.region = simulation;
  } else if (place.region == simulation) {
    // what the simulation calls is the simulation, too
  } else if (number == apart) {
    place.region = 0;
    place.thread = true;
  } else if (number < unless_inside) {
    place.region = static_cast<int>(number);
  } else if (!in_scope) {
    place.region = static_cast<int>(number - unless_inside);
  }
  places.push_back(place);
}

/// The number of a mark: slti x0, x0, number.
bool is_mark(const qemu_plugin_insn* insn, unsigned& number) {
  if (qemu_plugin_insn_size(insn) != 4) return false;
  std::uint32_t code;
  std::memcpy(&code, qemu_plugin_insn_data(insn), 4);
  number = code >> 20;
  return (code & 0xfffff) == 0x2013;
}

/// The bit of the register that the text begins with, which is none of its first characters' prefixes; 0 if none.
std::uint32_t register_bit(std::string_view text) {
  static const std::array<std::string_view, 32> names{
      "zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",  "a1",  "a2", "a3", "a4", "a5",
      "a6",   "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};
  for (unsigned i = 1; i < names.size(); ++i)
    if (text == names[i]) return 1u << i;
  return 0;
}

Instruction decode(const qemu_plugin_insn* insn) {
  Instruction i{qemu_plugin_insn_vaddr(insn), static_cast<std::uint32_t>(qemu_plugin_insn_size(insn))};
  char* const disassembly = qemu_plugin_insn_disas(insn);
  const std::string_view text = disassembly;
  const auto word = [&](std::size_t from) { return std::min(text.find_first_of(" ,()\t", from), text.size()); };
  // The mnemonic comes first, or after the code in hexadecimal.
  std::size_t at = text.find_first_not_of(" \t");
  std::vector<std::string_view> words;
  while (at < text.size()) {
    const std::size_t to = word(at);
    words.push_back(text.substr(at, to - at));
    at = std::min(text.find_first_not_of(" ,()\t", to), text.size());
  }
  const auto hexadecimal = [](std::string_view w) {
    return w.size() >= 4 && w.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  };
  std::size_t first = 0;
  while (first + 1 < words.size() && hexadecimal(words[first])) ++first;
  const std::string_view name = words.empty() ? std::string_view{} : words[first];
  const bool load =
      name == "lb" || name == "lh" || name == "lw" || name == "ld" || name == "lbu" || name == "lhu" || name == "lwu";
  const bool all_are_sources =
      name[0] == 'b' || name == "sb" || name == "sh" || name == "sw" || name == "sd" || name == "jr";
  for (std::size_t w = first + 1; w < words.size(); ++w) {
    const std::uint32_t bit = register_bit(words[w]);
    if (w == first + 1 && load) i.loads = bit;
    else if (w > first + 1 || all_are_sources) i.uses |= bit;
  }
  if (name == "ret") i.uses |= register_bit("ra");
  if (name.starts_with("mul")) i.cycles = multiply_cycles;
  i.divides = name.starts_with("div") || name.starts_with("rem");
  i.calls = name.starts_with("jal");
  if (!all_are_sources && first + 1 < words.size()) i.writes = register_bit(words[first + 1]);
  std::free(disassembly);
  return i;
}

void translated(qemu_plugin_id_t, qemu_plugin_tb* block) {
  for (std::size_t n = 0; n < qemu_plugin_tb_n_insns(block); ++n) {
    qemu_plugin_insn* const insn = qemu_plugin_tb_get_insn(block, n);
    if (unsigned number; is_mark(insn, number)) {
      qemu_plugin_register_vcpu_insn_exec_cb(insn, mark, no_registers,
                                             &marks.emplace_back(Mark{number, qemu_plugin_insn_vaddr(insn)}));
      continue;
    }
    qemu_plugin_register_vcpu_insn_exec_cb(insn, count, no_registers, &instructions.emplace_back(decode(insn)));
    qemu_plugin_register_vcpu_mem_cb(insn, access, no_registers, reads_and_writes, nullptr);
  }
}

void write_counts() {
  std::FILE* const file = std::fopen(output.c_str(), "w");
  if (!file) fail("cannot write " + output);
  const char* separator = "{";
  for (std::size_t r = 0; r < counts.size(); ++r) {
    const Counts& c = counts[r];
    if (c.instructions == 0) continue;
    std::fprintf(file,
                 "%s\n\"%zu\": {\"instructions\": %llu, \"cycles\": %llu, \"instruction_misses\": %llu, "
                 "\"data_misses\": %llu}",
                 separator, r, static_cast<unsigned long long>(c.instructions),
                 static_cast<unsigned long long>(c.cycles), static_cast<unsigned long long>(c.instruction_misses),
                 static_cast<unsigned long long>(c.data_misses));
    separator = ",";
  }
  std::fprintf(file, "%s}\n", *separator == '{' ? "{" : "\n");
  std::fclose(file);
}

void write_profile() {
  std::FILE* const file = std::fopen(profile.c_str(), "w");
  if (!file) fail("cannot write " + profile);
  for (const auto& [place, n] : times)
    std::fprintf(file, "%d %llx %llu\n", place.first, static_cast<unsigned long long>(place.second),
                 static_cast<unsigned long long>(n));
  std::fclose(file);
}

void write_files(qemu_plugin_id_t, void*) {
  write_counts();
  if (!profile.empty()) write_profile();
}

}  // namespace

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t*, int argc, char** argv) {
  for (int i = 0; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument.starts_with("output=")) output = argument.substr(7);
    if (argument.starts_with("profile=")) profile = argument.substr(8);
  }
  if (output.empty()) {
    std::fprintf(stderr, "plugin: it needs the argument output=FILE\n");
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, write_files, nullptr);
  return 0;
}
