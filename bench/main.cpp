// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <systemc>

// SystemC's library has a main() that calls sc_main(). Our main() takes its place, but the linker still wants
// sc_main().
int sc_main(int, char**) { return 0; }

BENCHMARK_MAIN();
