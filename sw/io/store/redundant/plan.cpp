// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/plan.h"

#include <cassert>

#include "sw/io/store/redundant/galois.h"

namespace sunstar::io::redundant {
namespace {

/// Sectors of a unit, by their offset in it.
struct Range {
  std::uint32_t from = 0, to = 0;
  std::uint32_t sectors() const { return to - from; }
  bool empty() const { return from >= to; }
  bool covers(const Range& other) const { return from <= other.from && other.to <= to; }
  bool operator==(const Range&) const = default;
};

Range hull(const Range& a, const Range& b) { return {std::min(a.from, b.from), std::max(a.to, b.to)}; }

struct Piece {
  std::uint32_t member = 0;
  Range range;
  std::uint32_t own = 0;  ///< its offset in the request's data
};

/// The place of a unit's sectors in memory.
struct Held {
  Range range;
  Slice memory;
  std::optional<std::uint32_t> step;  ///< the step that brings them
};

Slice behind(Slice s, std::uint32_t sectors) { return {s.own, s.sector + sectors}; }

/// Coefficients by which unknown data follow from checks: the inverse of the checks' coefficients of these members.
std::vector<std::vector<std::uint8_t>> inverted(const std::vector<std::uint32_t>& checks,
                                                const std::vector<std::uint32_t>& members) {
  const auto c = [&](std::size_t i, std::size_t j) { return coefficient(checks[i], members[j]); };
  if (members.size() == 1) return {{inverse(c(0, 0))}};
  assert(members.size() == 2);
  const std::uint8_t d = inverse(static_cast<std::uint8_t>(multiply(c(0, 0), c(1, 1)) ^ multiply(c(0, 1), c(1, 0))));
  return {{multiply(d, c(1, 1)), multiply(d, c(0, 1))}, {multiply(d, c(1, 0)), multiply(d, c(0, 0))}};
}

/// Adds the steps for one row after the other to a plan.
class Builder {
 public:
  Builder(const Geometry& geometry, const Planner::Rule& rule, const ChooseCopy& choose, const Failures& failures)
      : g_(geometry), rule_(rule), choose_(choose), failures_(failures) {}

  void start_row(std::uint64_t row, std::vector<Piece> pieces) {
    plan.last_row = row_ = row;
    pieces_ = std::move(pieces);
    held_.assign(g_.members(), {});
    reads_.clear();
  }

  // Reads.

  void read_row() {
    if (g_.mirror()) return read_copies();
    Range lost;
    for (const Piece& p : pieces_)
      if (!alive(p.member)) lost = lost.empty() ? p.range : hull(lost, p.range);
    // If the request itself wants just these sectors of the unit, or all lost ones, they go into its data.
    for (const Piece& p : pieces_)
      if (alive(p.member) && (lost.empty() || p.range.covers(lost) || separate(p.range, lost)))
        read(p.member, p.range, Slice{true, p.own});
    if (lost.empty()) return;
    ++plan.rows.degraded;
    find_failed();
    if (unknown_.size() > checks_.size()) return lose();
    for (std::uint32_t m = 0; m < g_.data(); ++m) {
      if (!alive(m) || held(m, lost)) continue;
      const Piece* const wanted = piece_of(m);
      const bool apart = !wanted || separate(wanted->range, lost);
      const Range range = apart ? lost : hull(lost, wanted->range);
      const std::uint32_t step = read(m, range);
      if (apart) continue;
      compute(wanted->range.sectors(), {true, wanted->own},
              {{behind(held_[m].back().memory, wanted->range.from - range.from), 0, wanted->range.sectors()}}, {step});
    }
    for (std::size_t c = 0; c < unknown_.size(); ++c) read(checks_[c], lost);
    for (const Piece& p : pieces_)
      if (!alive(p.member)) decode(p.member, p.range, {true, p.own});
  }

  // Writes.

  void write_row() {
    plan.steps.reserve(2 * std::size_t{g_.members()});
    writes_.reserve(g_.members());
    if (g_.checks() == 0 || g_.mirror()) return write_copies();
    if (pieces_.size() == 2 && pieces_[0].range.from > pieces_[1].range.to) {
      const std::vector<Piece> both = pieces_;
      for (const Piece& p : both) {
        start_row(row_, {p});
        write_row();
      }
      return;
    }
    find_failed();
    if (unknown_.size() > checks_.size()) return lose();
    plan.rows.degraded += !unknown_.empty() || checks_.size() < g_.checks();
    if (checks_.empty()) return write_data();
    const Range& first = pieces_[0].range;
    const bool alike = std::ranges::all_of(pieces_, [&](const Piece& p) { return p.range == first; });
    const Range extent = alike ? first : Range{0, g_.unit_sectors()};
    const auto written = [&](std::uint32_t m) {
      const Piece* const p = piece_of(m);
      return p && p->range.covers(extent);
    };
    const bool lost_untouched = std::ranges::none_of(unknown_, [&](std::uint32_t m) { return piece_of(m); });
    const bool lost_written = std::ranges::all_of(unknown_, written);
    bool all = true, touched = pieces_.size() == g_.data();
    for (std::uint32_t m = 0; m < g_.data(); ++m) all = all && written(m);
    if (all || (touched && rule_.full_row == FullRow::touched)) {
      ++plan.rows.full;
      make_checks(extent);
    } else if (!unknown_.empty() && !lost_untouched && !lost_written) {
      ++plan.rows.reconstruct;
      read_all(extent);
      make_checks(extent);
    } else if (unknown_.empty() ? pieces_.size() < reconstruct_from() : lost_untouched) {
      ++plan.rows.read_modify_write;
      change_checks(extent);
    } else {
      ++plan.rows.reconstruct;
      for (std::uint32_t m = 0; m < g_.data(); ++m) read_rest(m, extent);
      make_checks(extent);
    }
    write_data();
  }

  /// A member's whole unit, from the other units.
  void rebuild_row(std::uint32_t member) {
    const Range unit{0, g_.unit_sectors()};
    const Slice made = buffer(unit.sectors());
    find_failed();
    if (!is_unknown(member) && member < g_.data()) unknown_.push_back(member);
    std::erase(checks_, member);
    if (unknown_.size() > checks_.size()) return lose();
    for (std::uint32_t m = 0; m < g_.data(); ++m)
      if (!is_unknown(m)) read(m, unit);
    for (std::size_t c = 0; c < unknown_.size(); ++c) read(checks_[c], unit);
    std::uint32_t step = 0;
    if (member < g_.data()) {
      step = decode(member, unit, made);
    } else {
      for (std::uint32_t m : unknown_) hold(m, unit);
      step = sum_of_data(member - g_.data(), unit, made);
    }
    write(g_.at({row_, member}, 0, unit.sectors()), made, {step});
  }

  void check_row() {
    const Range unit{0, g_.unit_sectors()};
    for (std::uint32_t m = 0; m < g_.members(); ++m) {
      if (!alive(m)) return lose();
      read(m, unit);
    }
    for (std::uint32_t c = g_.data(); c < g_.members(); ++c) {
      const Slice made = buffer(unit.sectors());
      sum_of_data(c - g_.data(), unit, made);
      plan.compared.push_back({c, held_[c].front().memory, made});
    }
  }

  /// Orders writes after the reads of their disk, and checks after the reads of their row, once all are known.
  void order_writes() {
    for (std::uint32_t w = 0; w < plan.steps.size(); ++w) {
      Step& step = plan.steps[w];
      if (step.kind != Step::Kind::write) continue;
      for (std::uint32_t r = 0; r < w; ++r)
        if (plan.steps[r].kind == Step::Kind::read && plan.steps[r].at.disk == step.at.disk) step.after.push_back(r);
      std::ranges::sort(step.after);
      step.after.erase(std::unique(step.after.begin(), step.after.end()), step.after.end());
    }
  }

  /// Puts the row's writes, of data first, behind all reads of the request.
  void add_writes() {
    for (Step& w : writes_) plan.steps.push_back(std::move(w));
    writes_.clear();
  }

  void lose() { plan.lost = true; }

  Plan plan;

 private:
  static bool separate(const Range& a, const Range& b) { return a.to < b.from || b.to < a.from; }

  bool alive(std::uint32_t member) const { return !failures_.has(g_.at({row_, member}, 0, g_.unit_sectors())); }
  void find_failed() {
    unknown_.clear();
    checks_.clear();
    for (std::uint32_t m = 0; m < g_.data(); ++m)
      if (!alive(m)) unknown_.push_back(m);
    for (std::uint32_t m = g_.data(); m < g_.members(); ++m)
      if (alive(m)) checks_.push_back(m);
  }
  bool is_unknown(std::uint32_t member) const { return std::ranges::find(unknown_, member) != unknown_.end(); }
  const Piece* piece_of(std::uint32_t member) const {
    for (const Piece& p : pieces_)
      if (p.member == member) return &p;
    return nullptr;
  }
  /// Fewer than this many units are written by read-modify-write, which reads m + checks units, others by data - m
  /// reads.
  std::uint32_t reconstruct_from() const {
    if (rule_.reconstruct_from > 0) return rule_.reconstruct_from;
    return g_.data() >= g_.checks() ? (g_.data() - g_.checks()) / 2 + 1 : 1;
  }

  Slice buffer(std::uint32_t sectors) {
    const Slice room{false, plan.buffer_sectors};
    plan.buffer_sectors += sectors;
    return room;
  }
  std::uint32_t add(Step step) {
    plan.steps.push_back(std::move(step));
    return static_cast<std::uint32_t>(plan.steps.size() - 1);
  }
  std::uint32_t read(std::uint32_t member, const Range& range, Slice into) {
    const std::uint32_t step =
        add({Step::Kind::read, g_.at({row_, member}, range.from, range.sectors()), into, {}, {}});
    reads_.push_back(step);
    held_[member].push_back({range, into, step});
    return step;
  }
  std::uint32_t read(std::uint32_t member, const Range& range) { return read(member, range, buffer(range.sectors())); }
  std::uint32_t compute(std::uint32_t sectors, Slice into, std::vector<Term> terms, std::vector<std::uint32_t> after) {
    return add({Step::Kind::compute, {0, 0, sectors}, into, std::move(terms), std::move(after)});
  }
  void write(const Extent& at, Slice from, std::vector<std::uint32_t> after) {
    writes_.push_back({Step::Kind::write, at, from, {}, std::move(after)});
  }

  /// The memory that holds the whole range of a unit; null if none does.
  const Held* held(std::uint32_t member, const Range& range) const {
    for (const Held& h : held_[member])
      if (h.range.covers(range)) return &h;
    return nullptr;
  }
  /// The summand for a range of a held unit.
  static Term term(const Held& h, const Range& of, std::uint8_t factor) {
    const Range part{std::max(h.range.from, of.from), std::min(h.range.to, of.to)};
    return {behind(h.memory, part.from - h.range.from), part.from - of.from, part.sectors(), factor};
  }

  /// Computes an unknown unit's range from the units that are held.
  std::uint32_t decode(std::uint32_t member, const Range& range, Slice into) {
    std::vector<std::uint32_t> used;
    for (std::size_t c = 0; c < unknown_.size(); ++c) used.push_back(checks_[c] - g_.data());
    const auto factors = inverted(used, unknown_);
    const auto x = static_cast<std::size_t>(std::ranges::find(unknown_, member) - unknown_.begin());
    std::vector<Term> terms;
    std::vector<std::uint32_t> after;
    const auto take = [&](std::uint32_t m, std::uint8_t factor) {
      const Held* const h = held(m, range);
      assert(h);
      terms.push_back(term(*h, range, factor));
      if (h->step) after.push_back(*h->step);
    };
    for (std::size_t c = 0; c < used.size(); ++c) take(checks_[c], factors[x][c]);
    for (std::uint32_t m = 0; m < g_.data(); ++m) {
      if (is_unknown(m)) continue;
      std::uint8_t factor = 0;
      for (std::size_t c = 0; c < used.size(); ++c)
        factor = static_cast<std::uint8_t>(factor ^ multiply(factors[x][c], coefficient(used[c], m)));
      if (factor != 0) take(m, factor);
    }
    return compute(range.sectors(), into, std::move(terms), std::move(after));
  }
  /// Computes an unknown unit's range into a buffer and holds it.
  void hold(std::uint32_t member, const Range& range) {
    const Slice made = buffer(range.sectors());
    held_[member].push_back({range, made, decode(member, range, made)});
  }

  /// Reads the rest of a row with missing data that the checks need, and computes the missing data.
  void read_all(const Range& extent) {
    for (std::uint32_t m = 0; m < g_.data(); ++m)
      if (alive(m)) read(m, extent);
    for (std::size_t c = 0; c < unknown_.size(); ++c) read(checks_[c], extent);
    for (std::uint32_t m : unknown_) hold(m, extent);
  }
  /// Reads the part of a unit that the request does not write.
  void read_rest(std::uint32_t member, const Range& extent) {
    const Piece* const p = piece_of(member);
    if (!p) {
      if (alive(member)) read(member, extent);
      return;
    }
    for (const Range& rest : {Range{extent.from, p->range.from}, Range{p->range.to, extent.to}})
      if (!rest.empty()) read(member, rest);
  }

  /// The sum of all data units over the extent, new data before old, for one check.
  std::uint32_t sum_of_data(std::uint32_t check, const Range& extent, Slice into) {
    std::vector<Term> terms;
    std::vector<std::uint32_t> after;
    for (std::uint32_t m = 0; m < g_.data(); ++m) {
      const std::uint8_t factor = coefficient(check, m);
      const Piece* const p = piece_of(m);
      if (p) terms.push_back(term({p->range, {true, p->own}, {}}, extent, factor));
      for (const Held& h : held_[m]) {
        // Only the old data before and behind the replaced range count.
        const Range replaced = p ? p->range : Range{extent.to, extent.to};
        for (const Range& part : {Range{h.range.from, std::min(h.range.to, replaced.from)},
                                  Range{std::max(h.range.from, replaced.to), h.range.to}}) {
          if (part.empty()) continue;
          terms.push_back(
              {behind(h.memory, part.from - h.range.from), part.from - extent.from, part.sectors(), factor});
          if (!p) break;
        }
        if (h.step) after.push_back(*h.step);
      }
    }
    return compute(extent.sectors(), into, std::move(terms), std::move(after));
  }
  void make_checks(const Range& extent) {
    for (std::uint32_t c : checks_) {
      const Slice made = buffer(extent.sectors());
      write_check(c, extent, made, sum_of_data(c - g_.data(), extent, made));
    }
  }
  void change_checks(const Range& extent) {
    for (const Piece& p : pieces_) read(p.member, p.range);
    for (std::uint32_t c : checks_) read(c, extent);
    for (std::uint32_t c : checks_) {
      std::vector<Term> terms{term(held_[c].front(), extent, 1)};
      for (const Piece& p : pieces_) {
        const std::uint8_t factor = coefficient(c - g_.data(), p.member);
        terms.push_back(term(held_[p.member].front(), extent, factor));
        terms.push_back(term({p.range, {true, p.own}, {}}, extent, factor));
      }
      const Slice made = buffer(extent.sectors());
      write_check(c, extent, made, compute(extent.sectors(), made, std::move(terms), reads_));
    }
  }
  void write_check(std::uint32_t check, const Range& extent, Slice made, std::uint32_t computed) {
    std::vector<std::uint32_t> after = reads_;
    after.push_back(computed);
    check_writes_.push_back(
        {Step::Kind::write, g_.at({row_, check}, extent.from, extent.sectors()), made, {}, std::move(after)});
  }
  void write_data() {
    for (const Piece& p : pieces_)
      if (alive(p.member)) write(g_.at({row_, p.member}, p.range.from, p.range.sectors()), {true, p.own}, {});
    for (Step& c : check_writes_) writes_.push_back(std::move(c));
    check_writes_.clear();
  }

  void read_copies() {
    const Piece& p = pieces_.front();
    std::vector<Copy> copies;
    for (std::uint32_t m = 0; m < g_.members(); ++m)
      if (alive(m)) {
        const Extent e = g_.at({row_, m}, p.range.from, p.range.sectors());
        copies.push_back({e.disk, e.sector});
      }
    if (copies.empty()) return lose();
    plan.rows.degraded += copies.size() < g_.members();
    const Copy& chosen = copies[copies.size() == 1 ? 0 : choose_(copies)];
    add({Step::Kind::read, {chosen.disk, chosen.sector, p.range.sectors()}, {true, p.own}, {}, {}});
  }
  void write_copies() {
    for (const Piece& p : pieces_) {
      std::uint32_t written = 0;
      const std::uint32_t last = g_.mirror() ? g_.members() : p.member + 1;
      for (std::uint32_t m = g_.mirror() ? 0 : p.member; m < last; ++m)
        if (alive(m)) {
          write(g_.at({row_, m}, p.range.from, p.range.sectors()), {true, p.own}, {});
          ++written;
        }
      if (written == 0) return lose();
      if (g_.mirror()) plan.rows.degraded += written < g_.members();
    }
  }

  const Geometry& g_;
  const Planner::Rule& rule_;
  const ChooseCopy& choose_;
  const Failures& failures_;
  std::uint64_t row_ = 0;
  std::vector<Piece> pieces_;
  std::vector<std::vector<Held>> held_;  // by member
  std::vector<std::uint32_t> reads_;     // of the row
  std::vector<std::uint32_t> unknown_;   // the row's data on failed disks
  std::vector<std::uint32_t> checks_;    // the row's remaining checks
  std::vector<Step> writes_, check_writes_;
};

/// Has add_row() add the steps of each row of a request.
void add_rows(Builder& builder, std::span<const Part> parts, void (Builder::*add_row)()) {
  builder.plan.first_row = parts.front().unit.row;
  for (std::size_t i = 0; i < parts.size();) {
    const std::uint64_t row = parts[i].unit.row;
    std::vector<Piece> pieces;
    for (; i < parts.size() && parts[i].unit.row == row; ++i)
      pieces.push_back({parts[i].unit.member, {parts[i].from, parts[i].from + parts[i].sectors}, parts[i].own});
    builder.start_row(row, std::move(pieces));
    (builder.*add_row)();
  }
}

Plan finished(Builder& builder) {
  builder.add_writes();
  builder.order_writes();
  if (builder.plan.lost) return {.lost = true};
  return std::move(builder.plan);
}

}  // namespace

Planner::Planner(const Geometry& geometry, Rule rule, ChooseCopy choose)
    : geometry_(geometry), rule_(rule), choose_(std::move(choose)) {}

Plan Planner::read(std::span<const Part> parts, const Failures& failures) const {
  Builder b(geometry_, rule_, choose_, failures);
  add_rows(b, parts, &Builder::read_row);
  // Data computed from several units must not mix old and new units.
  b.plan.locks = b.plan.rows.degraded > 0 && !geometry_.mirror();
  return finished(b);
}

Plan Planner::write(std::span<const Part> parts, const Failures& failures) const {
  Builder b(geometry_, rule_, choose_, failures);
  add_rows(b, parts, &Builder::write_row);
  b.plan.locks = geometry_.checks() > 0;
  return finished(b);
}

Plan Planner::rebuild(Member unit, const Failures& failures) const {
  Builder b(geometry_, rule_, choose_, failures);
  b.start_row(unit.row, {});
  b.rebuild_row(unit.member);
  b.plan.first_row = unit.row;
  b.plan.locks = true;
  return finished(b);
}

Plan Planner::check(std::uint64_t row, const Failures& failures) const {
  Builder b(geometry_, rule_, choose_, failures);
  b.start_row(row, {});
  b.check_row();
  b.plan.first_row = row;
  b.plan.locks = true;
  return finished(b);
}

}  // namespace sunstar::io::redundant
