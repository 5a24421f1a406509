// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>

// Random streams. Each consumer has its own, derived from (seed, instance name), so that a new consumer does not change
// the numbers of the others.
namespace sunstar {

/// SplitMix64's finaliser (Steele, Lea, Flood 2014): spreads every bit of `x` over the whole word.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// xoshiro256** (Blackman, Vigna 2018), seeded from a run's seed and a name. It gives the same numbers on every host,
/// unlike the distributions of <random>.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name) {
    std::uint64_t h = mix64(seed);
    for (char c : name) h = mix64(h ^ static_cast<unsigned char>(c));
    for (auto& s : state_) s = h = mix64(h);
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Uniform in [0, n), without bias (Lemire 2019). n must be positive.
  std::uint64_t below(std::uint64_t n) {
    while (true) {
      const auto m = static_cast<unsigned __int128>(next()) * n;
      const auto low = static_cast<std::uint64_t>(m);
      if (low >= n || low >= -n % n)
        return static_cast<std::uint64_t>(m >> 64);  // -n % n is below n, so it is seldom computed
    }
  }

 private:
  std::uint64_t state_[4];
};

}  // namespace sunstar
