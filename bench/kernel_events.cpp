// SPDX-License-Identifier: MIT
#include "bench/kernel_events.h"

#include <benchmark/benchmark.h>

#include <memory>
#include <systemc>
#include <vector>

#include "bench/in_child.h"
#include "models/core/random.h"

namespace sunstar::bench {
namespace {

class Ticker : public sc_core::sc_module {
 public:
  Ticker(const sc_core::sc_module_name& name, unsigned events)
      : sc_module(name), left_(events), random_(1, this->name()) {
    SC_HAS_PROCESS(Ticker);
    SC_METHOD(tick);
    sensitive << event_;
  }

 private:
  void tick() {
    if (left_-- > 0) event_.notify(sc_core::sc_time::from_value(1'000'000 + random_.next() % 1'000'000));
  }

  unsigned left_;
  RandomStream random_;
  sc_core::sc_event event_;
};

void kernel_events(benchmark::State& state) {
  const auto instances = static_cast<unsigned>(state.range(0));
  constexpr unsigned events = 2'000'000;
  for (auto _ : state) state.SetIterationTime(in_child([&] { return seconds_per_event(instances, events) * events; }));
  state.SetItemsProcessed(state.iterations() * events);
}
BENCHMARK(kernel_events)
    ->ArgName("instances")
    ->Arg(1)
    ->Arg(64)
    ->Arg(512)
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace

double seconds_per_event(unsigned instances, unsigned events) {
  const unsigned each = events / instances;
  std::vector<std::unique_ptr<Ticker>> tickers;
  for (unsigned i = 0; i < instances; ++i)
    tickers.push_back(std::make_unique<Ticker>(("ticker" + std::to_string(i)).c_str(), each));
  sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration
  const double start = cpu_seconds();
  sc_core::sc_start();
  return (cpu_seconds() - start) / (each * instances);
}

}  // namespace sunstar::bench
