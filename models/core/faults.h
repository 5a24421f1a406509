// SPDX-License-Identifier: MIT
#pragma once
#include <fnmatch.h>
#include <deque>
#include <functional>
#include <limits>
#include <tuple>

#include "models/core/one_of.h"
#include "models/core/param.h"
#include "models/core/random.h"

// Faults: when one begins to strike, how a configuration declares it, and the faults of a part.
namespace sunstar::faults {

struct AtTime {
  static constexpr std::string_view kind = "time";
  static constexpr std::string_view help = "from a point of simulated time on";
  Duration at{};
};
BOOST_DESCRIBE_STRUCT(AtTime, (), (at))
inline std::vector<Param> parameters(const AtTime*) { return {{"at", "simulated time", "0s", "1000000s"}}; }

struct AtOperation {
  static constexpr std::string_view kind = "operation";
  static constexpr std::string_view help =
      "from the part's nth operation on that the effect can strike: command, connection or message";
  std::uint64_t number = 1;
};
BOOST_DESCRIBE_STRUCT(AtOperation, (), (number))
inline std::vector<Param> parameters(const AtOperation*) {
  return {{"number", "which operation, counted from 1", "1", "1000000000000"}};
}

struct AtRate {
  static constexpr std::string_view kind = "rate";
  static constexpr std::string_view help = "each operation with a probability, drawn from the seed";
  double probability = 0;
};
BOOST_DESCRIBE_STRUCT(AtRate, (), (probability))
inline std::vector<Param> parameters(const AtRate*) {
  return {{"probability", "that an operation is struck", "0", "1"}};
}

struct Exponential {
  static constexpr std::string_view kind = "exponential";
  static constexpr std::string_view help = "after times drawn from an exponential distribution";
  Duration mean = std::chrono::seconds{1};
};
BOOST_DESCRIBE_STRUCT(Exponential, (), (mean))
inline std::vector<Param> parameters(const Exponential*) {
  return {{"mean", "mean time from one strike, or from the end of its state, to the next", "1ns", "1000000s"}};
}

struct Weibull {
  static constexpr std::string_view kind = "weibull";
  static constexpr std::string_view help =
      "after times drawn from a Weibull distribution. Times between replacements of disks in the field have shapes of "
      "0.7 to 0.8 (Schroeder and Gibson, FAST 2007)";
  Duration scale = std::chrono::seconds{1};
  double shape = 0.7;
};
BOOST_DESCRIBE_STRUCT(Weibull, (), (scale, shape))
inline std::vector<Param> parameters(const Weibull*) {
  return {{"scale", "63 % of the times are shorter", "1ns", "1000000s"},
          {"shape", "1: exponential; less: strikes come in clusters", "0.1", "10"}};
}

struct Trigger {
  OneOf<AtTime, AtOperation, AtRate, Exponential, Weibull> kind;
};
BOOST_DESCRIBE_STRUCT(Trigger, (), (kind))
inline std::vector<Param> parameters(const Trigger*) { return {{"kind", "what makes the fault strike"}}; }

/// How often and how long a fault strikes, once its trigger has let it begin.
struct Extent {
  static constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t times = 1;  ///< operations that it strikes; for a state with a random trigger, how often it begins
  Duration lasts{};         ///< from its beginning; 0: for good
};

/// One fault at one part. Pure: the part asks it, and pays nothing if it has none. Random times derive from the seed
/// and the part's name, so a fault at one part does not move those of others.
class Strikes {
 public:
  Strikes(const Trigger& trigger, const Extent& extent, std::uint64_t seed, std::string_view name);

  /// The part carries out an operation that this fault could strike; times of calls never decrease. Returns whether it
  /// strikes.
  bool operation(Time now);
  /// The same at the end of a run, without an operation: only a trigger of time strikes.
  bool passed(Time now) { return !by_operation() && operation(now); }
  /// The same for a fault that is a state of its part: an operation may begin it.
  void count(Time now);
  bool holds(Time now);
  /// For a trigger of time: when it strikes next, Time::max() if it does not.
  Time next() const { return begun_ || struck_ >= extent_.times ? Time::max() : begin_; }
  /// A trigger of time: its time has passed, and there was nothing to strike.
  void pass(Time now);
  /// The struck operation goes on for `time`: the next random strike comes that much later.
  void goes_on(Duration time) { begin_ += std::min(time, horizon - begin_); }
  /// The time of the last strike; a trigger of time comes before the operation that it strikes.
  Time last() const { return last_; }
  /// How many operations it has struck; for a state, how often it has begun.
  std::uint64_t struck() const { return struck_; }

  /// Called at each strike, for an observer.
  std::function<void(Time)> when_struck;

 private:
  bool by_operation() const { return trigger_.kind.is<AtOperation>() || trigger_.kind.is<AtRate>(); }
  bool drawn() const { return trigger_.kind.is<Exponential>() || trigger_.kind.is<Weibull>(); }
  bool begins(Time now);
  bool ended(Time now) const;
  bool strike(Time now);
  Duration draw();
  Time after(Time t);

  const Trigger trigger_;
  const Extent extent_;
  RandomStream random_;
  std::uint64_t operations_ = 0, struck_ = 0;
  bool begun_ = false;
  Time begin_{};  // when it begins, or began; of distributions, when it strikes next
  Time last_{};
};

/// One fault as a configuration declares it: a place, an effect, a trigger, and how often or how long. `Effects` is a
/// OneOf of the possible effects; an effect that is a state of its part is declared `lasting`.
template <class Effects>
struct FaultOf {
  std::string place;
  Effects effect;
  Trigger trigger;
  std::uint32_t times = 0;
  Duration lasts{};
  BOOST_DESCRIBE_CLASS(FaultOf, (), (place, effect, trigger, times, lasts), (), ())

  bool at(std::string_view part) const { return ::fnmatch(place.c_str(), std::string(part).c_str(), 0) == 0; }
  Extent extent() const {
    const bool lasting = effect.visit([](const auto& e) {
      return requires { e.lasting; };
    });
    const bool by_chance = !trigger.kind.template is<AtTime>() && !trigger.kind.template is<AtOperation>();
    return {times > 0 ? times : lasting || by_chance ? Extent::no_limit : 1, lasts};
  }
};
/// The part that has such faults defines what a place is.
template <class Effects>
std::vector<Param> parameters(const FaultOf<Effects>*) {
  return {{"place", "the part"},
          {"effect", "the fault at that place"},
          {"trigger", "when it begins"},
          {"times",
           "how many operations it strikes, or how often a state with a random trigger and an end begins; 0: one, or "
           "without limit if the effect is a state of the part, such as dead, or the trigger is random",
           "0", "4000000000"},
          {"lasts", "how long a strike lasts; 0s: for good", "0s", "1000000s"}};
}

/// The faults of one part by effect, in the order in which they were added. `Effects` is the OneOf of the possible
/// effects.
template <class Effects>
class FaultsOf;
template <class... Effects>
class FaultsOf<OneOf<Effects...>> {
 public:
  template <class Effect>
  struct FaultOf {
    Effect effect;
    Strikes strikes;
  };

  void add(const OneOf<Effects...>& effect, Strikes strikes) {
    effect.visit([&]<class Effect>(const Effect& e) { all<Effect>().push_back({e, std::move(strikes)}); });
  }
  template <class Effect>
  std::deque<FaultOf<Effect>>& all() {
    return std::get<std::deque<FaultOf<Effect>>>(all_);
  }
  /// The part carries out an operation that each fault of that effect could strike. Returns whether a fault does.
  template <class Effect>
  bool strike(Time now) {
    bool any = false;
    for (auto& one : all<Effect>()) any |= one.strikes.operation(now);
    return any;
  }
  /// Whether a state of that effect holds now; asks every fault of that effect.
  template <class Effect>
  bool hold(Time now) {
    bool any = false;
    for (auto& one : all<Effect>()) any |= one.strikes.holds(now);
    return any;
  }

 private:
  std::tuple<std::deque<FaultOf<Effects>>...> all_;
};

}  // namespace sunstar::faults
