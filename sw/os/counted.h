// SPDX-License-Identifier: MIT
#pragma once
#include "sw/os/costs.h"

// Marks in the firmware that say which primitive its code carries out. `sunstar validate costs` compiles the firmware
// for a RISC-V with SUNSTAR_COUNTING and counts the instructions between the marks (tests/counting); in all other
// builds the marks are nothing. A scope must not span a co_await. Scopes nest: an instruction counts for the innermost
// one.
namespace sunstar::os {

/// What a mark says. tests/counting/plugin.cpp knows the same numbers; 1, 2, ... are the primitives in their order.
namespace mark {
inline constexpr int unless_inside = 256, from_here = 512;  ///< added to a primitive's number
inline constexpr int first_node = 1024;                     ///< plus a node's number
inline constexpr int apart = 2045, not_on_the_machine = 2046, end = 2047;
constexpr int of(Cost cost) { return static_cast<int>(cost) + 1; }
}  // namespace mark

#ifdef SUNSTAR_COUNTING
/// Whether this build counts. Threads then compute in no time: sending and settling go on at once, as on the real
/// machine, where computing needs no detour through the scheduler.
inline constexpr bool counting = true;

/// An instruction that does nothing but hold a number.
template <int number>
[[gnu::always_inline]] inline void set_mark() {
  asm volatile("slti x0, x0, %0" : : "i"(number) : "memory");
}
/// Encloses code in the mark of that number.
template <int number>
struct Marked {
  Marked() { set_mark<number>(); }
  Marked(const Marked&) = delete;
  ~Marked() { set_mark<mark::end>(); }
};
#else
inline constexpr bool counting = false;

template <int number>
constexpr void set_mark() {}
template <int number>
struct Marked {
  // Not defaulted, so that no compiler takes the mark for an unused variable.
  constexpr ~Marked() {}  // NOLINT(modernize-use-equals-default)
};
#endif

/// The code of this scope carries out the primitive.
template <Cost cost>
using Counted = Marked<mark::of(cost)>;
/// The same, unless it is part of another primitive that is being counted.
template <Cost cost>
using CountedUnlessInside = Marked<mark::of(cost) + mark::unless_inside>;
/// For threads, which scopes cannot follow: what this thread does outside of scopes counts for the primitive from here
/// on, until it waits.
template <Cost cost>
inline void counted_from_here() {
  set_mark<mark::of(cost) + mark::from_here>();
}
/// The code is a thread's: it belongs to none of the primitives around it.
using CountedApart = Marked<mark::apart>;
/// The code exists in the simulation only: it keeps the record, or stands for hardware.
using NotOnTheMachine = Marked<mark::not_on_the_machine>;

}  // namespace sunstar::os
