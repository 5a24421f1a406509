// SPDX-License-Identifier: MIT
#include "platforms/machine/firmware_log.h"

#include <algorithm>
#include <string>

#include "models/kernel/sc_time_bridge.h"

namespace sunstar::machine {

FirmwareLog::FirmwareLog(EventLog& log, os::Os& os) : log_(log), node_(log.instance(os.node().name())) {}

void FirmwareLog::tell(const os::Thread& t, std::string_view before, std::string_view after) {
  if (!log_.tells(LogLevel::trace)) return;
  log_.event(node_, LogLevel::trace, now(), std::string("thread ").append(t.name()).append(before).append(after), {},
             t.request());
}

void FirmwareLog::ready(os::Thread& t) { tell(t, " is ready"); }
void FirmwareLog::runs(os::Thread& t) { tell(t, " runs"); }
void FirmwareLog::waits(os::Thread& t, const char* what) {
  if (what) tell(t, " waits for ", what);
  else tell(t, " gives way");
}
void FirmwareLog::ends(os::Thread& t) { tell(t, " ends"); }

void FirmwareLog::interrupt_begins(const char* name, hal::RequestId request) {
  if (!log_.tells(LogLevel::debug)) return;
  log_.event(node_, LogLevel::debug, std::max(now(), handlers_end_), std::string("interrupt ") + name, {}, request);
}
void FirmwareLog::interrupt_ends(Time end) {
  handlers_end_ = end;
  log_.event(node_, LogLevel::debug, end, "end of the interrupt");
}

void FirmwareLog::notes(const char* what, std::uint64_t file, std::uint64_t block) {
  if (!log_.tells(LogLevel::debug)) return;
  log_.event(node_, LogLevel::debug, now(), std::string("cache: ") + what, {{"file", file}, {"block", block}});
}

}  // namespace sunstar::machine
