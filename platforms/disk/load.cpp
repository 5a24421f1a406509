// SPDX-License-Identifier: MIT
#include "platforms/disk/load.h"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <map>
#include <sstream>

#include "sw/workload/trace/csv.h"

namespace sunstar::disk_platform {
namespace {

constexpr std::uint64_t trace_block = 512;  // bytes
constexpr std::uint64_t most_blocks = 1 << 20, last_block = INT64_MAX / trace_block;

/// Takes the lines of a file.
class Lines {
 public:
  Lines(const WorkloadParams& load, std::uint64_t sectors, std::uint64_t sector_bytes)
      : arrivals_(load.kind.if_is<ArrivalsParams>()),
        trace_(load.kind.if_is<TraceParams>()),
        file_((arrivals_ ? arrivals_->trace : trace_->trace).string()),
        limit_(load.requests),
        sectors_(sectors),
        sector_bytes_(sector_bytes) {
    const std::string text = workload::read_text(file_, "a trace of requests");
    std::size_t first = 0;  // the first line that is no comment
    while (text[first] == '#') first = std::min(text.find('\n', first), text.size() - 1) + 1;
    const std::string header = text.substr(first, text.find('\n', first) - first);
    const bool table = header.find(',') != std::string::npos;
    if ((arrivals_ || table) && header.find("t_ms") == std::string::npos)
      throw ConfigError(file_, ": it is no table with t_ms, lbn, sectors and op; sunstar trace import ", file_,
                        " --output TABLE.csv makes one of other block traces.");
    if (arrivals_ || table) read_table();
    else read_words(text);
    if (all_.empty()) throw ConfigError(file_, ": there are no requests in this file.");
    if (all_.size() < limit_)
      throw ConfigError("workload.requests is ", limit_, "; ", file_, " has ", all_.size(),
                        ", and 0 means all of them.");
  }
  std::vector<Request> take() { return std::move(all_); }

 private:
  void read_table();
  void read_words(const std::string& text);
  void think_between();
  template <class... Parts>
  [[noreturn]] void fail(std::uint64_t line, const Parts&... sentence) const {
    throw ConfigError(file_, ":", line, ": ", sentence..., ".");
  }
  bool more() const { return limit_ == 0 || all_.size() < limit_; }
  void add(Request r, std::uint64_t first, std::uint64_t blocks, std::uint64_t line);

  const ArrivalsParams* const arrivals_;
  const TraceParams* const trace_;
  const std::string file_;
  const std::uint64_t limit_, sectors_, sector_bytes_;
  std::vector<Request> all_;
};

void Lines::add(Request r, std::uint64_t first, std::uint64_t blocks, std::uint64_t line) {
  const std::uint64_t in_all = sectors_ * (sector_bytes_ / trace_block);
  if (first > in_all || blocks > in_all - first)
    fail(line, "blocks ", first, " + ", blocks, " go beyond the last one, ", in_all - 1,
         "; sunstar trace import --volume ", in_all * trace_block, " maps them");
  const std::uint64_t from = first * trace_block, to = (first + blocks) * trace_block;
  r.lbn = from / sector_bytes_;
  r.sectors = static_cast<std::uint32_t>((to - 1) / sector_bytes_ + 1 - r.lbn);
  if (from % sector_bytes_ != 0) r.partial.push_back(r.lbn);
  const std::uint64_t last = r.lbn + r.sectors - 1;
  if (to % sector_bytes_ != 0 && (r.partial.empty() || last != r.lbn)) r.partial.push_back(last);
  all_.push_back(std::move(r));
}

void Lines::read_words(const std::string& text) {
  std::istringstream lines(text);
  const auto blank = boost::is_any_of(" \t\r");
  std::vector<std::string> words;
  std::uint64_t number = 0;
  for (std::string line; more() && std::getline(lines, line);) {
    ++number;
    boost::trim_if(line, blank);
    if (line.empty() || line.starts_with('#')) continue;
    boost::split(words, line, blank, boost::token_compress_on);
    if (words.size() != 6)
      fail(number, "the line has ", words.size(), words.size() == 1 ? " word" : " words",
           "; it must have six: R or W, a word, block number, blocks, response and think time in us");
    std::uint64_t block = 0, blocks = 0;
    double response = 0, think = 0;
    if (words[0] != "R" && words[0] != "W") fail(number, in_quotes(words[0]), " is not allowed; it must be R or W");
    if (!is_number(words[2], block) || block > last_block)
      fail(number, "the block number is ", in_quotes(words[2]), "; it must be a whole number from 0 to ", last_block);
    if (!is_number(words[3], blocks) || blocks == 0 || blocks > most_blocks)
      fail(number, "the number of blocks is ", in_quotes(words[3]),
           "; it must be a whole number between 1 and 1048576");
    for (auto [word, into, what] : {std::tuple{words[4], &response, "response"}, {words[5], &think, "think"}})
      if (!is_number(word, *into) || !(*into >= 0 && *into <= 1e12))
        fail(number, "the ", what, " time is ", in_quotes(word),
             "; it must be a number of microseconds from 0 to 1000000000000");
    Request r;
    r.write = words[0] == "W";
    r.measured = Duration{std::llround(response * 1e6)};
    r.think = Duration{std::llround(think * 1e6)};
    add(std::move(r), block, blocks, number);
  }
}

void Lines::read_table() {
  enum Column { t_ms, lbn, sectors, op, device, response_ms, think_ms };
  constexpr double latest_ms = 9e9;  // simulated time is a count of picoseconds with 63 bits
  const auto optional = [](const char* name) { return workload::CsvReader::Column(name, false); };
  workload::CsvReader lines(
      file_, {"t_ms", "lbn", "sectors", "op", optional("device"), optional("response_ms"), optional("think_ms")});
  const double scale = arrivals_ ? arrivals_->time_scale : 1;
  std::map<std::string, std::uint32_t, std::less<>> streams;
  const auto time = [&](Column c) {
    const bool there = lines.has(c) && !lines.field(c).empty();
    return there ? Duration{std::llround(std::min(lines.time(c), latest_ms) * 1e9)} : Duration{0};
  };
  while (more() && lines.next()) {
    Request r;
    const double ms = lines.time(t_ms) * scale;
    if (ms > latest_ms)
      fail(lines.line(),
           "the time is beyond 9000000 s, the most that can be counted; sunstar trace import counts from the first "
           "request");
    r.arrives = Time{Duration{std::llround(ms * 1e9)}};
    if (!all_.empty() && r.arrives < all_.back().arrives)
      fail(lines.line(), "the time is earlier than that of the request before it; sunstar trace import sorts them");
    const std::uint64_t first = lines.integer(lbn, last_block), blocks = lines.integer(sectors, most_blocks);
    if (blocks == 0) lines.refuse(sectors, "a whole number of at least 1");
    if (lines.field(op) != "R" && lines.field(op) != "W") lines.refuse(op, "R or W");
    r.write = lines.field(op) == "W";
    if (lines.has(device)) {
      auto stream = streams.find(lines.field(device));
      if (stream == streams.end()) stream = streams.emplace(lines.field(device), streams.size()).first;
      r.stream = stream->second;
    }
    r.measured = time(response_ms);
    r.think = time(think_ms);
    add(std::move(r), first, blocks, lines.line());
  }
  const bool measured = std::ranges::any_of(all_, [](const Request& r) { return r.measured > Duration{}; });
  if (lines.has(think_ms) || !trace_ || trace_->think_scale == 0 || all_.empty()) return;
  if (!measured)
    throw ConfigError(file_,
                      ": it has neither think times (think_ms) nor response times (response_ms); "
                      "workload.think_scale=0 plays it as fast as possible, workload.kind=arrivals at its times.");
  think_between();
}

/// Makes think times of the times from the end of a request to the next one of its stream.
void Lines::think_between() {
  std::map<std::uint32_t, Request*> last;
  for (Request& r : all_) {
    Request*& before = last[r.stream];
    if (before) before->think = std::max(Duration{}, r.arrives - before->arrives - before->measured);
    before = &r;
  }
}

}  // namespace

std::vector<Request> read_requests(const WorkloadParams& load, std::uint64_t sectors, std::uint64_t sector_bytes) {
  std::vector<Request> all = Lines(load, sectors, sector_bytes).take();
  if (const auto* arrivals = load.kind.if_is<ArrivalsParams>()) {
    if (arrivals->operations == Operations::as_recorded) return all;
    for (Request& r : all) r.write = arrivals->operations == Operations::writes;
    return all;
  }
  const auto& trace = load.kind.as<TraceParams>();
  std::map<std::uint32_t, Request*> last;
  if (trace.think_before == ThinkBefore::own_request)
    for (Request& r : all) {
      if (Request*& before = last[r.stream]; before) before->think = r.think;
      last[r.stream] = &r;
    }
  if (trace.think_scale != 1)
    for (Request& r : all) r.think = Duration{std::llround(static_cast<double>(r.think.count()) * trace.think_scale)};
  return all;
}

SyntheticLoad::SyntheticLoad(const SyntheticParams& params, std::uint64_t drive_sectors, std::uint64_t sector_bytes,
                             std::uint64_t seed)
    : params_(params),
      unit_(std::max<std::uint64_t>(1, params.alignment.count / sector_bytes)),
      size_(static_cast<std::uint32_t>(std::max<std::uint64_t>(1, params.size.count / sector_bytes))),
      local_(static_cast<std::int64_t>(params.local_distance.count / sector_bytes)),
      random_(seed, "workload") {
  const auto span = static_cast<std::uint64_t>(std::llround(params.span * static_cast<double>(drive_sectors)));
  span_ = std::max(std::min(span, drive_sectors), std::min<std::uint64_t>(drive_sectors, size_));
  if (size_ > span_)
    throw ConfigError("workload.size is ", params.size.count, "B; the drive has ", drive_sectors * sector_bytes, "B.");
}

double SyntheticLoad::exponential() { return -std::log1p(-random_.uniform()); }

std::uint32_t SyntheticLoad::draw_sectors() {
  if (params_.size_spread == Spread::fixed) return size_;
  const auto units = static_cast<std::uint64_t>(std::ceil(exponential() * size_ / static_cast<double>(unit_)));
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(units * unit_, 1, std::min<std::uint64_t>(span_, std::uint64_t{64} * size_)));
}

Request SyntheticLoad::next() {
  Request r;
  r.sectors = draw_sectors();
  const disk::Lbn after = last_.lbn + last_.sectors;
  if (params_.sequential_share > 0 && last_.sectors > 0 && random_.uniform() < params_.sequential_share) {
    r.write = last_.write;
    r.lbn = after + r.sectors <= span_ ? after : 0;
  } else {
    r.write = random_.uniform() >= params_.read_share;
    if (params_.local_share > 0 && last_.sectors > 0 && random_.uniform() < params_.local_share) {
      const auto most = static_cast<std::int64_t>(span_ - r.sectors), before = static_cast<std::int64_t>(last_.lbn);
      const std::int64_t low = std::clamp<std::int64_t>(before - local_, 0, most);
      const std::int64_t high = std::min(before + local_, most);
      r.lbn = static_cast<disk::Lbn>(low) + random_.below(static_cast<std::uint64_t>(high - low) + 1);
    } else {
      r.lbn = random_.below(span_ - r.sectors + 1);
    }
    r.lbn -= r.lbn % unit_;
  }
  r.think = params_.think_spread == Spread::fixed
                ? params_.think_time
                : Duration{std::llround(static_cast<double>(params_.think_time.count()) * exponential())};
  return last_ = r;
}

}  // namespace sunstar::disk_platform
