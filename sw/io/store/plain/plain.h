// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <utility>

#include "models/core/param.h"
#include "sw/io/store/store.h"

namespace sunstar::io::plain {

struct Params {
  static constexpr std::string_view kind = "plain";
  static constexpr std::string_view help = "each drive is a unit: what is lost with it is lost";
};

/// A store without redundancy: each drive is a unit.
class Plain final : public Store {
 public:
  explicit Plain(std::vector<Drive> drives)
      : Store(drives.front().bytes->shape().sector_bytes), drives_(std::move(drives)) {
    for (const Drive& drive : drives_) units_.push_back(drive.place);
  }
  RawDisk& raw(std::uint32_t unit) override { return *drives_[unit].bytes; }
  StoreServer& serve(std::uint32_t, messages::Endpoint&, DiskDrivers& drivers) override { return drivers; }

 private:
  const std::vector<Drive> drives_;
};

inline std::unique_ptr<Store> make(const Params&, std::vector<Drive> drives) {
  return std::make_unique<Plain>(std::move(drives));
}

}  // namespace sunstar::io::plain
