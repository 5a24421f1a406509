// SPDX-License-Identifier: MIT
#include "models/nvme/controller.h"

namespace sunstar::nvme {
namespace {

const char* word_for(const Entry& entry) {
  if (entry.what != Entry::What::command) return entry.what == Entry::What::abort ? "abort" : "reset";
  switch (entry.command.operation) {
    case Operation::read: return "read";
    case Operation::write: return "write";
    case Operation::flush: return "flush";
  }
  return "";
}

}  // namespace

CommandProbe::CommandProbe(const Probe& probe, const Device& device, const std::string& leaf, const std::string& group,
                           std::uint32_t place)
    : probe_(probe),
      device_(device),
      leaf_(leaf),
      group_(group),
      place_(place),
      report_(probe, device.instance()),
      under_way_(Wave(probe, device.instance() + ".commands"), probe.timeline,
                 probe.timeline
                     ? probe.timeline->level(probe.timeline->group(group), leaf + ": commands", device.instance())
                     : 0),
      rate_(probe, group, leaf + ": bytes a second", device.instance()) {
  if (!probe.path) return;
  probe.path->stages = stage_count;
  const auto times = [&](const char* kind) {
    return &probe.path->requests(std::string("NVMe command (") + kind + ")",
                                 {"controller", "flash", "link", "memory", "completion"});
  };
  reads_ = times("read");
  writes_ = times("write");
  flushes_ = times("flush");
}

void CommandProbe::begins(const Entry& entry) {
  Command& c = commands_[&entry] = {};
  if (probe_.path) c.path = probe_.path->current;
  under_way_.step(now(), 1);
  report_.instant(LogLevel::info, now(), word_for(entry),
                  {{"lbn", entry.command.lbn}, {"sectors", entry.command.sectors}}, entry.request);
  if (!probe_.timeline) return;
  c.lane = lanes_.take(now());
  if (c.lane == tracks_.size())
    tracks_.emplace_back(probe_, device_.instance(),
                         probe_.track(group_, leaf_ + ": commands" + (c.lane ? " " + std::to_string(c.lane + 1) : ""),
                                      place_ + c.lane, device_.instance()));
}

void CommandProbe::helps(const Entry& entry) {
  report_.instant(LogLevel::info, now(), word_for(entry));
  if (probe_.path) help_ = probe_.path->current;
}

void CommandProbe::moved(const Entry& entry, Duration late) {
  commands_[&entry].late = late;
  rate_.count(now(), std::uint64_t{entry.command.sectors} * device_.sector_size());
}

void CommandProbe::ends(const Entry& entry, const Course& course) {
  const auto command = commands_.extract(&entry);
  Command& c = command.mapped();
  const Time at = now();
  const Timing& t = course.timing;
  const bool ok = entry.status == Status::success;
  // The planned times of a failed command need not have come true.
  const Time decoded = ok ? t.decoded : at, medium = ok ? std::max(decoded, t.medium) : at,
             crossed = ok ? std::max(medium, t.crossed) : at;
  if (probe_.path) {
    const CriticalPath& paths = *probe_.path;
    // An abort or a reset has ended the command.
    const bool helped = entry.status == Status::aborted || entry.status == Status::host_path_error;
    if (helped && help_.at > c.path.at) c.path = help_;
    paths.advance(c.path, decoded, Stage::nvme_controller);
    paths.advance(c.path, medium, Stage::flash);
    paths.advance(c.path, crossed, Stage::pcie_link);
    paths.advance(c.path, crossed + c.late, Stage::memory);
    paths.advance(c.path, at, Stage::nvme_controller);
    probe_.path->current = probe_.path->last_command = c.path;
    RequestTimes& times = entry.command.operation == Operation::read    ? *reads_
                          : entry.command.operation == Operation::write ? *writes_
                                                                        : *flushes_;
    times.add({decoded - entry.submitted, medium - decoded, crossed - medium, c.late, at - crossed - c.late});
  }
  under_way_.step(at, -1);
  if (ok) report_.instant(LogLevel::info, at, std::string(word_for(entry)) + " ends", {}, entry.request);
  else
    report_.instant(LogLevel::info, at, std::string(word_for(entry)) + " fails: " + std::string(name_of(entry.status)),
                    {{"lbn", entry.information}}, entry.request);
  if (!probe_.timeline) return;
  lanes_.give_back(c.lane, at);
  const Reporter& track = tracks_[c.lane];
  track.span(word_for(entry), entry.submitted, at, {{"lbn", entry.command.lbn}, {"sectors", entry.command.sectors}},
             entry.request);
  if (!ok) return;
  const auto part = [&](const char* name, Time from, Time to) {
    if (to > from) track.span(name, from, to);
  };
  part("controller", entry.submitted, decoded);
  part(entry.command.operation == Operation::write ? "waits for room" : "flash", decoded, medium);
  part("link", medium, crossed);
  part("memory", crossed, crossed + c.late);
  part("completion", crossed + c.late, at);
}

}  // namespace sunstar::nvme
