// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "platforms/kit/json_text.h"
#include "sw/workload/run_record.h"
#include "sw/workload/workload.h"

namespace sunstar::machine {

/// A field of CSV (RFC 4180).
inline std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

inline std::string seconds_text(Time t) { return kit::number_text(seconds(t)); }

/// A line of CSV for each call or collective, in the order in which they ended. The columns are those of a trace, and
/// before them the application (`job`) and how many calls were carried out as one (`calls`). A collective, a message of
/// streams or a request for many forks has no file: the file's fields are empty then, and so is the length of a
/// collective.
class Records {
 public:
  /// The workload must live as long.
  explicit Records(const workload::Workload& workload) : files_(workload.files()) {
    const auto teams = workload.teams();
    for (std::uint32_t t = 0; t < teams.size(); ++t) job_of_.insert(job_of_.end(), teams[t].processors, t);
  }

  void add(const workload::Ended& ended) {
    text_ += concat(job_of_.at(ended.processor), ',', ended.units, ',', ended.processor, ',');
    if (const requests::Access* call = ended.call)
      text_ += concat(call->operation == requests::Operation::read ? "read," : "write,",
                      field(files_.at(call->file).name), ',', call->offset, ',');
    else text_ += ",,,";
    if (ended.bytes > 0) text_ += std::to_string(ended.bytes);
    text_ += ',' + seconds_text(ended.start) + ',' + seconds_text(ended.end) + '\n';
  }

  const std::string& text() const { return text_; }

 private:
  const std::vector<workload::FileSpec>& files_;
  std::vector<std::uint32_t> job_of_;  // by processor
  std::string text_ = "job,calls,rank,op,file,offset,length,start_s,end_s\n";
};

}  // namespace sunstar::machine
