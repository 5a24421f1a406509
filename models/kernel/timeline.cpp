// SPDX-License-Identifier: MIT
#include "models/kernel/timeline.h"

namespace sunstar {

Timeline::Timeline(const std::filesystem::path& path, Options options)
    : Recording("--timeline-scope", std::move(options.scope)),
      options_(std::move(options)),
      flows_([this](auto request, const auto* before, const auto& point, bool last) {
        file_->flow(request, before, point, last);
      }) {
  file_ = path.extension() == ".ftr" ? ftr_file(path) : trace_events(path);
}

// --- groups, tracks and counters ---

std::uint32_t Timeline::group(const std::string& name) {
  const auto at = std::ranges::find(groups_, name, &Group::name);
  if (at != groups_.end()) return static_cast<std::uint32_t>(at - groups_.begin()) + 1;
  groups_.push_back({name});
  in_scope(name);  // notes that the group exists
  return static_cast<std::uint32_t>(groups_.size());
}

bool Timeline::shows(std::uint32_t group, const std::string& instance) {
  return in_scope(instance.empty() ? groups_[group - 1].name : instance);
}

void Timeline::mention(std::uint32_t group) {
  Group& g = groups_[group - 1];
  if (std::exchange(g.named, true)) return;
  file_->group(group, g.name);
}

Timeline::Track Timeline::track(std::uint32_t group, const std::string& name, std::uint32_t place,
                                const std::string& instance) {
  if (!shows(group, instance)) return {};
  mention(group);
  file_->track(group, ++tracks_, name, place);
  return {group, tracks_};
}

Timeline::Counter Timeline::counter(std::uint32_t group, const std::string& name, const std::string& instance,
                                    bool is_rate) {
  if (!shows(group, instance)) return 0;
  mention(group);
  figures_.push_back({group, name, is_rate});
  return static_cast<Counter>(figures_.size());
}

void Timeline::write_value(Figure& f, std::int64_t interval, std::uint64_t value) {
  const Time at{interval * options_.interval};
  if (value == f.written || full() || !options_.window.contains(at)) return;
  f.written = value;
  file_->value(f.group, f.name, at, value);
}

/// Writes the values of the intervals that end at `at` or before.
void Timeline::reach(Figure& f, Time at) {
  const std::int64_t interval = at.time_since_epoch() / options_.interval;
  if (interval <= f.interval) return;
  write_value(
      f, f.interval,
      f.is_rate ? static_cast<std::uint64_t>(static_cast<double>(f.seen) / seconds(options_.interval)) : f.seen);
  if (interval > f.interval + 1) write_value(f, f.interval + 1, f.is_rate ? 0 : f.value);
  f.interval = interval;
  f.seen = f.is_rate ? 0 : f.value;
}

void Timeline::set(Counter level, Time at, std::uint64_t value) {
  if (level == 0) return;
  Figure& f = figures_[level - 1];
  if (value == f.value) return;
  reach(f, at);
  f.value = value;
  f.seen = std::max(f.seen, value);
}

void Timeline::step(Counter level, Time at, std::int64_t by) {
  if (level != 0) set(level, at, figures_[level - 1].value + static_cast<std::uint64_t>(by));
}

void Timeline::count(Counter rate, Time at, std::uint64_t amount) {
  if (rate == 0) return;
  Figure& f = figures_[rate - 1];
  reach(f, at);
  f.seen += amount;
}

// --- spans ---

bool Timeline::admit(Time start, Time end) {
  if (!options_.window.meets(start, end)) return false;
  if (full()) {
    ++left_out_;
    return false;
  }
  ++spans_;
  last_end_ = std::max(last_end_, end);
  return true;
}

void Timeline::span(Track track, std::string_view name, Time start, Time end, Figures figures, std::uint32_t request,
                    std::uint32_t turn) {
  if (!track || !admit(start, end)) return;
  file_->add({spans_, track.group, track.number, name, start, end, figures, request});
  // On Perfetto, whose times are nanoseconds, an arrow needs a span that contains its end.
  if (request != 0 && TimelineFormat::nanoseconds(end) > TimelineFormat::nanoseconds(start))
    flows_.add(request, {start, track.group, track.number, turn, spans_});
}

void Timeline::instant(Track track, std::string_view name, Time at, Figures figures) {
  if (!track || !admit(at, at)) return;
  file_->add({spans_, track.group, track.number, name, at, {}, figures, 0});
}

std::optional<std::string> Timeline::truncation() const {
  if (left_out_ > 0)
    return concat(limit_reached("timeline", last_end_, options_.limit), ", and ", left_out_,
                  " later spans were left out.");
  if (closed_ && spans_ == 0) return "The timeline has no spans: nothing that it records happened in its window.";
  return std::nullopt;
}

void Timeline::finish() {
  for (Figure& f : figures_) reach(f, Time{(f.interval + 2) * options_.interval});
  flows_.finish();
  file_->close(truncation(), last_end_);
}

void Flows::add(std::uint32_t request, const Point& point) {
  auto at = young_.find(request);
  if (at == young_.end()) {
    if (young_.size() == most_requests_) {
      write_all(old_);
      std::swap(young_, old_);
    }
    Chain chain;
    if (const auto before = old_.find(request); before != old_.end()) {
      chain = std::move(before->second);
      old_.erase(before);
    }
    at = young_.emplace(request, std::move(chain)).first;
  }
  Chain& chain = at->second;
  chain.points.push_back(point);
  if (chain.points.size() == most_points_) write(request, chain, most_points_ / 2, false);
}

void Flows::write(std::uint32_t request, Chain& chain, std::size_t points, bool last) {
  std::ranges::stable_sort(chain.points, {}, [](const Point& p) { return std::pair(p.at, p.turn); });
  for (std::size_t i = 0; i < points; ++i) {
    write_(request, chain.written ? &*chain.written : nullptr, chain.points[i], last && i + 1 == points);
    chain.written = chain.points[i];
  }
  chain.points.erase(chain.points.begin(), chain.points.begin() + static_cast<std::ptrdiff_t>(points));
}

void Flows::write_all(Chains& chains) {
  std::vector<std::uint32_t> requests;  // in an order that no hash decides
  for (const auto& [request, chain] : chains)
    if (chain.written || chain.points.size() > 1) requests.push_back(request);
  std::ranges::sort(requests);
  for (const std::uint32_t request : requests) {
    Chain& chain = chains.at(request);
    write(request, chain, chain.points.size(), true);
  }
  chains.clear();
}

void Flows::finish() {
  write_all(old_);
  write_all(young_);
}

}  // namespace sunstar
