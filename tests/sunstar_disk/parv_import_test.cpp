// SPDX-License-Identifier: MIT
#include "platforms/disk/parv_import.h"

#include "models/core/error.h"
#include "models/disk/geometry.h"
#include "models/disk/seek_curve.h"
#include "platforms/kit/json_read.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "tests/support/program.h"
#include "tests/support/shared_folder.h"
#include "tests/support/temporary_folder.h"

using namespace sunstar;
using namespace sunstar::disk;
using namespace sunstar::literals;
using disk_platform::import_drive;
using test::TemporaryFolder;

namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), by);
}

/// A made-up drive in the format of the parameter files.
const std::string parv = R"(# a machine
disksim_bus BUSA { type = 1, Read block transfer time = 0.2, Write block transfer time = 0.3 }
disksim_bus OUTER { type = 1, Read block transfer time = 9.0, Write block transfer time = 9.0 }
source drive.diskspecs
instantiate [ top ] as OUTER
instantiate [ bus0 .. bus3 ] as BUSA
instantiate [ disk0 .. disk9 ] as Made_up_validate
topology disksim_iodriver driver0 [ disksim_bus top [ disksim_ctlr c [ disksim_bus bus2 [ disksim_disk disk7 [] ] ] ] ]
)";
const std::string diskspecs = R"(disksim_disk Made_up_validate {
   Model = source drive.model, Per-request overhead time = 0.1, Time scale for overheads = 2.0,
   Bulk sector transfer time = 0.25, Number of buffer segments = 4, Maximum number of write segments = 2,
   Segment size (in blks) = 64, Use separate write segment = 1, Low (write) water mark = 0.75,
   High (read) water mark = 0.5, Set watermark by reqsize = 1, Enable caching in buffer = 1,
   Allow read hits on write data = 1, Buffer continuous read = 2, Minimum read-ahead (blks) = 3,
   Maximum read-ahead (blks) = 40, Read-ahead over requested = 1, Read-ahead on idle hit = 0,
   Read any free blocks = 0, Fast write level = 2, Stop prefetch in sector = 0,
   Read hit over. after read = 1.0, Read hit over. after write = 1.1, Read miss over. after read = 1.2,
   Read miss over. after write = 1.3, Write hit over. after read = 1.4, Write hit over. after write = 1.5,
   Write miss over. after read = 1.6, Write miss over. after write = 1.7, Read completion overhead = 0.1,
   Write completion overhead = 0.2, Data preparation overhead = 0.3, First reselect overhead = 0.4,
   Other reselect overhead = 0.5, Read disconnect afterread = 0.6, Read disconnect afterwrite = 0.7,
   Write disconnect overhead = 0.8, Extra write disconnect = 1, Extradisc command overhead = 0.9,
   Extradisc disconnect overhead = 0.01, Extradisc inter-disconnect delay = 0.02,
   Extradisc 2nd disconnect overhead = 0.03, Minimum seek delay = 0.04
}
)";
const std::string model = R"(dm_disk Made_up_model {
   Number of data surfaces = 2, Number of cylinders = 30, Block count = 500,
   Layout Model = dm_layout_g1 {
      LBN-to-PBN mapping scheme = 1, Sparing scheme used = 8, Rangesize for sparing = 5,
      Zones = [ dm_layout_g1_zone { First cylinder number = 0, Last cylinder number = 9, Blocks per track = 20,
                  Offset of first block = 3.0, Empty space at zone front = 40, Skew for track switch = 5.0,
                  Skew for cylinder switch = 7.0, Number of spares = 6, slips = [ 90, 50 ], defects = [ 1, 1 ] },
                dm_layout_g1_zone { # second
                  First cylinder number = 11, Last cylinder number = 29, Blocks per track = 10,
                  Offset of first block = 0, Empty space at zone front = 0, Skew for track switch = 2,
                  Skew for cylinder switch = 3, Number of spares = 0, slips = [], defects = [ 7, 9 ] } ] },
   Mechanical Model = dm_mech_g1 {
      Access time type = trackSwitchPlusRotation, Seek type = extracted, Full seek curve = drive.seek,
      Add. write settling delay = -0.5, Head switch time = 1.0, Rotation speed (in rpms) = 6000,
      Percent error in rpms = 0 }
}
)";
const std::string seeks = "Seek distances measured: 3\n1,\t1.5\n2, 2.0\n29, 10\n";

struct Files {
  TemporaryFolder folder;
  std::filesystem::path parv_file;
  Files(const std::string& p = parv, const std::string& d = diskspecs, const std::string& m = model,
        const std::string& s = seeks) {
    folder.write("drive.diskspecs", d);
    folder.write("drive.model", m);
    folder.write("drive.seek", s);
    parv_file = folder.write("drive.parv", p);
  }
};

void refused(const Files& files, const std::string& file_and_sentence) {
  try {
    import_drive(files.parv_file);
    FAIL("accepted, and not refused with " << file_and_sentence);
  } catch (const ConfigError& e) {
    CHECK(std::string(e.what()) == (files.folder.path / "").string() + file_and_sentence);
  }
}

}  // namespace

TEST_CASE("every parameter of a description is imported") {
  const Files files;
  const DriveParams p = import_drive(files.parv_file);
  CHECK(p.name == "Made up");
  CHECK(p.heads == 2);
  CHECK(p.rpm == 6000);
  CHECK(p.sectors == 500);
  CHECK(p.mapping == disk::Mapping::serpentine);
  CHECK(p.sparing == Sparing::sectors_at_range_end);
  CHECK(p.spare_range == 5);
  REQUIRE(p.zones.size() == 2);
  CHECK(p.zones[0].cylinders == 10);
  CHECK(p.zones[0].offset == 3);
  CHECK(p.zones[0].reserved == 40);
  CHECK(p.zones[0].track_skew == 5);
  CHECK(p.zones[0].cylinder_skew == 7);
  CHECK(p.zones[0].spares == 6);
  CHECK(p.zones[0].slipped == std::vector<std::uint64_t>{50, 90});
  CHECK(p.zones[1].skipped_cylinders == 1);
  CHECK(p.zones[1].cylinders == 19);
  CHECK(p.seek.table == std::vector<SeekPoint>{{1, 1500_us}, {2, 2_ms}, {29, 10_ms}});
  CHECK(p.seek.beyond_table == BeyondTable::last_two_points);
  CHECK(p.head_switch == 1_ms);
  CHECK(p.read_settle == 500_us);
  CHECK(p.write_settle == 0_ms);
  // The bus of the disk, bus2, is of the type BUSA; the drive's own interface is slower for reads.
  CHECK(p.rig.read_sector == 250_us);
  CHECK(p.rig.write_sector == 300_us);
  // 0.1 ms a request, then the overheads times two.
  CHECK(p.overheads.read_hit_after_read == 2100_us);
  CHECK(p.overheads.read_hit_after_write == 2300_us);
  CHECK(p.overheads.read_miss_after_read == 2500_us);
  CHECK(p.overheads.read_miss_after_write == 2700_us);
  CHECK(p.overheads.write_hit_after_read == 2900_us);
  CHECK(p.overheads.write_hit_after_write == 3100_us);
  CHECK(p.overheads.write_miss_after_read == 3300_us);
  CHECK(p.overheads.write_miss_after_write == 3500_us);
  CHECK(p.overheads.read_completion == 200_us);
  CHECK(p.overheads.write_completion == 400_us);
  CHECK(p.overheads.write_reconnects);
  CHECK(p.overheads.reconnect_delay == 40_us);
  CHECK(p.overheads.minimum_seek_delay == 80_us);
  CHECK(p.segments == 4);
  CHECK(p.buffer_size == 128_KiB);
  CHECK(p.write_segments == 2);
  CHECK(p.write_buffer == 64_KiB);
  CHECK(p.separate_write_segment);
  CHECK(p.read_watermark == 0.5);
  CHECK(p.immediate_reporting == ImmediateReporting::always);
  CHECK(p.read_ahead == ReadAhead::until_cylinder_end);
  CHECK(p.least_read_ahead == 3);
  CHECK(p.most_read_ahead == 40);
  CHECK_FALSE(p.read_ahead_after_hit);
  CHECK_FALSE(p.reuse_sent_data);
  CHECK(p.reuse_written_data);
  CHECK(p.read_ahead_stop == ReadAheadStop::after_sector);
  CHECK(p.source.starts_with("imported from drive.parv, drive.diskspecs, drive.model; "));
  CHECK(p.source.find("1 remapped sectors are read at their original places") != std::string::npos);
}

TEST_CASE("the file that the importer writes reads back as the same drive") {
  const Files files;
  const DriveParams p = import_drive(files.parv_file);
  Problems problems;
  CHECK(kit::read<DriveParams>(boost::json::parse(disk_platform::catalogue_text(p)), "disk", problems) == p);
  CHECK(problems.empty());
}

TEST_CASE("seek curves can also be formulas") {
  const auto with = [&](const std::string& seek) {
    return Files(parv, diskspecs, replaced(model, "Seek type = extracted, Full seek curve = drive.seek", seek));
  };
  const auto hpl = with("Seek type = hpl, HPL seek equation values = [ 300, 3.0, 0.5, 7.0, 0.01, -1 ]");
  const SeekCurve curve(import_drive(hpl.parv_file).seek);
  CHECK(curve(1) == 3500_us);
  CHECK(curve(16) == 5_ms);
  CHECK(curve(300) == 10_ms);
  const auto ten = with(
      "Seek type = hplplus10, HPL seek equation values = [ 300, 3.0, 0.5, 7.0, 0.01, -1 ], First ten seek times = [ "
      "1,2,3,4,5,6,7,8,9,10 ]");
  const SeekCurve ten_curve(import_drive(ten.parv_file).seek);
  CHECK(ten_curve(10) == 10_ms);
  CHECK(ten_curve(16) == 5_ms);
  const auto constant = with("Seek type = constant, Average seek time = 6");
  CHECK(SeekCurve(import_drive(constant.parv_file).seek)(17) == 6_ms);
  const auto three =
      with("Seek type = curve, Single cylinder seek time = 2, Average seek time = 8, Full strobe seek time = 15");
  const SeekCurve three_curve(import_drive(three.parv_file).seek);
  CHECK(three_curve(1) == 2_ms);
  CHECK(seconds(three_curve(29)) == Approx(0.015).epsilon(0.03));
}

TEST_CASE("a head switch that no head can perform is inferred from the skew, and the drive's file says so") {
  // 2 of 10 sectors at 10 ms a revolution are 2 ms; a seek to the next cylinder takes 1.5 ms.
  const Files files(parv, diskspecs, replaced(model, "Head switch time = 1.0", "Head switch time = 0.1"));
  const DriveParams p = import_drive(files.parv_file);
  CHECK(p.head_switch == 1500_us);
  CHECK(p.source.find("head switch time inferred: the described 100us") != std::string::npos);
}

TEST_CASE("errors in a description are reported with file, line, value and what is allowed") {
  const auto with_model = [](const std::string& what, const std::string& by) {
    return Files(parv, diskspecs, replaced(model, what, by));
  };
  const auto with_specs = [](const std::string& what, const std::string& by) {
    return Files(parv, replaced(diskspecs, what, by));
  };
  refused(with_specs("Fast write level = 2", "Fast write level = 3"),
          "drive.diskspecs:8: Fast write level is \"3\"; it must be a number between 0 and 2.");
  refused(with_specs("Fast write level", "Fast write levle"),
          "drive.diskspecs:1: the block disksim_disk Made_up_validate has no \"Fast write level\"; did you mean \"Fast "
          "write levle\"?");
  refused(with_model("Number of data surfaces = 2", "Number of data surfaces = two"),
          "drive.model:2: Number of data surfaces is \"two\"; it must be a number.");
  refused(with_model("Sparing scheme used = 8", "Sparing scheme used = 5"),
          "drive.model:4: Sparing scheme used is \"5\"; it must be one of 0, 1, 2, 3, 4, 6, 7, 8, 9; the others are "
          "not modelled.");
  refused(with_model("dm_layout_g1 {", "dm_layout_g4 {"),
          "drive.model:3: the layout \"dm_layout_g4\" is not modelled; only dm_layout_g1 is.");
  refused(with_model("First cylinder number = 11", "First cylinder number = 9"),
          "drive.model:9: First cylinder number is \"9\"; it must be at least 10, since zones follow one another.");
  refused(with_model("Seek type = extracted", "Seek type = guessed"),
          "drive.model:13: Seek type is \"guessed\"; it must be \"extracted\", \"hpl\", \"hplplus10\", \"curve\", "
          "\"linear\" or \"constant\".");
  refused(with_model("Block count = 500", "Block count = 5000"), "drive.parv: sectors is 5000; the zones hold 728.");
  refused(Files(parv, diskspecs, model, "1, 2.0\n1, 3.0\n"),
          "drive.seek:2: the distance 1 is not greater than the one before it.");
  refused(Files(parv, diskspecs, model, "1 two\n"),
          "drive.seek:1: a line must be a distance in cylinders, a comma and a time in ms, as in \"12, 3.13\".");
  refused(Files(replaced(parv, "as BUSA", "is BUSA")),
          "drive.parv:6: \"as\" is expected after the names that are instantiated.");
  refused(Files(replaced(parv, "instantiate [ bus0 .. bus3 ] as BUSA\n", "")),
          "drive.parv: the topology has \"bus2\", which nothing instantiates.");
  refused(Files(replaced(parv, "{ type = 1, Read block", "{ type = 1, type = 1, Read block")),
          "drive.parv:2: \"type\" is given twice.");
  const Files lost(replaced(parv, "source drive.diskspecs", "source none.diskspecs"));
  refused(lost, "drive.parv:4: it sources \"none.diskspecs\", and there is no file " +
                    (lost.folder.path / "none.diskspecs").string() + ".");
  refused(Files("x"), "drive.parv:1: a name is expected here; the file ends.");
  refused(
      Files("disksim_disk x { a = 1"),
      "drive.parv:1: a key and \"=\" are expected here, or the end of the block disksim_disk x that begins in line 1.");
  refused(Files("source drive.parv"), "drive.parv: files source one another without end.");
}

TEST_CASE("a description sources files of its folder only, wherever links lead, unless it may do so") {
  const TemporaryFolder elsewhere;
  elsewhere.write("drive.diskspecs", diskspecs);
  const auto outside = (elsewhere.path / "drive.diskspecs").string();
  const Files absolute(replaced(parv, "source drive.diskspecs", "source " + outside));
  refused(absolute, "drive.parv:4: it sources \"" + outside + "\", which is not in the folder " +
                        std::filesystem::canonical(absolute.folder.path).string() +
                        "; sunstar-disk import --source-anywhere allows that.");
  const Files linked;
  std::filesystem::remove(linked.folder.path / "drive.seek");
  elsewhere.write("drive.seek", seeks);
  std::filesystem::create_symlink(elsewhere.path / "drive.seek", linked.folder.path / "drive.seek");
  CHECK_THROWS_WITH(import_drive(linked.parv_file), Catch::Matchers::ContainsSubstring("which is not in the folder"));
  CHECK(import_drive(linked.parv_file, disk_platform::Sourcing::from_anywhere).rpm ==
        import_drive(Files().parv_file).rpm);
  // Folders below are part of it.
  Files below(replaced(parv, "source drive.diskspecs", "source sub/drive.diskspecs"));
  for (const char* name : {"drive.diskspecs", "drive.model", "drive.seek"})
    below.folder.write(std::string("sub/") + name, TemporaryFolder::read(below.folder.path / name));
  CHECK_NOTHROW(import_drive(below.parv_file));
}

TEST_CASE("an imported drive does not overwrite a file from which it is made") {
  const Files files;
  test::Program program(test::binary_folder() / "sunstar-disk");
  for (const char* name : {"drive.parv", "drive.diskspecs", "drive.model", "drive.seek"}) {
    const auto file = files.folder.path / name;
    const auto before = TemporaryFolder::read(file);
    CHECK(program({"import", files.parv_file.string(), "--output", file.string()}) == 3);
    CHECK(program.err == "--output is " + file.string() + ", which is also an input; it must be another file.\n");
    CHECK(TemporaryFolder::read(file) == before);
  }
  CHECK(program({"import", files.parv_file.string(), "--output", (files.folder.path / "drive.json").string()}) == 0);
}

TEST_CASE("the catalogue holds what the importer makes of the drives' descriptions") {
  struct Described {
    const char* drive;
    const char* file;
  };
  const Described drives[] = {{"atlas10k", "atlas10k.parv"},     {"atlas_III", "atlas_III.parv"},
                              {"barracuda", "barracuda.parv"},   {"cheetah4LP", "cheetah4LP.parv"},
                              {"cheetah9LP", "cheetah9LP.parv"}, {"dec_rz26", "dec_rz26.parv"},
                              {"hp_c2247a", "hp_c2247a.parv"},   {"hp_c2249a", "hp_c2249a.diskspecs"},
                              {"hp_c2490a", "hp_c2490a.parv"},   {"hp_c3323a", "hp_c3323a.parv"},
                              {"hplajw", "hplajw.parv"},         {"hp_c3323a_5400", "hp_c3323a.diskspecs"},
                              {"ibm18es", "ibm18es.parv"},       {"st41601n", "st41601n.parv"}};
  for (const auto& [name, description] : drives) {
    INFO(name);
    const auto file = test::shared_file("disks/parameters/" + std::string(description));
    if (!file) {
      WARN("skipped: the drives' descriptions are not there");
      return;
    }
    auto made = import_drive(*file);
    const std::string text =
        TemporaryFolder::read(test::source_folder() / "models/disk/drives" / (std::string(name) + ".json"));
    Problems problems;
    // That of the data sheet: the descriptions do not have it.
    made.interface = kit::read<DriveParams>(boost::json::parse(text), "disk", problems).interface;
    CHECK(disk_platform::catalogue_text(made) == text);
    CHECK(Geometry(made).sectors() == made.sectors);
  }
}
