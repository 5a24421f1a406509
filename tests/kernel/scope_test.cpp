// SPDX-License-Identifier: MIT
#include "models/kernel/recording.h"

#include "models/core/error.h"
#include "tests/support/catch.h"

using namespace sunstar;

TEST_CASE("a scope without patterns is everything") {
  Scope all;
  CHECK(all.contains("machine.cp0"));
  CHECK_NOTHROW(all.check("--scope"));
}

TEST_CASE("a pattern names an instance and all below it, with or without the machine") {
  Scope scope("iop0*,cp3,machine.network");
  for (const char* in : {"machine.iop0", "machine.iop0.cpu", "machine.iop0_scsi0.disk0", "machine.iop01", "machine.cp3",
                         "machine.cp3.bus", "machine.network.router0"}) {
    CAPTURE(in);
    CHECK(scope.contains(in));
  }
  for (const char* out : {"machine", "machine.cp30", "machine.cp", "machine.iop1", "machine.networks"}) {
    CAPTURE(out);
    CHECK_FALSE(scope.contains(out));
  }
  CHECK(Scope("?p1").contains("machine.cp1.cpu"));
  CHECK_FALSE(Scope("?p1").contains("machine.iop1.cpu"));
  CHECK(Scope("*.disk1").contains("machine.iop0_scsi0.disk1"));
}

TEST_CASE("a pattern that names nothing is answered with what there is") {
  Scope scope("cp1,iopp1");
  for (const char* name : {"machine.cp0", "machine.cp1", "machine.iop0", "machine.iop1", "machine.iop0_scsi0.bus",
                           "machine.iop1_scsi0.bus", "machine.network"})
    scope.contains(name);
  CHECK_THROWS_WITH(scope.check("--timeline-scope"),
                    "--timeline-scope: \"iopp1\" names nothing here; there are cp0 to cp1, iop0 to iop1, iop0_scsi0 to "
                    "iop1_scsi0 and network; did you mean \"iop1\"?");
}
