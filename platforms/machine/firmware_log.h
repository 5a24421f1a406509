// SPDX-License-Identifier: MIT
#pragma once
#include "models/kernel/event_log.h"
#include "sw/os/os.h"

namespace sunstar::machine {

/// Tells in an event log what the firmware of one node does: with `debug` its interrupt handlers and what happens to
/// blocks of files, with `trace` its threads.
class FirmwareLog final : public os::Observer {
 public:
  FirmwareLog(EventLog& log, os::Os& os);

  void ready(os::Thread&) override;
  void runs(os::Thread&) override;
  void waits(os::Thread&, const char* what) override;
  void ends(os::Thread&) override;
  void sends(os::Thread&, hal::RequestId) override {}  // the interface tells of messages
  void serves(os::Thread&, hal::RequestId) override {}
  void interrupt_begins(const char* name, hal::RequestId) override;
  void interrupt_ends(Time end) override;
  void notes(const char* what, std::uint64_t file, std::uint64_t block) override;

 private:
  void tell(const os::Thread&, std::string_view before, std::string_view after = {});

  EventLog& log_;
  EventLog::Instance node_;
  Time handlers_end_{};
};

}  // namespace sunstar::machine
