// SPDX-License-Identifier: MIT
#include "sw/io/store/redundant/plan.h"

#include <algorithm>
#include <cassert>
#include <optional>

#include "sw/io/store/redundant/galois.h"

namespace sunstar::io::redundant {
namespace {

/// Sectors of a unit, by their offset in it.
struct Range {
  std::uint32_t from = 0, to = 0;
  std::uint32_t sectors() const { return to - from; }
  bool empty() const { return from >= to; }
  bool covers(const Range& other) const { return from <= other.from && other.to <= to; }
};

/// What a request has in one unit.
struct Piece {
  std::uint32_t member = 0;
  Range range;
  std::uint32_t own = 0;  ///< where it is in the request's data
};

/// Where sectors of a unit are in memory.
struct Held {
  Range range;
  Slice memory;
  std::optional<std::uint32_t> step;  ///< that brings them
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
    row_ = row;
    pieces_ = std::move(pieces);
    held_.assign(g_.members(), {});
    reads_.clear();
  }

  // Reads.

  void read_row() {
    if (g_.mirror()) return read_copies();
    Range lost;
    for (const Piece& p : pieces_)
      if (!alive(p.member))
        lost = lost.empty() ? p.range : Range{std::min(lost.from, p.range.from), std::max(lost.to, p.range.to)};
    // A unit of which the request itself wants just these sectors, or all of what is lost, is read into its data.
    for (const Piece& p : pieces_)
      if (alive(p.member) && (lost.empty() || p.range.covers(lost) || separate(p.range, lost)))
        read(p.member, p.range, Slice{true, p.own});
    if (lost.empty()) return;
    ++plan.rows.degraded;
    const std::vector<std::uint32_t> unknown = failed_data(), checks = alive_checks();
    if (unknown.size() > checks.size()) return lose();
    for (std::uint32_t m = 0; m < g_.data(); ++m) {
      if (!alive(m) || held(m, lost)) continue;
      const Piece* const wanted = piece_of(m);
      const bool apart = !wanted || separate(wanted->range, lost);
      const Range range =
          apart ? lost : Range{std::min(lost.from, wanted->range.from), std::max(lost.to, wanted->range.to)};
      const std::uint32_t step = read(m, range);
      if (apart) continue;
      compute(wanted->range.sectors(), {true, wanted->own},
              {{behind(held_[m].back().memory, wanted->range.from - range.from), 0, wanted->range.sectors()}}, {step});
    }
    for (std::size_t c = 0; c < unknown.size(); ++c) read(checks[c], lost);
    for (const Piece& p : pieces_)
      if (!alive(p.member)) decode(p.member, unknown, checks, p.range, {true, p.own});
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
    const std::vector<std::uint32_t> unknown = failed_data(), checks = alive_checks();
    if (unknown.size() + g_.checks() - checks.size() > g_.checks()) return lose();
    const bool degraded = !unknown.empty() || checks.size() < g_.checks();
    plan.rows.degraded += degraded;
    if (checks.empty()) return write_data();
    const Range& first = pieces_[0].range;
    const bool alike = std::all_of(pieces_.begin(), pieces_.end(), [&](const Piece& p) {
      return p.range.from == first.from && p.range.to == first.to;
    });
    const Range extent = alike ? first : Range{0, g_.unit_sectors()};
    const auto written = [&](std::uint32_t m) {
      const Piece* const p = piece_of(m);
      return p && p->range.covers(extent);
    };
    bool all = true, touched = pieces_.size() == g_.data(), lost_untouched = true, lost_written = true;
    for (std::uint32_t m = 0; m < g_.data(); ++m) all = all && written(m);
    for (std::uint32_t m : unknown) {
      lost_untouched = lost_untouched && !piece_of(m);
      lost_written = lost_written && written(m);
    }
    if (all || (touched && rule_.full_row == FullRow::touched)) {
      ++plan.rows.full;
      make_checks(checks, extent);
    } else if (!unknown.empty() && !lost_untouched && !lost_written) {
      ++plan.rows.reconstruct;
      read_all(unknown, checks, extent);
      make_checks(checks, extent);
    } else if (unknown.empty() ? pieces_.size() < reconstruct_from() : lost_untouched) {
      ++plan.rows.read_modify_write;
      change_checks(checks, extent);
    } else {
      ++plan.rows.reconstruct;
      for (std::uint32_t m = 0; m < g_.data(); ++m) read_rest(m, extent);
      make_checks(checks, extent);
    }
    write_data();
  }

  /// All of a member's unit, from the others.
  void rebuild_row(std::uint32_t member) {
    const Range unit{0, g_.unit_sectors()};
    const Slice made = buffer(unit.sectors());
    std::vector<std::uint32_t> unknown = failed_data(), checks = alive_checks();
    const auto is = [&](std::uint32_t m) { return m == member; };
    if (std::none_of(unknown.begin(), unknown.end(), is) && member < g_.data()) unknown.push_back(member);
    checks.erase(std::remove_if(checks.begin(), checks.end(), is), checks.end());
    if (unknown.size() > checks.size()) return lose();
    for (std::uint32_t m = 0; m < g_.data(); ++m)
      if (std::find(unknown.begin(), unknown.end(), m) == unknown.end()) read(m, unit);
    for (std::size_t c = 0; c < unknown.size(); ++c) read(checks[c], unit);
    std::uint32_t step = 0;
    if (member < g_.data()) {
      step = decode(member, unknown, checks, unit, made);
    } else {
      for (std::uint32_t m : unknown) hold(m, unit, unknown, checks);
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

  /// Writes come after the reads of their disk, and checks after those of their row; now that all are known.
  void order_writes() {
    for (std::uint32_t w = 0; w < plan.steps.size(); ++w) {
      Step& step = plan.steps[w];
      if (step.kind != Step::Kind::write) continue;
      for (std::uint32_t r = 0; r < w; ++r)
        if (plan.steps[r].kind == Step::Kind::read && plan.steps[r].at.disk == step.at.disk) step.after.push_back(r);
      std::sort(step.after.begin(), step.after.end());
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
  std::vector<std::uint32_t> failed_data() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t m = 0; m < g_.data(); ++m)
      if (!alive(m)) found.push_back(m);
    return found;
  }
  std::vector<std::uint32_t> alive_checks() const {
    std::vector<std::uint32_t> found;
    for (std::uint32_t m = g_.data(); m < g_.members(); ++m)
      if (alive(m)) found.push_back(m);
    return found;
  }
  const Piece* piece_of(std::uint32_t member) const {
    for (const Piece& p : pieces_)
      if (p.member == member) return &p;
    return nullptr;
  }
  /// Fewer than this many units are written by read-modify-write. That reads m + checks units, the other way data - m.
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

  /// What holds all of the range of a unit; null if nothing does.
  const Held* held(std::uint32_t member, const Range& range) const {
    for (const Held& h : held_[member])
      if (h.range.covers(range)) return &h;
    return nullptr;
  }
  /// The summand of what a unit holds of a range.
  static Term term(const Held& h, const Range& of, std::uint8_t factor) {
    const Range part{std::max(h.range.from, of.from), std::min(h.range.to, of.to)};
    return {behind(h.memory, part.from - h.range.from), part.from - of.from, part.sectors(), factor};
  }

  /// Computes an unknown unit's range from the units that are held.
  std::uint32_t decode(std::uint32_t member, const std::vector<std::uint32_t>& unknown,
                       const std::vector<std::uint32_t>& checks, const Range& range, Slice into) {
    std::vector<std::uint32_t> used;
    for (std::size_t c = 0; c < unknown.size(); ++c) used.push_back(checks[c] - g_.data());
    const auto factors = inverted(used, unknown);
    const std::size_t x = static_cast<std::size_t>(std::find(unknown.begin(), unknown.end(), member) - unknown.begin());
    std::vector<Term> terms;
    std::vector<std::uint32_t> after;
    const auto take = [&](std::uint32_t m, std::uint8_t factor) {
      const Held* const h = held(m, range);
      assert(h);
      terms.push_back(term(*h, range, factor));
      if (h->step) after.push_back(*h->step);
    };
    for (std::size_t c = 0; c < used.size(); ++c) take(checks[c], factors[x][c]);
    for (std::uint32_t m = 0; m < g_.data(); ++m) {
      if (std::find(unknown.begin(), unknown.end(), m) != unknown.end()) continue;
      std::uint8_t factor = 0;
      for (std::size_t c = 0; c < used.size(); ++c)
        factor = static_cast<std::uint8_t>(factor ^ multiply(factors[x][c], coefficient(used[c], m)));
      if (factor != 0) take(m, factor);
    }
    return compute(range.sectors(), into, std::move(terms), std::move(after));
  }
  /// Computes an unknown unit's range into a buffer and holds it.
  void hold(std::uint32_t member, const Range& range, const std::vector<std::uint32_t>& unknown,
            const std::vector<std::uint32_t>& checks) {
    const Slice made = buffer(range.sectors());
    const std::uint32_t step = decode(member, unknown, checks, range, made);
    held_[member].push_back({range, made, step});
  }

  /// Reads all that is left of a row in which data are missing that the checks need, and computes these.
  void read_all(const std::vector<std::uint32_t>& unknown, const std::vector<std::uint32_t>& checks,
                const Range& extent) {
    for (std::uint32_t m = 0; m < g_.data(); ++m)
      if (alive(m)) read(m, extent);
    for (std::size_t c = 0; c < unknown.size(); ++c) read(checks[c], extent);
    for (std::uint32_t m : unknown) hold(m, extent, unknown, checks);
  }
  /// Reads what the request does not write of a unit.
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
        // What the request replaces does not count: only what lies before and behind it.
        const Range replaced = p ? p->range : Range{extent.to, extent.to};
        for (const Range& part : {Range{h.range.from, std::min(h.range.to, replaced.from)},
                                  Range{std::max(h.range.from, replaced.to), h.range.to}}) {
          if (part.empty()) continue;
          Term t{behind(h.memory, part.from - h.range.from), part.from - extent.from, part.sectors(), factor};
          terms.push_back(t);
          if (!p) break;
        }
        if (h.step) after.push_back(*h.step);
      }
    }
    return compute(extent.sectors(), into, std::move(terms), std::move(after));
  }
  void make_checks(const std::vector<std::uint32_t>& checks, const Range& extent) {
    for (std::uint32_t c : checks) {
      const Slice made = buffer(extent.sectors());
      write_check(c, extent, made, sum_of_data(c - g_.data(), extent, made));
    }
  }
  void change_checks(const std::vector<std::uint32_t>& checks, const Range& extent) {
    for (const Piece& p : pieces_) read(p.member, p.range);
    for (std::uint32_t c : checks) read(c, extent);
    for (std::uint32_t c : checks) {
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
    checks_.push_back(
        {Step::Kind::write, g_.at({row_, check}, extent.from, extent.sectors()), made, {}, std::move(after)});
  }
  void write_data() {
    for (const Piece& p : pieces_)
      if (alive(p.member)) write(g_.at({row_, p.member}, p.range.from, p.range.sectors()), {true, p.own}, {});
    for (Step& c : checks_) writes_.push_back(std::move(c));
    checks_.clear();
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
  std::vector<Step> writes_, checks_;
};

/// Calls visit(row, pieces) for each row of a request.
template <class Visit>
void for_each_row(std::span<const Part> parts, Visit visit) {
  for (std::size_t i = 0; i < parts.size();) {
    const std::uint64_t row = parts[i].unit.row;
    std::vector<Piece> pieces;
    for (; i < parts.size() && parts[i].unit.row == row; ++i)
      pieces.push_back({parts[i].unit.member, {parts[i].from, parts[i].from + parts[i].sectors}, parts[i].own});
    visit(row, std::move(pieces));
  }
}

Plan finished(Builder& builder) {
  builder.add_writes();
  builder.order_writes();
  if (!builder.plan.lost) return std::move(builder.plan);
  Plan lost;
  lost.lost = true;
  return lost;
}

}  // namespace

Planner::Planner(const Geometry& geometry, Rule rule, ChooseCopy choose)
    : geometry_(geometry), rule_(rule), choose_(std::move(choose)) {}

std::vector<Part> Planner::parts(std::uint64_t sector, std::uint32_t sectors) const {
  std::vector<Part> found;
  for (std::uint32_t own = 0; own < sectors;) {
    const std::uint64_t at = sector + own;
    const auto from = static_cast<std::uint32_t>(at % geometry_.unit_sectors());
    const std::uint32_t length = std::min(geometry_.unit_sectors() - from, sectors - own);
    found.push_back({geometry_.member_of(at), from, length, own});
    own += length;
  }
  return found;
}

Plan Planner::read(std::span<const Part> parts, const Failures& failures) const {
  Builder b(geometry_, rule_, choose_, failures);
  for_each_row(parts, [&](std::uint64_t row, std::vector<Piece> pieces) {
    b.start_row(row, std::move(pieces));
    b.read_row();
  });
  b.plan.first_row = parts.front().unit.row;
  b.plan.last_row = parts.back().unit.row;
  // What is computed of several units must not mix old and new ones.
  b.plan.locks = b.plan.rows.degraded > 0 && !geometry_.mirror();
  return finished(b);
}

Plan Planner::write(std::span<const Part> parts, const Failures& failures) const {
  Builder b(geometry_, rule_, choose_, failures);
  for_each_row(parts, [&](std::uint64_t row, std::vector<Piece> pieces) {
    b.start_row(row, std::move(pieces));
    b.write_row();
  });
  b.plan.first_row = parts.front().unit.row;
  b.plan.last_row = parts.back().unit.row;
  b.plan.locks = geometry_.checks() > 0;
  return finished(b);
}

Plan Planner::rebuild(Member unit, const Failures& failures) const {
  Builder b(geometry_, rule_, choose_, failures);
  b.start_row(unit.row, {});
  b.rebuild_row(unit.member);
  b.plan.first_row = b.plan.last_row = unit.row;
  b.plan.locks = true;
  return finished(b);
}

Plan Planner::check(std::uint64_t row, const Failures& failures) const {
  Builder b(geometry_, rule_, choose_, failures);
  b.start_row(row, {});
  b.check_row();
  b.plan.first_row = b.plan.last_row = row;
  b.plan.locks = true;
  return finished(b);
}

}  // namespace sunstar::io::redundant
