// SPDX-License-Identifier: MIT
#include "models/nvme/drive_params.h"

namespace sunstar::nvme {

Bandwidth LinkParams::data_rate() const {
  constexpr double transfers[] = {2.5e9, 5e9, 8e9, 16e9, 32e9};
  constexpr std::uint64_t framing = 24;
  const double coding = generation <= 2 ? 8. / 10 : 128. / 130;
  const auto data = static_cast<double>(payload.count);
  return {transfers[generation - 1] / 8 * coding * lanes * data / (data + framing)};
}

void check(const DriveParams& p, const std::string& path, Problems& problems) {
  const auto multiple = [&](const char* key, Bytes size) {
    if (size.count % p.sector_size.count != 0)
      problems.add(json_path(path, key), "is " + std::to_string(size.count) + "B; it must be a multiple of " +
                                             json_path(path, "sector_size") + ", " +
                                             std::to_string(p.sector_size.count) + "B");
  };
  multiple("page_size", p.page_size);
  if (p.write_buffer < p.drain_size)
    problems.add(json_path(path, "write_buffer"),
                 "is " + std::to_string(p.write_buffer.count) + "B; it must hold the bytes that drain at a time, " +
                     json_path(path, "drain_size") + ", " + std::to_string(p.drain_size.count) + "B");
}

}  // namespace sunstar::nvme
