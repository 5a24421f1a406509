// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <tlm>

#include "models/core/content/content.h"
#include "models/disk/drive.h"

// What travels between initiator, bus and targets: one TLM-2.0 payload for each command, with the phases of SCSI as TLM
// phases. Times are annotated: a call says when its phase ends, which may be later than now.
//
// A payload with TLM_IGNORE_COMMAND is SYNCHRONIZE CACHE.
//
// The way of a command:
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
namespace sunstar::scsi {

namespace phase {
DECLARE_EXTENDED_PHASE(arbitration);
DECLARE_EXTENDED_PHASE(selection);
DECLARE_EXTENDED_PHASE(command);
DECLARE_EXTENDED_PHASE(disconnect);
DECLARE_EXTENDED_PHASE(reselection);
DECLARE_EXTENDED_PHASE(data);
DECLARE_EXTENDED_PHASE(status);
}  // namespace phase

/// The SCSI part of a payload: which target, which blocks, and the burst under way.
struct Transaction : tlm::tlm_extension<Transaction> {
  std::uint32_t target = 0;
  disk::Lbn lbn = 0;
  std::uint32_t sectors = 0;
  content::Content burst;          ///< the data under way; the payload has no data pointer
  std::uint32_t burst_offset = 0;  ///< bytes from the start of the command's data
  std::uint32_t burst_bytes = 0;
  Duration burst_least{0};     ///< least time that the drive's interface, or its rig, needs for it
  Duration burst_extra{0};     ///< by how much that is longer than the bus needs
  bool failed = false;         ///< the target has answered CHECK CONDITION
  std::string sense;           ///< why, in a sentence
  disk::RequestTiming timing;  ///< set with the status
  void* owner = nullptr;       ///< the initiator's own record of the command
  std::uint32_t request = 0;   ///< for whoever watches

  tlm_extension_base* clone() const override { return new Transaction(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const Transaction&>(other); }
};

}  // namespace sunstar::scsi
