// SPDX-License-Identifier: MIT
#pragma once
#include <boost/icl/interval_set.hpp>

#include "models/core/faults.h"
#include "models/disk/geometry.h"
#include "models/disk/medium.h"

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
  return {{"first", "the first such sector", "0", "1000000000000"},
          {"sectors", "the number of such sectors", "1", "1000000000000"},
          {"recovery",
           "how long the drive tries before it gives up (Seagate Barracuda 9, Product Manual, Table 4: 3534 ms with "
           "all of its 16 retries)",
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
BOOST_DEFINE_ENUM_CLASS(Wrong,
                        read,         ///< a read delivers wrong data
                        misdirected,  ///< a write goes to another place
                        torn,         ///< only the beginning of a write is stored
                        lost          ///< nothing of a write is stored
)

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

using FaultEffects = OneOf<MediumError, RecoveredError, Slow, Hang, Dead, PowerLoss, Corruption>;

/// Sense keys of SCSI-2 (X3.131-1994, table 69) that a drive gives.
enum class SenseKey : std::uint8_t {
  none = 0x0,
  not_ready = 0x2,
  medium_error = 0x3,
  illegal_request = 0x5,
  unit_attention = 0x6,
  aborted_command = 0xb
};
/// Additional sense code qualifiers of UNIT ATTENTION, 29h (SPC, X3.301-1997).
inline constexpr std::uint64_t power_on_occurred = 1, reset_occurred = 2;

/// The faults of one drive, and their effects on its commands. Pure: the drive asks it at each command, and for each
/// command's data. A drive without faults has none.
class DriveFaults {
 public:
  /// The faults change the medium when power is lost and when a write goes wrong.
  DriveFaults(Medium& medium, std::uint32_t sector_bytes) : medium_(medium), sector_bytes_(sector_bytes) {}

  void add(const FaultEffects& effect, const faults::Trigger& trigger, const faults::Extent& extent, std::uint64_t seed,
           std::string_view name, std::function<void(Time)> when_struck);

  /// How a command that arrives now ends.
  struct Outcome {
    SenseKey key = SenseKey::none;      ///< none: success
    Lbn information = 0;                ///< the first sector in error; of UNIT ATTENTION: the event
    Duration later{};                   ///< extra time until it ends
    double slower = 1;                  ///< factor of all times
    bool power_lost = false;            ///< just now, which ends all commands in flight
    const Corruption* wrong = nullptr;  ///< the corruption of its data, if any
    Lbn first = 0;                      ///< the command's own sectors
    std::uint32_t sectors = 0;
  };
  /// To be asked once for each command. `revolution`: the drive's.
  Outcome command(Time now, bool write, bool data, Lbn first, std::uint32_t sectors, Duration revolution);
  /// Whether the drive answers no selection now: it is dead, hangs, or has no power.
  bool silent(Time now) { return dead(now) || hung_; }
  bool dead(Time now);
  /// A reset: the drive no longer hangs, and reports the reset at its next command.
  void reset() {
    hung_ = false;
    if (attention_ != power_on_occurred) attention_ = reset_occurred;
  }

  /// Stores a burst of a write, as the faults in `of` have it.
  void store(Time now, const Outcome& of, std::uint64_t offset, const content::Content& data);
  /// The last stored write is reported at `reported`, and on the medium at `on_medium`.
  void stored_until(Time reported, Time on_medium);
  /// A burst of a read, from `offset` of the medium on, as delivered.
  content::Content deliver(const Outcome& of, std::uint64_t offset, const content::Content& data);
  /// The run ends: applies the power losses up to now.
  void settle(Time now) { lose_power(now, false); }

  using Ranges = boost::icl::interval_set<std::uint64_t>;
  /// Ranges of bytes that passed as good and are wrong; a range on the medium counts until it is written again.
  const Ranges& silently_wrong() const { return wrong_; }
  /// Ranges whose writes were reported and lost with the power.
  const Ranges& lost_with_power() const { return lost_; }
  /// All ranges that have ever been wrong, even if written again since: parity may have used the wrong data.
  const Ranges& once_wrong() const { return once_; }
  const Ranges& delivered_wrong() const { return delivered_; }

 private:
  using Range = Ranges::interval_type;
  bool lose_power(Time now, bool command);
  void note(Ranges& in, std::uint64_t first, std::uint64_t end) {
    in.add(Range::right_open(first, end));
    once_.add(Range::right_open(first, end));
  }

  struct Unsafe {
    Time on_medium;  // Time::max() while its command is under way
    std::uint64_t offset;
    content::Content before;
  };

  Medium& medium_;
  const std::uint32_t sector_bytes_;
  faults::FaultsOf<FaultEffects> faults_;
  std::vector<Ranges> mended_;  // by medium error: sectors
  bool hung_ = false;
  std::uint64_t attention_ = 0;  // the condition that the next command reports; 0: none
  Time ready_{}, reported_{};
  std::deque<Unsafe> unsafe_;  // writes that may not be on the medium; kept if power can be lost
  Ranges wrong_, lost_, once_, delivered_;
};

}  // namespace sunstar::disk
