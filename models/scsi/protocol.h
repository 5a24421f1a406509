// SPDX-License-Identifier: MIT
#pragma once
#include <tlm>

#include "models/disk/drive.h"
#include "models/disk/drive_faults.h"

// Initiator, bus and targets exchange one TLM-2.0 payload for each command, with the phases of SCSI as TLM phases.
// Times are annotated: a call gives the end of its phase, which may be later than now. A payload with
// TLM_IGNORE_COMMAND is SYNCHRONIZE CACHE. The way of a command:
//   initiator -> bus   fw  arbitration       a command wants the bus
//   bus -> initiator   bw  selection         it has won; the target is selected at the annotated time
//   bus -> target      fw  command, end      the command has arrived; the target answers with what comes next:
//                          disconnect          it will be back
//                          data, begin         a burst (Transaction::burst_*) crosses from then on
//                          status, begin       the command ends
//   bus -> initiator   bw  data, begin       before the bytes of a write are taken, after those of a read are there
//   bus -> target      fw  data, end         the burst has crossed; answered like fw command
//   target -> bus      bw  arbitration       the target wants to come back
//   bus -> target      fw  reselection, end  it is back; answered like fw command
//   bus -> initiator   bw  status            at the very end: the command is complete
//
// A missing target answers fw command with `silence`: the selection times out, and the command ends with that failure.
// A target that hangs disconnects and does not come back. If the bus hangs, the connection lasts until a reset. Then
// the initiator helps itself (Transaction::help): abort and device_reset are payloads that are sent like commands and
// end with their own status; bus_reset needs no arbitration and ends every command on the bus; every target gets fw
// reset, the initiator bw reset.
namespace sunstar::scsi {

namespace phase {
DECLARE_EXTENDED_PHASE(arbitration);
DECLARE_EXTENDED_PHASE(selection);
DECLARE_EXTENDED_PHASE(command);
DECLARE_EXTENDED_PHASE(disconnect);
DECLARE_EXTENDED_PHASE(reselection);
DECLARE_EXTENDED_PHASE(data);
DECLARE_EXTENDED_PHASE(status);
DECLARE_EXTENDED_PHASE(silence);
DECLARE_EXTENDED_PHASE(reset);
}  // namespace phase

enum class Failing : std::uint8_t {
  check_condition,  ///< the target names the fault
  no_selection,     ///< the target does not answer
  aborted,          ///< the initiator has ended it
  reset             ///< a reset has ended it
};
struct Failure {
  Failing how = Failing::check_condition;
  disk::SenseKey key = disk::SenseKey::none;
  disk::Lbn information = 0;  ///< the first block in error, of a medium error
  std::string sense;          ///< in a sentence
};

/// An initiator's help for a command that does not end.
enum class Help : std::uint8_t { none, abort, device_reset, bus_reset };

/// The SCSI part of a payload: the target, the blocks, and the burst in flight.
struct Transaction : tlm::tlm_extension<Transaction> {  // NOLINT(bugprone-exception-escape): a sentence may be moved
  std::uint32_t target = 0;
  disk::Lbn lbn = 0;
  std::uint32_t sectors = 0;
  content::Content burst;          ///< the data in flight; the payload has no data pointer
  std::uint32_t burst_offset = 0;  ///< bytes from the start of the command's data
  std::uint32_t burst_bytes = 0;
  Duration burst_least{0};    ///< least time that the drive's interface, or its rig, needs for the burst
  Duration burst_extra{0};    ///< burst_least less the bus's time for the burst
  bool parity_error = false;  ///< the target does not store the burst
  std::optional<Failure> failure;
  Help help = Help::none;      ///< set unless it is a command
  disk::RequestTiming timing;  ///< set with the status
  void* owner = nullptr;       ///< the initiator's own record of the command
  std::uint32_t request = 0;   ///< for observers

  tlm_extension_base* clone() const override { return new Transaction(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const Transaction&>(other); }
};

}  // namespace sunstar::scsi
