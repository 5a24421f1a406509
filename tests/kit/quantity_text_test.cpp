// SPDX-License-Identifier: MIT
#include "platforms/kit/quantity_text.h"

#include <limits>

#include "models/core/random.h"
#include "tests/support/catch.h"

using namespace sunstar;
using kit::parse;
using kit::to_text;

namespace {

template <class Q>
Q read(const std::string& text) {
  Q q{};
  INFO(text);
  REQUIRE(kit::parse(text, q) == "");
  return q;
}

template <class Q>
std::string why(const std::string& text) {
  Q q{};
  return kit::parse(text, q);
}

}  // namespace

TEST_CASE("durations are exact to the picosecond") {
  CHECK(read<Duration>("100ps").count() == 100);
  CHECK(read<Duration>("20ns").count() == 20'000);
  CHECK(read<Duration>("1.6ms").count() == 1'600'000'000);
  CHECK(read<Duration>("0.5s").count() == 500'000'000'000);
  CHECK(read<Duration>("14.992503748ms").count() == 14'992'503'748);
  CHECK(read<Duration>("0.300000000000s").count() == 300'000'000'000);
  CHECK(read<Duration>("0s").count() == 0);
}

TEST_CASE("sizes, bandwidths and frequencies tell powers of ten from powers of two") {
  CHECK(read<Bytes>("8KiB").count == 8192);
  CHECK(read<Bytes>("10MB").count == 10'000'000);
  CHECK(read<Bytes>("1.5KiB").count == 1536);
  CHECK(read<Bytes>("512B").count == 512);
  CHECK(read<Bandwidth>("200MB/s").bytes_per_second == 200e6);
  CHECK(read<Bandwidth>("10MiB/s").bytes_per_second == 10'485'760);
  CHECK(read<Bandwidth>("1.1GB/s").bytes_per_second == 1.1e9);
  CHECK(read<Frequency>("50MHz").hertz == 50e6);
  CHECK(read<Frequency>("33.3333MHz").hertz == 33.3333e6);
}

TEST_CASE("quantities print in a readable unit") {
  using namespace sunstar::literals;
  CHECK(to_text(Duration{0}) == "0s");
  CHECK(to_text(Duration{1}) == "1ps");
  CHECK(to_text(20_ns) == "20ns");
  CHECK(to_text(1600_us) == "1.6ms");
  CHECK(to_text(Duration{14'992'503'748}) == "14.992503748ms");
  CHECK(to_text(500_ms) == "500ms");
  CHECK(to_text(90'000_ms) == "90s");
  CHECK(to_text(0_B) == "0B");
  CHECK(to_text(512_B) == "512B");
  CHECK(to_text(8_KiB) == "8KiB");
  CHECK(to_text(10_MiB) == "10MiB");
  CHECK(to_text(Bytes{10'000'000}) == "10MB");
  CHECK(to_text(Bytes{1'310'720}) == "1280KiB");
  CHECK(to_text(200_MBps) == "200MB/s");
  CHECK(to_text(Bandwidth{10'485'760}) == "10MiB/s");
  CHECK(to_text(Bandwidth{2.25e6}) == "2.25MB/s");
  CHECK(to_text(Bandwidth{0}) == "0B/s");
  CHECK(to_text(50_MHz) == "50MHz");
  CHECK(to_text(Frequency{0.5}) == "0.5Hz");
}

TEST_CASE("every printed quantity reads back as the same quantity") {
  RandomStream random(1, "quantities");
  for (int i = 0; i < 2000; ++i) {
    const auto bits = random.next() >> random.below(64);
    const Duration d{static_cast<std::int64_t>(bits >> 4)};
    CHECK(read<Duration>(to_text(d)) == d);
    const Bytes b{bits};
    CHECK(read<Bytes>(to_text(b)) == b);
    const double real = static_cast<double>(bits) * random.uniform();
    CHECK(read<Bandwidth>(to_text(Bandwidth{real})).bytes_per_second == real);
    CHECK(read<Frequency>(to_text(Frequency{real})).hertz == real);
  }
  CHECK(read<Duration>(to_text(longest_duration)) == longest_duration);
  CHECK(read<Bytes>(to_text(Bytes{std::numeric_limits<std::uint64_t>::max()})).count ==
        std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("an unreadable quantity is refused with the reason") {
  const std::string units = " (ps, ns, us, ms or s)", wrong = "it must be a duration such as \"20ns\"";
  CHECK(why<Duration>("20") == "the unit is missing" + units);
  CHECK(why<Duration>("20 ns") == "\" ns\" is not a unit of a duration" + units + "; did you mean \"ns\"?");
  CHECK(why<Duration>("20MB") == "\"MB\" is not a unit of a duration" + units + "; did you mean \"ms\"?");
  CHECK(why<Duration>("20fortnights") == "\"fortnights\" is not a unit of a duration" + units);
  for (const char* text : {"", "ns", "-1ns", "+1ns", ".5ns", "5.ns", "1.2.3ns", "nan"})
    CHECK(why<Duration>(text) == wrong);
  CHECK(why<Duration>("0.3ps") == "it is not a whole number of picoseconds");
  CHECK(why<Duration>("9300000s") == "it is more than 9223372036854775807 picoseconds");
  CHECK(why<Duration>("1000000000000000000000000000s") == "it has too many digits");
  CHECK(why<Bytes>("0.5B") == "it is not a whole number of bytes");
  CHECK(why<Bytes>("8KB") ==
        "\"KB\" is not a unit of a size (B, kB, KiB, MB, MiB, GB, GiB, TB or TiB); did you mean \"kB\"?");
  CHECK(why<Bandwidth>("200MB") ==
        "\"MB\" is not a unit of a bandwidth (B/s, KiB/s, kB/s, MiB/s, MB/s, GiB/s, GB/s, TiB/s or TB/s); did you mean "
        "\"MB/s\"?");
  CHECK(why<Frequency>("50mhz") == "\"mhz\" is not a unit of a frequency (Hz, kHz, MHz or GHz); did you mean \"MHz\"?");
}
