// SPDX-License-Identifier: MIT
#include "platforms/disk/nvme_commands.h"

#include "models/node/nvme_host.h"

namespace sunstar::disk_platform {

NvmeCommands::Ended NvmeCommands::submit(Time now, std::uint32_t queue, bool write, std::uint64_t lbn,
                                         std::uint32_t sectors) {
  if (now >= reset_due_) {
    device_.faults().reset();
    last_reset_ = std::exchange(reset_due_, Time::max());
  }
  const nvme::DriveParams& drive = device_.drive().params();
  const std::uint64_t bytes = sectors * drive.sector_size.count;
  const nvme::Command command{queue % drive.queues, write ? nvme::Operation::write : nvme::Operation::read, lbn,
                              sectors};
  // No bytes move here: writes write zeros.
  const auto done = device_.submit(now, command);
  const bool succeeds = done && done->status == nvme::Status::success;
  if (succeeds && write)
    device_.write(now, command, *done,
                  content::Content(content::Piece{content::Source::zero, static_cast<std::uint32_t>(bytes), 0}));
  if (succeeds && !write && device_.what_is_wrong()) {
    content::Content delivered;
    device_.read(command, *done, delivered);
  }
  Ended how{write, hal::Status::no_device, lbn, now, now + limit_};
  if (done && done->at <= how.at) {
    how.at = done->at;
    how.status = node::status_of(done->status);
  }
  if (succeeds) told_.add(write, bytes);
  if (done && done->status == nvme::Status::unrecovered_read_error) told_.add(false, drive.sector_size.count);
  return how;
}

// Jobs look ahead to different times: the reset comes in its turn, and ends all earlier commands.
void NvmeCommands::seen(const Ended& command) {
  if (command.status == hal::Status::no_device && device_.what_is_wrong() && command.submitted >= last_reset_)
    reset_due_ = std::min(reset_due_, command.at);
}

}  // namespace sunstar::disk_platform
