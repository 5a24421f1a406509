// SPDX-License-Identifier: MIT
#pragma once
#include <deque>

#include "models/disk/mechanics.h"

// The on-board buffer: its segments, and of these a part filled by reading and a part filled by writing. Sizes are in
// sectors.
namespace sunstar::disk {

/// The on-board buffer besides the stream being read: one run of blocks in each segment; the segment unused for longest
/// is replaced first.
class Segments {
 public:
  struct Segment {
    Lbn first = 0, end = 0;  ///< blocks [first, end)
    std::uint64_t used = 0;  ///< order of last use
    bool written = false;    ///< whether it holds data of writes
    bool empty() const { return first == end; }
    bool holds(Lbn lbn) const { return lbn >= first && lbn < end; }
  };

  /// `count` segments, of which at most `for_writes` hold writes; with `separate` the last is reserved for writes.
  Segments(std::uint32_t count, std::uint32_t for_writes, bool separate, std::uint64_t size)
      : all_(count),
        for_reads_(separate ? count - 1 : count),
        for_writes_(for_writes),
        separate_(separate),
        size_(size) {}

  Segment& operator[](std::size_t i) { return all_[i]; }
  std::uint64_t size() const { return size_; }
  void touch(std::size_t i) { all_[i].used = ++clock_; }

  /// The segment that holds the block; count() if none does.
  std::size_t holding(Lbn lbn, bool written_too) const {
    return find([&](const Segment& s) { return s.holds(lbn) && (written_too || !s.written); });
  }
  /// The segment whose blocks end where `lbn` begins, a segment of writes if `written`, otherwise of reads; count() if
  /// there is none.
  std::size_t ending_at(Lbn lbn, bool written) const {
    return find([&](const Segment& s) { return !s.empty() && s.end == lbn && s.written == written; });
  }
  std::size_t count() const { return all_.size(); }

  /// The segment that a new run of read blocks replaces.
  std::size_t for_read() const {
    return oldest([&](std::size_t i) { return i < for_reads_; });
  }
  /// The segment that a new run of written blocks replaces.
  std::size_t for_write() const {
    if (separate_) return all_.size() - 1;
    const auto in_use = std::count_if(all_.begin(), all_.end(), [](const Segment& s) { return s.written; });
    const bool full = in_use >= static_cast<std::ptrdiff_t>(for_writes_);
    return oldest([&](std::size_t i) { return !full || all_[i].written; });
  }
  void fill(std::size_t i, Lbn first, Lbn end, bool written) {
    if (end - first > size_) first = end - size_;
    all_[i] = {first, end, ++clock_, written};
  }
  /// Blocks [first, end) have been written: all other segments that hold some of them are lost as a whole, what was
  /// read ahead behind them too. No description says that a drive keeps a part of a segment.
  void overwrite(Lbn first, Lbn end, std::size_t except) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      Segment& s = all_[i];
      if (i != except && !s.empty() && first < s.end && s.first < end) s.end = s.first;
    }
  }

 private:
  template <class Wanted>
  std::size_t find(Wanted wanted) const {
    return static_cast<std::size_t>(std::find_if(all_.begin(), all_.end(), wanted) - all_.begin());
  }
  template <class Allowed>
  std::size_t oldest(Allowed allowed) const {
    std::size_t best = all_.size();
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (allowed(i) && (best == all_.size() || all_[i].used < all_[best].used)) best = i;
    return best;
  }

  std::vector<Segment> all_;
  std::size_t for_reads_, for_writes_;
  bool separate_;
  std::uint64_t size_, clock_ = 0;
};

/// The read side: one window of consecutive blocks, filled by one pass of the medium. The pass goes on, at the medium's
/// speed, until it reaches limit(): its goal or the end of the room, whichever comes first. The room is `capacity`
/// sectors from the first sector not yet sent to the host; sectors already sent stay in the window until others take
/// their room. Blocks that go to the host while the heads read on (the blocks below `drained`) need no room. The stream
/// computes the progress of the pass only when asked.
class ReadStream {
 public:
  /// `phase`: angle of the spindle at time 0.
  ReadStream(const Mechanics& mechanics, Duration phase, std::uint64_t capacity)
      : mechanics_(mechanics), phase_(phase), capacity_(capacity) {}

  /// Whether there is a window.
  bool valid() const { return valid_; }
  void discard() { valid_ = false; }

  /// Starts a new window. Blocks [oldest, pass) are in the buffer already. A pass that is to read up to `goal` begins
  /// with block `pass` at `first`, when the start of that block is under the head. The host has the blocks below
  /// `sent`, or does not want them.
  void start(Lbn oldest, Lbn sent, Lbn pass, Time first, Lbn goal, Lbn drained) {
    valid_ = true;
    around_.reset();
    oldest_ = oldest;
    sent_ = sent;
    pass_ = pass;
    first_ = first;
    goal_ = goal;
    limit_ = std::min(goal_, std::max(sent_ + capacity_, drained));
  }
  /// The heads stay on the last track of the pass, so at `at` the blocks from `oldest` on are in the buffer, too.
  void come_around(Lbn oldest, Time at) { around_ = Around{oldest, at}; }
  Lbn limit() const { return limit_; }
  /// First block not in the buffer yet at `t`.
  Lbn reached(Time t) const {
    return t <= first_ ? pass_ : pass_ + mechanics_.passed(pass_, t - first_, limit_ - pass_);
  }
  /// First block still in the buffer at `t`.
  Lbn oldest(Time t) const {
    const Lbn end = reached(t), oldest = around_ && t >= around_->at ? std::min(oldest_, around_->oldest) : oldest_;
    return std::max(oldest, end > capacity_ ? end - capacity_ : 0);
  }
  /// When all blocks below `end` are in the buffer, end <= limit(); blocks of an earlier pass are there already.
  Time when(Lbn end) const {
    return end <= pass_ ? Time{} : first_ + mechanics_.span(pass_, end - pass_, Access::read);
  }
  /// First block of the current pass, and the time when that block is under the head.
  Lbn pass() const { return pass_; }
  Time first() const { return first_; }
  bool running(Time t) const { return valid_ && t < when(limit_); }

  /// At `t` the blocks below `sent` have been sent, and those below `goal` are wanted. A pass that had reached its
  /// limit goes on from there when the next block comes round. Returns the time lost until that block is under the
  /// head.
  Duration extend(Time t, Lbn sent, Lbn goal, Lbn drained) {
    const bool stopped = !running(t);
    const Lbn old_limit = limit_;
    sent_ = std::max(sent_, sent);
    goal_ = std::max(goal_, goal);
    limit_ = std::max(limit_, std::min(goal_, std::max(sent_ + capacity_, drained)));
    if (!stopped || limit_ == old_limit) return Duration::zero();
    oldest_ = std::max(oldest_, oldest(t));
    const auto& map = mechanics_.geometry();
    const Duration move =
        mechanics_.move(map.address(std::max<Lbn>(old_limit, 1) - 1).track, map.address(old_limit).track, Access::read);
    around_.reset();
    pass_ = old_limit;
    first_ = t + move + mechanics_.rotational_wait(t + phase_ + move, pass_);
    return first_ - t;
  }
  /// The blocks below `sent` have been sent; a pass that has stopped stays so.
  void release(Lbn sent) { sent_ = std::max(sent_, sent); }
  void drop_sent() {
    oldest_ = std::max(oldest_, sent_);
    around_.reset();
  }

  /// Ends the pass at `t`; the blocks read stay. Returns the time when the heads are free: `t`, or when the sector
  /// under them has passed.
  Time stop(Time t, ReadAheadStop how) {
    if (around_ && t < around_->at) around_.reset();
    if (!running(t)) return t;
    Lbn end = reached(t);
    Time free = t;
    if (how == ReadAheadStop::after_sector && t > first_ + mechanics_.lead(pass_, end - pass_, Access::read))
      free = when(++end);
    goal_ = limit_ = end;
    return free;
  }

 private:
  const Mechanics& mechanics_;
  Duration phase_;
  std::uint64_t capacity_;
  bool valid_ = false;
  Lbn oldest_ = 0, sent_ = 0, pass_ = 0, goal_ = 0, limit_ = 0;
  Time first_{};
  struct Around {
    Lbn oldest;
    Time at;
  };
  std::optional<Around> around_;
};

/// The write side: data accepted but not yet on the medium. A piece's room is free again when the whole piece is on the
/// medium; pieces get there in the order in which they came.
class WriteQueue {
 public:
  explicit WriteQueue(std::uint64_t capacity) : capacity_(capacity) {}

  /// When there is room for `sectors` more, not before `t`. sectors <= capacity.
  Time room_at(Time t, std::uint64_t sectors) {
    while (!pieces_.empty() && (pieces_.front().on_medium <= t || used_ + sectors > capacity_)) {
      t = std::max(t, pieces_.front().on_medium);
      used_ -= pieces_.front().sectors;
      pieces_.pop_front();
    }
    return t;
  }
  void push(std::uint64_t sectors, Time on_medium) {
    pieces_.push_back({sectors, on_medium});
    used_ += sectors;
    all_on_medium_ = on_medium;
  }
  /// When everything accepted so far is on the medium.
  Time all_on_medium() const { return all_on_medium_; }

 private:
  struct Piece {
    std::uint64_t sectors;
    Time on_medium;
  };
  std::uint64_t capacity_;
  std::uint64_t used_ = 0;
  Time all_on_medium_{};
  Fifo<Piece> pieces_;
};

}  // namespace sunstar::disk
