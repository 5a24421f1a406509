// SPDX-License-Identifier: MIT
#define CATCH_CONFIG_RUNNER
#include <systemc>

#include "tests/support/catch.h"

// SystemC's library has a main() of its own that prints a banner and calls sc_main(). This one takes its place; the
// library still wants the symbol.
int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
