// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "models/kernel/probe.h"
#include "models/kernel/timeline.h"
#include "sw/os/os.h"

namespace sunstar::machine {

inline constexpr std::uint32_t tracks_of_a_kind = 10'000;  // in the order of tracks

/// Reports the work of one node's firmware.
///   timeline  in the group of the node, a track for interrupt handlers of each core, one for what happens to blocks,
///   and tracks for
///             threads. As many threads of a kind as live at the same time have a track each. On it a thread runs (the
///             span has the kind's name), is ready, or waits (the span says for what).
///   log       nodes that it takes for gone, with `debug` interrupt handlers and what happens to blocks, with `trace`
///             threads
///   path      what runs on the processor goes on with the path of what woke it, or of what had the processor before
class FirmwareProbe final : public os::Observer, private Recording::Source {
 public:
  /// The node's computing counts for that stage. `name_of` names other nodes.
  FirmwareProbe(const Probe& probe, os::Os& os, Stage computing, std::function<std::string(hal::NodeId)> name_of)
      : os_(os),
        paths_(probe.path),
        files_(probe.timeline || probe.log),
        timeline_(probe.timeline),
        report_(probe, os.node().name()),
        computing_(computing),
        name_of_(std::move(name_of)),
        cores_(os.node().cores()) {
    const std::string& node = os.node().name();
    if (timeline_) {
      group_ = timeline_->group(node);
      for (std::size_t i = 0; i < cores_.size(); ++i)
        cores_[i].interrupts =
            timeline_->track(group_, "interrupts" + (i > 0 ? " " + std::to_string(i + 1) : std::string()),
                             static_cast<std::uint32_t>(i));
      blocks_ = timeline_->track(group_, "blocks", static_cast<std::uint32_t>(cores_.size()));
      ready_ = timeline_->level(group_, "ready threads");
      timeline_->add(*this);
    }
    if (paths_) {
      ready_queue_ = &paths_->queue(node + ".ready_threads");
      handler_queue_ = &paths_->queue(node + ".interrupts");
    }
    os.observe(*this, !files_);
  }

  FirmwareProbe(const FirmwareProbe&) = delete;

  void show(const std::string& name, std::function<std::size_t()> figure, const std::string& instance) {
    if (!timeline_) return;
    if (const auto counter = timeline_->level(group_, name, instance)) figures_.push_back({counter, std::move(figure)});
  }

  // os::Observer
  void ready(os::Thread& t) override {
    if (paths_) paths_->kept(t.path) = paths_->current;
    if (timeline_) {
      turn_to(t, "ready", 0, now());
      timeline_->step(ready_, now(), 1);
    }
    tell(t, " is ready");
  }

  // If it had to wait, it goes on because the thread before it is done.
  void runs(os::Thread& t) override {
    const Time at = now();
    if (paths_) {
      const Path& path = paths_->kept(t.path);
      ready_queue_->add(at - path.at);
      if (path.at >= at) paths_->current = path;
    }
    if (timeline_) {
      turn_to(t, t.name(), t.request(), std::max(at, core().handlers_end));
      timeline_->step(ready_, at, -1);
      look();
    }
    tell(t, " runs");
  }

  void computes(os::Thread& t) override {
    if (paths_) paths_->kept(t.path) = paths_->current;
  }

  void computed(os::Thread& t) override {
    if (!paths_) return;
    paths_->current = paths_->kept(t.path);
    paths_->lead_on(now(), computing_);
  }

  void waits(os::Thread& t, const char* what) override {
    if (timeline_) {
      if (what) turn_to(t, what, t.request(), now(), true);
      else turn_to(t, "ready", 0, now());
      look();
    }
    if (what) tell(t, " waits for ", what);
    else tell(t, " gives way");
  }

  void ends(os::Thread& t) override {
    if (timeline_) {
      Life& l = life(t);
      turn_to(l, nullptr, 0, now());
      kinds_[l.kind].lanes.give_back(l.lane, now());
    }
    tell(t, " ends");
  }

  void sends(os::Thread& t, hal::RequestId request) override {
    if (!timeline_) return;
    Life& l = life(t);
    l.request = request;
    turn_to(l, t.name(), t.request(), now());
  }

  void serves(os::Thread& t, hal::RequestId request) override {
    if (timeline_) turn_to(t, t.name(), request, now());
  }

  void interrupt_begins(const char* name, hal::RequestId request) override {
    const Time at = now();
    if (paths_) {
      if (const Time busy_until = os_.handler_end(); busy_until > at) {
        handler_queue_->add(busy_until - at);
        paths_->current = core().handled;
        paths_->lead_on(at, computing_);
      }
      core().handled = paths_->current;
    }
    if (!files_) return;
    if (timeline_) look();
    handler_ = {name, request, std::max(at, core().handlers_end)};
    if (!report_.tells(LogLevel::debug)) return;
    report_.instant(LogLevel::debug, handler_.start, std::string("interrupt ") + name, {}, request);
  }

  void interrupt_ends(Time end) override {
    if (timeline_) timeline_->span(core().interrupts, handler_.name, handler_.start, end, {}, handler_.request, 0);
    report_.instant(LogLevel::debug, end, "end of the interrupt");
    core().handlers_end = end;
  }

  void interrupt_waited(Duration time) override {
    if (paths_) handler_queue_->add(time);
  }

  void defers(Path*& path, Time t) override {
    if (!paths_) return;
    Path& kept = paths_->kept(path) = paths_->current;
    if (os_.handler_end() > now()) paths_->advance(kept, std::min(t, os_.handler_end()), computing_);
  }

  void resumes(Path*& path, Stage wait) override {
    if (!paths_) return;
    paths_->current = paths_->kept(path);
    paths_->lead_on(now(), wait);
  }

  void notes(const char* what, std::uint64_t file, std::uint64_t block) override {
    if (timeline_) timeline_->instant(blocks_, what, now(), {{"file", file}, {"block", block}});
    if (report_.tells(LogLevel::debug))
      report_.instant(LogLevel::debug, now(), std::string("cache: ") + what, {{"file", file}, {"block", block}});
  }

  void gives_up(hal::NodeId node) override {
    if (report_.tells(LogLevel::info)) report_.instant(LogLevel::info, now(), "takes " + name_of_(node) + " for gone");
  }

 private:
  /// The thread that a track shows, and what it does.
  struct Life {
    Timeline::Track track;
    std::uint32_t kind, lane;
    const char* does = nullptr;  // null: it has ended
    bool waits = false;          // `does` is what for
    Time since{};
    hal::RequestId request = 0;  // that it does this for
    std::uint32_t turn = 0;      // its order of beginning, among the node's threads
    std::uint32_t core = 0;      // that it runs on
  };
  struct Kind {
    const char* name;
    Lanes lanes;
    std::vector<std::uint32_t> lives;  // by lane
  };
  struct Figure {
    Timeline::Counter counter;
    std::function<std::size_t()> value;
  };
  struct Handler {
    const char* name = nullptr;
    hal::RequestId request = 0;
    Time start{};
  };

  Time settle() override {
    for (Life& l : lives_) turn_to(l, nullptr, 0, now());
    return now();
  }

  void look() {
    for (const Figure& f : figures_) timeline_->set(f.counter, now(), f.value());
  }

  /// A thread that is seen for the first time gets a track.
  Life& life(os::Thread& t) {
    if (t.watched_as != 0) return lives_[t.watched_as - 1];
    const std::uint32_t number = kind_of(t.name());
    Kind& kind = kinds_[number];
    const std::uint32_t lane = kind.lanes.take(now());
    if (lane == kind.lives.size()) {
      kind.lives.push_back(static_cast<std::uint32_t>(lives_.size()));
      const std::string name = std::string(t.name()) + (lane > 0 ? " " + std::to_string(lane + 1) : "");
      lives_.push_back({timeline_->track(group_, name, (number + 1) * tracks_of_a_kind + lane), number, lane});
    }
    t.watched_as = kind.lives[lane] + 1;
    Life& life = lives_[t.watched_as - 1];
    life.since = std::max(life.since, now());
    return life;
  }

  std::uint32_t kind_of(const char* name) {
    const auto at = std::ranges::find(kinds_, name, &Kind::name);  // a kind has one name, at one place
    if (at != kinds_.end()) return static_cast<std::uint32_t>(at - kinds_.begin());
    kinds_.push_back({name, {}, {}});
    return static_cast<std::uint32_t>(kinds_.size() - 1);
  }

  void turn_to(os::Thread& t, const char* what, hal::RequestId request, Time at, bool waits = false) {
    turn_to(life(t), what, request, at, waits);
  }

  // The spans of a track never overlap: if the next thing begins before the last one (a handler that is still running
  // has brought it about), it waits.
  void turn_to(Life& life, const char* what, hal::RequestId request, Time at, bool waits = false) {
    at = std::max(at, life.since);
    if (life.does && at > life.since) {
      constexpr std::size_t words = std::string_view("waits for ").size();
      waits_for_.resize(words);
      const bool on_core = cores_.size() > 1 && !life.waits && life.does == kinds_[life.kind].name;
      const std::string_view name = life.waits ? std::string_view(waits_for_.append(life.does)) : life.does;
      if (on_core) timeline_->span(life.track, name, life.since, at, {{"core", life.core}}, life.request, life.turn);
      else timeline_->span(life.track, name, life.since, at, {}, life.request, life.turn);
    }
    life.does = what;
    life.waits = waits;
    life.since = at;
    life.request = request;
    life.turn = ++turns_;
    life.core = os_.core();
  }

  void tell(const os::Thread& t, const char* before, const char* after = "") {
    if (report_.tells(LogLevel::trace)) [[unlikely]]
      tell_now(t, before, after);
  }

  void tell_now(const os::Thread& t, std::string_view before, std::string_view after) {
    report_.instant(LogLevel::trace, now(), std::string("thread ").append(t.name()).append(before).append(after), {},
                    t.request());
  }

  Time now() const { return os_.now(); }

  os::Os& os_;
  CriticalPath* paths_;
  bool files_;  // there are a timeline, a log
  Timeline* timeline_;
  Reporter report_;
  Stage computing_;
  std::function<std::string(hal::NodeId)> name_of_;
  struct Core {
    Path handled;  // of the last one, at its interrupt
    Time handlers_end{};
    Timeline::Track interrupts{};
  };
  Core& core() { return cores_[os_.core()]; }
  std::vector<Core> cores_;
  QueueTimes *ready_queue_ = nullptr, *handler_queue_ = nullptr;

  std::uint32_t group_ = 0;
  Timeline::Track blocks_;
  Timeline::Counter ready_ = 0;
  std::vector<Kind> kinds_;
  std::vector<Life> lives_;
  std::vector<Figure> figures_;
  Handler handler_;
  std::uint32_t turns_ = 0;
  std::string waits_for_ = "waits for ";  // and what for, while it is written
};

}  // namespace sunstar::machine
