// SPDX-License-Identifier: MIT
#include "platforms/kit/quantity_text.h"

#include <charconv>
#include <limits>

namespace sunstar::kit {
namespace {

/// A unit is a power of ten or a power of two of the type's own tick.
struct Unit {
  std::string_view name;
  int ten = 0, two = 0;
};
// Largest first: of two texts of equal length, to_text() takes the text with the earlier unit.
constexpr Unit duration_units[] = {{"s", 12}, {"ms", 9}, {"us", 6}, {"ns", 3}, {"ps"}};
constexpr Unit byte_units[] = {{"TiB", 0, 40}, {"TB", 12},     {"GiB", 0, 30}, {"GB", 9}, {"MiB", 0, 20},
                               {"MB", 6},      {"KiB", 0, 10}, {"kB", 3},      {"B"}};
constexpr Unit bandwidth_units[] = {{"TB/s", 12},     {"TiB/s", 0, 40}, {"GB/s", 9},      {"GiB/s", 0, 30}, {"MB/s", 6},
                                    {"MiB/s", 0, 20}, {"kB/s", 3},      {"KiB/s", 0, 10}, {"B/s"}};
constexpr Unit frequency_units[] = {{"GHz", 9}, {"MHz", 6}, {"kHz", 3}, {"Hz"}};

template <std::size_t N>
Notation make_notation(const char* noun, const char* example, const Unit (&units)[N]) {
  Notation n{noun, example, mapped(units, [](const Unit& u) { return std::string(u.name); })};
  std::ranges::reverse(n.units);
  return n;
}
template <class Quantity, std::size_t N>
const Notation& notation_by(const char* noun, const char* example, const Unit (&units)[N]) {
  static const Notation n = make_notation(noun, example, units);
  return n;
}

__extension__ using Wide = unsigned __int128;

Wide power_of_ten(int n) {
  Wide p = 1;
  while (n-- > 0) p *= 10;
  return p;
}
Wide factor(const Unit& u) { return power_of_ten(u.ten) << u.two; }

/// The number and the unit of a text.
struct Split {
  std::string_view number;
  const Unit* unit = nullptr;
  std::string why;
};

template <std::size_t N>
Split split(std::string_view text, const Unit (&units)[N], const Notation& n) {
  std::size_t end = 0, points = 0, digits = 0;
  for (; end < text.size() && (text[end] == '.' || (text[end] >= '0' && text[end] <= '9')); ++end)
    ++(text[end] == '.' ? points : digits);
  Split s{text.substr(0, end), nullptr, {}};
  const auto name = text.substr(end);
  if (digits == 0 || points > 1 || s.number.front() == '.' || s.number.back() == '.') {
    s.why = "it must be " + n.noun + " such as " + in_quotes(n.example);
    return s;
  }
  for (const auto& u : units)
    if (u.name == name) s.unit = &u;
  if (!s.unit)
    s.why = (name.empty() ? "the unit is missing" : in_quotes(name) + " is not a unit of " + n.noun) + " (" +
            listed(n.units, "or", false) + ")" + (name.empty() ? "" : suggestion(name, n.units));
  return s;
}

/// Exact: the number of ticks must be whole and fit.
template <class Tick>
std::string whole_ticks(const Split& s, Tick most, std::string_view tick, Tick& into) {
  Wide mantissa = 0;
  int digits = 0, decimals = 0;
  bool after_point = false;
  for (char c : s.number) {
    if (c == '.') {
      after_point = true;
      continue;
    }
    if (mantissa != 0 || c != '0') ++digits;
    if (digits > 24) return "it has too many digits";
    mantissa = mantissa * 10 + static_cast<unsigned>(c - '0');
    decimals += after_point;
  }
  if (decimals > 24) return "it has too many digits";
  const Wide scaled = mantissa * factor(*s.unit), divisor = power_of_ten(decimals);
  if (scaled % divisor != 0) return "it is not a whole number of " + std::string(tick);
  if (scaled / divisor > static_cast<Wide>(most)) return concat("it is more than ", most, " ", tick);
  into = static_cast<Tick>(scaled / divisor);
  return {};
}

std::string real_ticks(const Split& s, double& into) {
  // The exponent goes into the text, so that the result is the double nearest to the written number.
  const std::string text = std::string(s.number) + "e" + std::to_string(s.unit->ten);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  if (error != std::errc{}) return "it is too large or too small a number";
  into = std::ldexp(into, s.unit->two);
  return {};
}

/// `digits` times ten to the `exponent`, the first digit before the point: "16", -1 is 1.6e-1.
std::string positional(std::string digits, int exponent) {
  while (digits.size() > 1 && digits.back() == '0') digits.pop_back();
  if (exponent < 0) return "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
  const auto before = static_cast<std::size_t>(exponent) + 1;
  if (digits.size() <= before) return digits + std::string(before - digits.size(), '0');
  return digits.substr(0, before) + "." + digits.substr(before);
}

template <std::size_t N>
std::string real_text(double value, const Unit (&units)[N]) {
  std::string best;
  for (const auto& u : units) {
    const double scaled = std::ldexp(value, -u.two);
    char buffer[40];
    const auto end = std::to_chars(buffer, buffer + sizeof buffer, scaled, std::chars_format::scientific).ptr;
    const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
    const auto e = text.find('e');
    std::string digits{text.substr(0, 1)};
    if (e > 1) digits += text.substr(2, e - 2);
    const int exponent = value == 0 ? 0 : std::stoi(std::string(text.substr(e + 1))) - u.ten;
    const bool least = &u == &units[N - 1];
    if (!least && (value == 0 || exponent < 0)) continue;
    const auto candidate = positional(digits, exponent) + std::string(u.name);
    if (best.empty() || candidate.size() < best.size()) best = candidate;
  }
  return best;
}

}  // namespace

const Notation& notation(const Duration*) { return notation_by<Duration>("a duration", "20ns", duration_units); }
const Notation& notation(const Bytes*) { return notation_by<Bytes>("a size", "8KiB", byte_units); }
const Notation& notation(const Bandwidth*) { return notation_by<Bandwidth>("a bandwidth", "200MB/s", bandwidth_units); }
const Notation& notation(const Frequency*) { return notation_by<Frequency>("a frequency", "50MHz", frequency_units); }

std::string parse(std::string_view text, Duration& into) {
  const auto s = split(text, duration_units, notation<Duration>());
  std::int64_t ticks = 0;
  auto why = s.unit ? whole_ticks(s, std::numeric_limits<std::int64_t>::max(), "picoseconds", ticks) : s.why;
  if (why.empty() && ticks > longest_duration.count()) why = "it is more than 1152921s (13 days)";
  if (why.empty()) into = Duration{ticks};
  return why;
}
std::string parse(std::string_view text, Bytes& into) {
  const auto s = split(text, byte_units, notation<Bytes>());
  return s.unit ? whole_ticks(s, std::numeric_limits<std::uint64_t>::max(), "bytes", into.count) : s.why;
}
std::string parse(std::string_view text, Bandwidth& into) {
  const auto s = split(text, bandwidth_units, notation<Bandwidth>());
  return s.unit ? real_ticks(s, into.bytes_per_second) : s.why;
}
std::string parse(std::string_view text, Frequency& into) {
  const auto s = split(text, frequency_units, notation<Frequency>());
  return s.unit ? real_ticks(s, into.hertz) : s.why;
}

std::string to_text(Duration d) {
  if (d.count() == 0) return "0s";
  const auto digits =
      std::to_string(d.count() < 0 ? 0 - static_cast<std::uint64_t>(d.count()) : static_cast<std::uint64_t>(d.count()));
  for (const auto& u : duration_units) {
    const int exponent = static_cast<int>(digits.size()) - 1 - u.ten;
    if (exponent >= 0) return (d.count() < 0 ? "-" : "") + positional(digits, exponent) + std::string(u.name);
  }
  return {};
}
std::string to_text(Bytes b) {
  std::string best;
  for (const auto& u : byte_units) {
    if (b.count % factor(u) != 0 || (b.count == 0 && u.name != "B")) continue;
    const auto candidate = std::to_string(static_cast<std::uint64_t>(b.count / factor(u))) + std::string(u.name);
    if (best.empty() || candidate.size() < best.size()) best = candidate;
  }
  return best;
}
std::string to_text(Bandwidth b) { return real_text(b.bytes_per_second, bandwidth_units); }
std::string to_text(Frequency f) { return real_text(f.hertz, frequency_units); }

std::string pattern(const Notation& n) {
  std::string units;
  for (const auto& u : n.units) units += (units.empty() ? "" : "|") + u;
  return "^[0-9]+(\\.[0-9]+)?(" + units + ")$";
}

}  // namespace sunstar::kit
