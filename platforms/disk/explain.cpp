// SPDX-License-Identifier: MIT
#include "platforms/disk/explain.h"

#include "platforms/kit/explain/explanation.h"

namespace sunstar::disk_platform {
namespace {

std::vector<std::string_view> stages_of_a_request() {
  return {"bus", "disk_overhead", "disk_seek", "disk_rotation", "disk_transfer"};
}

}  // namespace

Explained::Explained(const disk::Drive& drive, DriveWatch& watch)
    : drive_(drive),
      watch_(watch),
      reads_(trails_.requests("read", stages_of_a_request())),
      writes_(trails_.requests("write", stages_of_a_request())) {
  watch.follow(delays_);
  trails_.start(Time{});
}

void Explained::answered(Time at, Time ready) {
  bus_ += at - trail_.at;
  trails_.advance(trail_, at, Stage::bus_data);
  watch_.settle(at);
  const disk::Delay& delay = delays_.explain(drive_, at, ready);
  for (std::size_t s = 0; s < stage_count; ++s) stages_[s] += delay.stages[s];
  heads_.answered(trails_, trail_, delay);
}

void Explained::ended(bool write) {
  const auto spent = [&](Stage s) { return stages_[static_cast<std::size_t>(s)]; };
  (write ? writes_ : reads_)
      .add({bus_, spent(Stage::disk_overhead), spent(Stage::disk_seek), spent(Stage::disk_rotation),
            spent(Stage::disk_transfer)});
}

kit::json::object Explained::explanation(const kit::json::object& statistics, kit::ConstRef config) const {
  auto why = kit::explanation(trails_, trail_, statistics, 1);
  kit::add_advice(why, config);
  return why;
}

}  // namespace sunstar::disk_platform
