// SPDX-License-Identifier: MIT
#include <benchmark/benchmark.h>

#include <systemc>

// SystemC's library has a main() that calls sc_main(). Ours takes its place; the symbol is wanted.
int sc_main(int, char**) { return 0; }

BENCHMARK_MAIN();
