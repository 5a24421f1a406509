// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <string>
#include <vector>

#include "models/kernel/lanes.h"
#include "models/kernel/probe.h"
#include "models/nvme/device.h"
#include "models/nvme/entry.h"

namespace sunstar::nvme {

/// Reports the commands of one drive: in the log, their beginning and end; on tracks, each command from the doorbell to
/// the interrupt, with its way through controller, flash and link; in the waves, the number in flight. Extends their
/// paths through the drive.
class CommandProbe {
 public:
  /// `leaf`: the drive's name in its group, where its tracks begin at `place`.
  CommandProbe(const Probe& probe, const Device& device, const std::string& leaf, const std::string& group,
               std::uint32_t place);

  void begins(const Entry& entry);
  void helps(const Entry& entry);
  /// The command's data have crossed the link, and reach their place `late` afterwards.
  void moved(const Entry& entry, Duration late);
  void ends(const Entry& entry, const Course& course);

 private:
  struct Command {
    Path path{};
    Duration late{};
    std::uint32_t lane = 0;
  };

  Probe probe_;
  const Device& device_;
  std::string leaf_, group_;
  std::uint32_t place_;
  Reporter report_;
  Path help_{};  // the path to the last abort or reset
  Level under_way_;
  Rate rate_;
  Lanes lanes_;
  std::vector<Reporter> tracks_;  // by lane
  std::map<const Entry*, Command> commands_;
  RequestTimes *reads_ = nullptr, *writes_ = nullptr, *flushes_ = nullptr;
};

}  // namespace sunstar::nvme
