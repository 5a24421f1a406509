// SPDX-License-Identifier: MIT

#include "models/scsi/bus_params.h"

namespace sunstar::scsi {

void check(const BusParams& p, const std::string& path, Problems& problems) {
  const auto fault = [&](const char* key, const std::string& what) { problems.add(json_path(path, key), what); };
  if (!(p.data_rate.bytes_per_second > 0) || !std::isfinite(p.data_rate.bytes_per_second))
    fault("data_rate", "must be positive");
  if (p.command_bytes < 6 || p.command_bytes > 16)
    fault("command_bytes", "is " + std::to_string(p.command_bytes) + "; a SCSI command has 6 to 16 bytes");
  check_not_negative(p, path, problems);
}

std::uint32_t Arbiter::grant() {
  assert(!waiting_.empty());
  const auto before = [this](const Waiting& a, const Waiting& b) {
    const auto rank_a = arbitration_rank(scsi_id(a.device)), rank_b = arbitration_rank(scsi_id(b.device));
    if (policy_ == Arbitration::fair) return std::tuple{a.since, rank_a} < std::tuple{b.since, rank_b};
    return rank_a < rank_b;
  };
  const auto winner = std::min_element(waiting_.begin(), waiting_.end(), before);
  const std::uint32_t device = winner->device;
  waiting_.erase(winner);
  return device;
}

}  // namespace sunstar::scsi
