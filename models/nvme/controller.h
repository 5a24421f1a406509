// SPDX-License-Identifier: MIT
#pragma once
#include <tlm_utils/passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

#include "models/kernel/busy_share.h"
#include "models/kernel/payload.h"
#include "models/kernel/probe.h"
#include "models/kernel/timetable.h"
#include "models/nvme/device.h"

namespace sunstar::nvme {

/// Chooses the submission queue of a controller's next command: round-robin, one command at a time (NVM Express 1.4,
/// command arbitration).
class Arbiter {
 public:
  struct Waiting {
    Time there;            ///< when its entry is at the controller; a queue's entries arrive in order
    std::uint32_t slot;    ///< the controller's slot for it
    std::uint64_t number;  ///< the command's number, which the slot has as well
  };

  explicit Arbiter(std::uint32_t queues) : queues_(queues) {}

  void add(std::uint32_t queue, const Waiting& command) { queues_[queue].push_back(command); }
  /// Takes out the next command: among the commands there at `now`, or else among the earliest to come. Nothing if none
  /// waits.
  std::optional<Waiting> take(Time now) {
    std::optional<std::size_t> next;
    Time best = Time::max();
    for (std::size_t i = 0; i < queues_.size(); ++i) {
      const std::size_t q = (turn_ + i) % queues_.size();
      if (queues_[q].empty()) continue;
      if (const Time there = std::max(now, queues_[q].front().there); !next || there < best) {
        next = q;
        best = there;
      }
    }
    if (!next) return {};
    turn_ = (*next + 1) % queues_.size();
    return take_first(queues_[*next]);
  }
  bool empty() const {
    return std::ranges::all_of(queues_, [](const auto& queue) { return queue.empty(); });
  }

 private:
  std::vector<std::deque<Waiting>> queues_;
  std::size_t turn_ = 0;  // the queue to be asked first
};

/// Reports the commands of one drive: in the log, their beginning and end; on tracks, each command from the doorbell to
/// the interrupt, with its way through controller, flash and link; in the waves, the number in flight. Extends their
/// paths through the drive.
class CommandProbe {
 public:
  /// `leaf`: the drive's name in its group, where its tracks begin at `place`.
  CommandProbe(const Probe& probe, const Device& device, const std::string& leaf, const std::string& group,
               std::uint32_t place);

  void begins(const Entry& entry);
  void helps(const Entry& entry);
  /// The command's data have crossed the link, and reach their place `late` afterwards.
  void moved(const Entry& entry, Duration late);
  void ends(const Entry& entry, const Course& course);

 private:
  struct Command {
    Path path{};
    Duration late{};
    std::uint32_t lane = 0;
  };

  Probe probe_;
  const Device& device_;
  std::string leaf_, group_;
  std::uint32_t place_;
  Reporter report_;
  Path help_{};  // the path to the last abort or reset
  Level under_way_;
  Rate rate_;
  Lanes lanes_;
  std::vector<Reporter> tracks_;  // by lane
  std::map<const Entry*, Command> commands_;
  RequestTimes *reads_ = nullptr, *writes_ = nullptr, *flushes_ = nullptr;
};

/// An NVMe drive at the end of its PCI Express link, with its controller. The host writes an entry to `doorbells`: a
/// command, an abort, or a reset, which stands for a reset by the controller's registers. The controller masters the
/// bus through `memory`: it fetches the entry, moves the data when they cross the link, and writes the completion; then
/// it interrupts. Commands run side by side and end in any order. Device works out a command's course in the drive when
/// the doorbell rings, so a command takes two alarms; with several submission queues it does so at the command's turn,
/// once the command before is decoded (Arbiter).
///
/// A drive that hangs or is dead completes nothing. A reset ends all commands with Status::aborted; if the drive is
/// dead, the host finds it gone. A loss of power ends the commands in flight.
class Controller : public sc_core::sc_module, private Timetable::Alarm {
 public:
  tlm_utils::passthrough_target_socket<Controller> doorbells{"doorbells"};
  tlm_utils::simple_initiator_socket<Controller> memory{"memory"};

  /// Throws ConfigError if the parameters describe no drive.
  Controller(const sc_core::sc_module_name& name, const DriveParams& params, std::uint64_t seed, Timetable& timetable);
  /// Connects a host with this many pairs of queues.
  void connect(Host& host, std::uint32_t queues = 1);

  Device& device() { return device_; }
  const Device& device() const { return device_; }
  /// Bytes of data and queue entries that the controller has moved between the drive and the host's memory.
  std::uint64_t bytes() const { return bytes_; }

  /// Figures of the drive under "<name>.".
  void register_statistics(StatisticSet& set);
  /// Reports commands from the doorbell to the interrupt, and their number.
  void probe(const Probe&, const std::string& group, std::uint32_t place);

 private:
  struct Slot {
    explicit Slot(std::uint32_t i) : index(i) {}
    const std::uint32_t index;
    Entry* entry = nullptr;  // null: the slot is free
    std::uint64_t number = 0;
    Course course{};
    bool moved = false;  // its data have moved, or it has none
  };
  /// A step: of a slot's command, if the slot still has it; or of the host's help; or, with neither, the next command's
  /// turn.
  struct Step {
    Time at;
    std::uint64_t turn;
    Slot* slot;
    std::uint64_t number;  // of the slot
    Entry* help;
    bool operator>(const Step& other) const { return at != other.at ? at > other.at : turn > other.turn; }
  };

  void ring_doorbell(tlm::tlm_generic_payload&, sc_core::sc_time&);
  void submit(Entry& entry);
  void carry_out(Slot& slot, std::optional<Time> there = {});
  void arbitrate();
  void ring() override;
  void plan(Time at, Slot* slot, Entry* help = nullptr);
  void go_on(Slot& slot);
  void help(Entry& entry);
  void move_data(Slot& slot);
  void end(Slot& slot, Status status);
  void end_all(Status status);
  void pass_entry(std::uint32_t bytes);

  Device device_;
  Host* host_ = nullptr;
  std::deque<Slot> slots_;
  std::vector<Slot*> free_;
  std::priority_queue<Step, std::vector<Step>, std::greater<>> steps_;
  std::uint64_t commands_ = 0, turns_ = 0, bytes_ = 0;
  std::uint32_t under_way_ = 0;
  std::optional<Arbiter> arbiter_;  // between several queues
  Time decoded_{};                  // when the last command is decoded
  bool arbitrates_ = false;         // the next arbitration, at decoded_, is scheduled
  ContentPayload payload_;
  tlm::tlm_generic_payload entry_payload_;

  Time busy_since_{};  // if commands are in flight
  BusyTime busy_;      // before that
  BusyShare share_, dies_share_, to_host_share_, to_drive_share_;
  std::unique_ptr<CommandProbe> probe_;
};

}  // namespace sunstar::nvme
