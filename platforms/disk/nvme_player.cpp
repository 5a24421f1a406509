// SPDX-License-Identifier: MIT
#include "platforms/disk/nvme_player.h"

namespace sunstar::disk_platform {

/// Submits the request, or the read of the next sector that must come before it.
void NvmePlayer::submit(Asked asked, Time now) {
  const Request& r = asked.outcome.request;
  const bool before = asked.reads > 0, write = r.write && !before;
  asked.command = commands_.submit(now, r.stream, write, before ? r.partial[r.partial.size() - asked.reads] : r.lbn,
                                   before ? 1 : r.sectors);
  ++(write ? asked.outcome.writes : asked.outcome.reads);
  under_way_.emplace(asked.command.at, asked);
}

void NvmePlayer::play(Pacer& pacer, const RequestEnded& ended) {
  const nvme::DriveParams& drive = device_.drive().params();
  const std::size_t most = std::size_t{drive.queues} * (drive.queue_depth - 1);
  Time now{};
  while (pacer.more() || !under_way_.empty()) {
    const bool full = under_way_.size() == most;
    if (under_way_.empty() || (!full && pacer.due() < under_way_.begin()->first)) {
      now = std::max(now, pacer.due());
      const Request& r = pacer.next();
      submit({{r}, r.write ? r.partial.size() : 0}, now);
      continue;
    }
    Asked asked = under_way_.extract(under_way_.begin()).mapped();
    now = std::max(now, asked.command.at);
    commands_.seen(asked.command);
    asked.outcome.lost |= asked.command.status != hal::Status::ok;
    if (asked.reads > 0 && !asked.outcome.lost) {
      --asked.reads;
      submit(asked, now);
      continue;
    }
    asked.outcome.ended = asked.command.at;
    pacer.ended(asked.outcome.request, now);
    ended(asked.outcome);
  }
}

}  // namespace sunstar::disk_platform
