// SPDX-License-Identifier: MIT
#include "models/nvme/device.h"

namespace sunstar::nvme {

Device::Device(const DriveParams& params, std::uint64_t seed, std::string_view name)
    : drive_(params, seed, name), medium_(params.sectors() * params.sector_size.count) {}

disk::DriveFaults& Device::faults() {
  if (!faults_)
    faults_ =
        std::make_unique<disk::DriveFaults>(medium_, static_cast<std::uint32_t>(drive_.params().sector_size.count));
  return *faults_;
}

std::optional<Completion> Device::submit(Time now, const Command& command, content::Content& data) {
  using disk::SenseKey;
  const DriveParams& params = drive_.params();
  if (command.lbn > params.sectors() || command.sectors > params.sectors() - command.lbn)
    return Completion{now + params.latency, SenseKey::illegal_request, command.lbn};
  const bool write = command.operation == Operation::write, moves = command.operation != Operation::flush;
  disk::DriveFaults::Outcome outcome;
  if (faults_) {
    if (faults_->silent(now)) return std::nullopt;
    outcome = faults_->command(now, write, moves, command.lbn, command.sectors, params.read_time);
    if (faults_->silent(now)) return std::nullopt;
  }
  Completion done{now + params.latency, outcome.key, outcome.information};
  if (outcome.key == SenseKey::none) {
    done.at = drive_.submit(now, command);
    const std::uint64_t offset = command.lbn * params.sector_size.count;
    const auto bytes = static_cast<std::uint32_t>(command.sectors * params.sector_size.count);
    if (write && faults_) faults_->store(now, offset, data);
    else if (write) medium_.write(offset, data);
    if (command.operation == Operation::read) {
      content::Content read;
      medium_.read(offset, bytes, read);
      data.append(faults_ ? faults_->deliver(offset, read) : read);
    }
  } else if (outcome.key == SenseKey::medium_error) {
    done.at = drive_.submit(now, {command.queue, Operation::read, outcome.information, 1});
  }
  done.at = now + picoseconds(static_cast<double>((done.at - now).count()) * outcome.slower) + outcome.later;
  if (write && faults_) faults_->stored_until(done.at);
  return done;
}

}  // namespace sunstar::nvme
