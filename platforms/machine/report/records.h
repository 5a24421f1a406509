// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "sw/workload/run_record.h"
#include "sw/workload/workload.h"

namespace sunstar::machine {

/// A line of CSV for each call or collective, in the order in which they ended. The columns are those of a trace, and
/// before them the application (`job`) and how many calls were carried out as one (`calls`). A collective, a message of
/// streams or a request for many forks has no file: the file's fields are empty then, and so is the length of a
/// collective.
class Records {
 public:
  /// The workload must live as long.
  explicit Records(const workload::Workload& workload);
  void add(const workload::Ended& ended);
  const std::string& text() const { return text_; }

 private:
  const std::vector<workload::FileSpec>& files_;
  std::vector<std::uint32_t> job_of_;  // by processor
  std::string text_ = "job,calls,rank,op,file,offset,length,start_s,end_s\n";
};

}  // namespace sunstar::machine
