// SPDX-License-Identifier: MIT
#include "platforms/disk/grid.h"

#include <algorithm>
#include <boost/program_options.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "models/core/error.h"
#include "platforms/kit/json_read.h"
#include "platforms/kit/json_write.h"
#include "platforms/kit/named_files.h"
#include "platforms/kit/output.h"
#include "platforms/kit/run/command_line.h"
#include "platforms/kit/run/tool.h"

namespace sunstar::disk_platform {
namespace {

namespace po = boost::program_options;

constexpr const char* head =
    "sunstar-disk fit: finds the parameters of an NVMe drive by which it is nearest to measured percentiles of "
    "reads.\n\n"
    "Usage: sunstar-disk fit GRID.csv --drive DRIVE [options]\n\n"
    "GRID.csv has the columns r_idx, w_idx, offered_read_iops, offered_write_MBps, read_block_bytes, read_p50_us,\n"
    "read_p95_us and likely_saturated, as docs/models/nvme.md explains.\n\nOptions";
constexpr const char* tail =
    "\nExample:\n  sunstar-disk fit grid.csv --drive aws-i3 --processors 8 --output drive.json --points points.csv\n\n"
    "Exit codes: 0 success, 2 error in the command line, 3 a file that cannot be read, used or written.\n";

struct Options {
  std::string grid, drive, pacing, output, points;
  GridTool tool;
  std::int64_t evaluations;
  std::uint64_t seed;
  double milliseconds;
};

po::options_description described(Options& o) {
  po::options_description all(head);
  auto add = all.add_options();
  add("drive", po::value(&o.drive)->required(),
      "where the search begins, and all that it does not change: a name in "
      "the catalogue, or a file");
  add("processors", po::value(&o.tool.processors)->default_value(8),
      "readers of the measuring tool; a writer takes the "
      "place of one");
  add("pacing", po::value(&o.pacing)->default_value("paced"), "of reads: paced or poisson");
  add("write-depth", po::value(&o.tool.write_depth)->default_value(64), "most writes under way");
  add("duration", po::value(&o.milliseconds)->default_value(200), "milliseconds simulated for each point");
  add("evaluations", po::value(&o.evaluations)->default_value(200), "drives to try; 0: only --drive, unchanged");
  add("seed", po::value(&o.seed)->default_value(1), "of all that is drawn");
  add("output", po::value(&o.output), "file for the drive; without it the drive is printed");
  add("points", po::value(&o.points), "CSV file for the simulated percentiles of each point of the grid");
  add("help", "this text");
  return all;
}

nvme::DriveParams named_drive(const std::string& name) {
  Problems problems;
  auto drive = kit::read<nvme::DriveParams>(kit::json::value(name), "--drive", problems);
  problems.throw_if_any();
  return drive;
}

std::string points_text(const nvme::DriveParams& drive, const std::vector<GridPoint>& grid, const Options& o) {
  std::ostringstream text;
  text << "w_idx,r_idx,read_iops,write_MBps,saturated,measured_p50_us,measured_p95_us,p50_us,p95_us,p99_us,p999_us,"
          "iops\n";
  const auto known = [&](const std::optional<double>& value) {
    if (value) text << *value;
    text << ',';
  };
  for (const GridPoint& p : grid) {
    if (p.read_index == 0) continue;
    const Simulated s = simulate(drive, p, o.tool, o.seed);
    text << p.write_index << ',' << p.read_index << ',' << p.read_rate << ',' << p.write_bytes_per_s / 1e6 << ','
         << p.saturated << ',';
    known(p.p50);
    known(p.p95);
    text << s.p50 << ',' << s.p95 << ',' << s.p99 << ',' << s.p999 << ',' << s.rate << '\n';
  }
  return text.str();
}

void check(const std::vector<GridPoint>& grid, const nvme::DriveParams& drive, const Options& o) {
  const auto judged = std::ranges::count_if(grid, &GridPoint::judged);
  const std::string points =
      "with r_idx of at least 1, read_p50_us, read_p95_us, and likely_saturated 0 if there is that column";
  if (judged == 0) throw ConfigError(o.grid + ": there is no point to compare with: one " + points + ".");
  if (o.evaluations > 0 && judged < 4)
    throw ConfigError(o.grid + ": has " + std::to_string(judged) + (judged == 1 ? " point " : " points ") + points +
                      "; to find eight parameters, it must be at least 4, of two percentiles each. --evaluations 0 "
                      "compares without a fit.");
  for (const GridPoint& p : grid)
    if (p.read_bytes % drive.sector_size.count != 0)
      throw ConfigError(o.grid + ": read_block_bytes is " + std::to_string(p.read_bytes) +
                        "; it must be a multiple of the drive's sector_size, " +
                        std::to_string(drive.sector_size.count) + ".");
}

void fit(int argc, const char* const* argv) {
  Options o;
  const auto shown = described(o);
  po::options_description all;
  all.add(shown).add_options()("grid", po::value(&o.grid)->required());
  po::variables_map values;
  po::store(po::command_line_parser(argc, argv)
                .options(all)
                .positional(po::positional_options_description().add("grid", 1))
                .run(),
            values);
  if (values.count("help")) {
    std::ostringstream help;
    help << shown << tail;
    return kit::print_text(std::cout, help.str());
  }
  po::notify(values);
  if (o.pacing != "paced" && o.pacing != "poisson")
    throw kit::UsageError("--pacing is " + o.pacing + "; it must be paced or poisson.");
  o.tool.pacing = o.pacing == "paced" ? Pacing::paced : Pacing::poisson;
  if (!(o.milliseconds >= 1 && o.milliseconds <= 1e6))
    throw kit::UsageError("--duration must be between 1 and 1000000 milliseconds.");
  o.tool.duration = from_seconds(o.milliseconds / 1e3);
  if (o.tool.processors < 1 || o.tool.processors > 1024)
    throw kit::UsageError("--processors must be between 1 and 1024.");
  if (o.tool.write_depth < 1 || o.tool.write_depth > 1024)
    throw kit::UsageError("--write-depth must be between 1 and 1024.");
  if (o.evaluations < 0 || o.evaluations > 1000000)
    throw kit::UsageError("--evaluations must be between 0 and 1000000.");

  const auto grid = read_grid(o.grid);
  kit::note_read(o.grid);
  auto drive = named_drive(o.drive);
  check(grid, drive, o);
  std::vector<kit::NamedFile> outputs;
  if (!o.output.empty() && o.output != "-") outputs.push_back({"--output", o.output});
  if (!o.points.empty()) outputs.push_back({"--points", o.points});
  kit::require_distinct(outputs);
  for (const auto& output : outputs) kit::probe_output(output.path);
  if (o.evaluations > 0) {
    const std::string from = drive.name;
    drive = fitted(drive, grid, o.tool, static_cast<std::size_t>(o.evaluations), o.seed);
    drive.name = std::filesystem::path(o.grid).stem().string();
    drive.source = "fitted by sunstar-disk fit to " + drive.name + ", from " + from +
                   ": queue_time, command_time, write_time, latency, read_time, read_tail, program_time, program_size "
                   "and drain_size; all others are as there";
  }
  std::cerr << "mean distance of the logarithms, p50 + p95/2: " << distance(drive, grid, o.tool, o.seed) << std::endl;
  if (!o.points.empty()) kit::write_file(o.points, points_text(drive, grid, o));
  const std::string text = kit::pretty(kit::write(drive));
  if (!o.output.empty() && o.output != "-") kit::write_file(o.output, text);
  else if (o.points.empty() || !o.output.empty()) kit::print_text(std::cout, text);
}

}  // namespace

int fit_main(int argc, const char* const* argv) {
  return kit::run_tool("sunstar-disk fit", [&] { fit(argc, argv); });
}

}  // namespace sunstar::disk_platform
