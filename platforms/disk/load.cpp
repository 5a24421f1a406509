// SPDX-License-Identifier: MIT
#include "platforms/disk/load.h"

#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/algorithm/string/trim.hpp>
#include <charconv>
#include <sstream>

#include "sw/workload/trace/csv.h"

namespace sunstar::disk_platform {
namespace {

constexpr std::uint64_t trace_block = 512;  // bytes

template <class Number>
bool read_number(std::string_view word, Number& into) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), into);
  return error == std::errc{} && end == word.data() + word.size();
}

/// Checks the number of requests found in the file; the run asks for `limit`.
void check_number(std::size_t found, std::uint64_t limit, const std::string& file) {
  if (found == 0) throw ConfigError(file + ": there are no requests in this file.");
  if (found < limit)
    throw ConfigError("workload.requests is " + std::to_string(limit) + "; " + file + " has " + std::to_string(found) +
                      ", and 0 means all of them.");
}

}  // namespace

std::vector<Request> read_trace(const std::string& file, std::uint64_t drive_sectors, std::uint64_t sector_bytes,
                                std::uint64_t limit) {
  std::istringstream lines(workload::read_text(file, "a trace of requests"));
  const auto blank = boost::is_any_of(" \t\r");
  std::vector<Request> all;
  std::vector<std::string> words;
  std::uint64_t number = 0;
  for (std::string line; (limit == 0 || all.size() < limit) && std::getline(lines, line);) {
    ++number;
    boost::trim_if(line, blank);
    if (line.empty() || line.starts_with('#')) continue;
    boost::split(words, line, blank, boost::token_compress_on);
    const auto fail = [&](const std::string& sentence) {
      throw ConfigError(file + ":" + std::to_string(number) + ": " + sentence + ".");
    };
    const std::size_t n = words.size();
    if (n != 6)
      fail("the line has " + std::to_string(n) + (n == 1 ? " word" : " words") +
           "; it must have six: R or W, a word, block number, blocks, response and think time in us");
    std::uint64_t block = 0, blocks = 0;
    double response = 0, think = 0;
    if (words[0] != "R" && words[0] != "W") fail(in_quotes(words[0]) + " is not allowed; it must be R or W");
    if (!read_number(words[2], block))
      fail("the block number is " + in_quotes(words[2]) + "; it must be a whole number of at least 0");
    if (!read_number(words[3], blocks) || blocks == 0 || blocks > (1u << 20))
      fail("the number of blocks is " + in_quotes(words[3]) + "; it must be a whole number between 1 and 1048576");
    for (auto [word, into, what] : {std::tuple{words[4], &response, "response"}, {words[5], &think, "think"}})
      if (!read_number(word, *into) || !(*into >= 0 && *into <= 1e12))
        fail(std::string("the ") + what + " time is " + in_quotes(word) +
             "; it must be a number of microseconds from 0 to 1000000000000");
    if (block * trace_block % sector_bytes != 0 || blocks * trace_block % sector_bytes != 0)
      fail("blocks " + std::to_string(block) + " + " + std::to_string(blocks) + " are not whole sectors of " +
           std::to_string(sector_bytes) + " bytes");
    Request r;
    r.write = words[0] == "W";
    r.lbn = block * trace_block / sector_bytes;
    r.sectors = static_cast<std::uint32_t>(blocks * trace_block / sector_bytes);
    if (r.lbn + r.sectors > drive_sectors || block > drive_sectors * (sector_bytes / trace_block + 1))
      fail("blocks " + std::to_string(block) + " + " + std::to_string(blocks) + " go beyond the drive, which has " +
           std::to_string(drive_sectors) + " sectors");
    r.measured = Duration{std::llround(response * 1e6)};
    r.think = Duration{std::llround(think * 1e6)};
    all.push_back(r);
  }
  check_number(all.size(), limit, file);
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
    throw ConfigError("workload.size is " + std::to_string(params.size.count) + "B; the drive has " +
                      std::to_string(drive_sectors * sector_bytes) + "B.");
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

std::vector<ArrayRequest> read_arrivals(const ArrivalsParams& load, std::uint64_t sectors, std::uint64_t sector_bytes,
                                        std::uint64_t limit) {
  constexpr std::uint64_t trace_sector = 512, most_sectors = 1 << 20;
  constexpr double latest_ms = 9e9;  // simulated time is a count of picoseconds with 63 bits
  const std::string file = load.trace.string();
  workload::CsvReader lines(file, {"t_ms", "lbn", "sectors", "op"});
  std::vector<ArrayRequest> all;
  while ((limit == 0 || all.size() < limit) && lines.next()) {
    const auto fail = [&](const std::string& sentence) {
      throw ConfigError(file + ":" + std::to_string(lines.line()) + ": " + sentence + ".");
    };
    ArrayRequest r;
    const double ms = lines.time(0) * load.time_scale;
    if (ms > latest_ms) fail("the time is beyond 9000000 s, the most that can be counted");
    r.arrives = Time{Duration{std::llround(ms * 1e9)}};
    if (!all.empty() && r.arrives < all.back().arrives) fail("the time is earlier than that of the request before it");
    const std::uint64_t first = lines.integer(1, INT64_MAX / trace_sector) * trace_sector,
                        length = lines.integer(2, most_sectors) * trace_sector;
    if (length == 0) lines.refuse(2, "a whole number of at least 1");
    if (lines.field(3) != "R" && lines.field(3) != "W") lines.refuse(3, "R or W");
    r.write =
        load.operations == Operations::as_recorded ? lines.field(3) == "W" : load.operations == Operations::writes;
    if (first % sector_bytes != 0 || length % sector_bytes != 0)
      fail("the request is not in whole sectors of " + std::to_string(sector_bytes) + " bytes");
    r.lbn = first / sector_bytes;
    r.sectors = static_cast<std::uint32_t>(length / sector_bytes);
    if (r.lbn > sectors || r.sectors > sectors - r.lbn)
      fail("sectors " + std::to_string(r.lbn) + " + " + std::to_string(r.sectors) + " go beyond the array, which has " +
           std::to_string(sectors));
    all.push_back(r);
  }
  check_number(all.size(), limit, file);
  return all;
}

}  // namespace sunstar::disk_platform
