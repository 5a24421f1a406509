// SPDX-License-Identifier: MIT
#pragma once
#include "models/core/one_of.h"
#include "models/core/param.h"

// The faults of a drive. A `lasting` effect is a state of the drive, which lasts for good unless the fault limits it.
// Other effects strike single commands, by default one.
namespace sunstar::disk {

/// Unreadable sectors. A write to such a sector succeeds and mends it: the drive puts a spare in its place.
struct MediumError {
  static constexpr std::string_view kind = "medium-error";
  static constexpr std::string_view help =
      "sectors cannot be read: CHECK CONDITION with the key MEDIUM ERROR and the first such sector; a write mends them";
  static constexpr bool lasting = true;
  std::uint64_t first = 0;
  std::uint64_t sectors = 1;
  Duration recovery = std::chrono::milliseconds{3534};
};
BOOST_DESCRIBE_STRUCT(MediumError, (), (first, sectors, recovery))
inline std::vector<Param> parameters(const MediumError*) {
  return {
      {"first", "the first such sector", "0", "1000000000000"},
      {"sectors", "the number of such sectors", "1", "1000000000000"},
      {"recovery",
       "how long the drive tries before it gives up (Seagate Barracuda 9, Product Manual, Table 4: 3534 ms with all "
       "of its 16 retries)",
       "0s", "60s"}};
}

struct RecoveredError {
  static constexpr std::string_view kind = "recovered-error";
  static constexpr std::string_view help = "a command takes additional revolutions, then succeeds";
  double revolutions = 3;
};
BOOST_DESCRIBE_STRUCT(RecoveredError, (), (revolutions))
inline std::vector<Param> parameters(const RecoveredError*) {
  return {{"revolutions", "additional revolutions (Seagate Barracuda 9, Table 4: 3 for each of the first retries)", "0",
           "1000"}};
}

struct Slow {
  static constexpr std::string_view kind = "slow";
  static constexpr std::string_view help = "every command of the drive takes longer";
  static constexpr bool lasting = true;
  double factor = 2;
};
BOOST_DESCRIBE_STRUCT(Slow, (), (factor))
inline std::vector<Param> parameters(const Slow*) {
  return {{"factor", "factor on the times from command to data or status", "1", "1000"}};
}

struct Hang {
  static constexpr std::string_view kind = "hang";
  static constexpr std::string_view help = "the drive neither ends a command nor takes a new one until a reset";
};

struct Dead {
  static constexpr std::string_view kind = "dead";
  static constexpr std::string_view help = "the drive answers no selection any more";
  static constexpr bool lasting = true;
};

struct PowerLoss {
  static constexpr std::string_view kind = "power-loss";
  static constexpr std::string_view help =
      "the drive loses power and, with it, data reported as written but not yet on the medium; until the drive turns "
      "again, commands end with NOT READY";
  Duration off = std::chrono::seconds{15};
};
BOOST_DESCRIBE_STRUCT(PowerLoss, (), (off))
inline std::vector<Param> parameters(const PowerLoss*) {
  return {{"off", "until it is ready again; 10 to 30 s are usual for drives of the 1990s", "0s", "3600s"}};
}

/// The corruption of data that the drive delivers or stores as good.
enum class Wrong {
  read,         ///< a read delivers wrong data
  misdirected,  ///< a write goes to another place
  torn,         ///< only the beginning of a write is stored
  lost          ///< nothing of a write is stored
};
BOOST_DESCRIBE_ENUM(Wrong, read, misdirected, torn, lost)

struct Corruption {
  static constexpr std::string_view kind = "corruption";
  static constexpr std::string_view help = "wrong data pass as good";
  Wrong wrong = Wrong::lost;
  std::uint64_t by = 64;
};
BOOST_DESCRIBE_STRUCT(Corruption, (), (wrong, by))
inline std::vector<Param> parameters(const Corruption*) {
  return {
      {"wrong", "the kind of corruption: read: a read delivers wrong data; or a write is misdirected, torn or lost"},
      Param{"by", "sectors by which a misdirected write misses its place", "1", "1000000000"}.used_if("wrong",
                                                                                                      {"misdirected"})};
}

/// The effects of a drive's faults.
using FaultEffects = OneOf<MediumError, RecoveredError, Slow, Hang, Dead, PowerLoss, Corruption>;

}  // namespace sunstar::disk
