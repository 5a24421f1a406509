// SPDX-License-Identifier: MIT
#include "platforms/machine/report/records.h"

#include "platforms/kit/json_text.h"

namespace sunstar::machine {

namespace {

/// A field of CSV (RFC 4180).
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string seconds_text(Time t) { return kit::number_text(seconds(t)); }

}  // namespace

Records::Records(const workload::Workload& workload) : files_(workload.files()) {
  const auto teams = workload.teams();
  for (std::uint32_t t = 0; t < teams.size(); ++t) job_of_.insert(job_of_.end(), teams[t].processors, t);
}

void Records::add(const workload::Ended& ended) {
  text_ += std::to_string(job_of_.at(ended.processor)) + ',' + std::to_string(ended.units) + ',' +
           std::to_string(ended.processor) + ',';
  if (const requests::Access* call = ended.call)
    text_ += std::string(call->operation == requests::Operation::read ? "read," : "write,") +
             field(files_.at(call->file).name) + ',' + std::to_string(call->offset) + ',';
  else text_ += ",,,";
  if (ended.bytes > 0) text_ += std::to_string(ended.bytes);
  text_ += ',' + seconds_text(ended.start) + ',' + seconds_text(ended.end) + '\n';
}

}  // namespace sunstar::machine
