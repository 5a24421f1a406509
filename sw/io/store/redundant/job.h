// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "sw/io/store/redundant/plan.h"
#include "sw/io/store/request.h"

namespace sunstar::io::redundant {

class Server;
struct Job;

/// What a job is for. All but requests are the array's own, of one unit, or of its row.
enum class Purpose : std::uint8_t { request, rebuild, mend, scrub, resync };

/// A command to a disk, for a step of a job.
struct Operation final : DiskRequest {
  Operation(Server& s, Job& j, std::uint32_t n, std::uint32_t d) : server(s), job(j), step(n), disk(d) {}
  void finished(hal::Status status) override;
  Server& server;
  Job& job;
  std::uint32_t step, disk;  // of the geometry; `unit` is the drive in its place
};

/// A request, or several writes that are carried out together, the plan, and how far it has come.
struct Job {
  struct Whole {
    DiskRequest* request;
    std::uint32_t own = 0;  ///< where its data begin in those of the job, in sectors
    std::vector<Part> parts{};
  };
  std::vector<Whole> wholes;  // by `own`
  bool write = false;
  Purpose purpose = Purpose::request;
  bool repaired = false;           // a scrub has found out what was wrong, and made it anew
  std::uint32_t failed_times = 0;  // of the disk that is rebuilt, when that began
  std::vector<Part> parts;         // of all of them
  std::vector<Member> bad;         // units that cannot be read
  bool corrects = false;           // the plan writes the first of them anew
  Time plugged_until{};
  Plan plan;
  std::uint64_t changes = 0;  // in the array before it was made
  std::byte* buffer = nullptr;
  std::vector<std::uint32_t> commands;   // by step: commands that have not ended
  std::vector<std::uint32_t> waits_for;  // by step: steps
  std::vector<bool> begun;               // by step
  std::size_t to_prepare = 0;            // reads and computations that have not ended
  std::size_t left = 0;                  // steps that have not ended
  std::size_t at_disks = 0;              // commands under way
  bool holds_rows = false;
  bool read_failed = false, write_failed = false;
  std::deque<Operation> operations;

  /// Puts the parts of gathered writes in order, by unit: what adjoins is one part, and lies together in the job's
  /// data.
  void lay_out();
};

}  // namespace sunstar::io::redundant
