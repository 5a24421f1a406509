// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <string>
#include <systemc>
#include <vector>

#include "tests/support/catch.h"

namespace sunstar::test {

/// A test's simulation. Construct it first in the test case, before any module; each test case runs in a process of its
/// own, so the kernel is fresh (checked). SystemC's warnings and errors are kept and fail the test in run().
class Simulation {
 public:
  Simulation() {
    REQUIRE(sc_core::sc_get_status() == sc_core::SC_ELABORATION);
    REQUIRE(sc_core::sc_time_stamp() == sc_core::SC_ZERO_TIME);
    sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
    messages().clear();
    sc_core::sc_report_handler::set_handler(&Simulation::keep);
  }
  Simulation(const Simulation&) = delete;

  /// Runs until nothing is left to happen. Fails the test on a SystemC warning, if no time has passed, if the kernel
  /// was stopped or events are left, or if `finished`, which says whether what was to happen has happened, says no.
  void run(const std::function<bool()>& finished) {
    sc_core::sc_start();
    INFO("SystemC says: " << joined());
    CHECK(messages().empty());
    CHECK(sc_core::sc_get_status() == sc_core::SC_PAUSED);
    CHECK_FALSE(sc_core::sc_pending_activity());
    CHECK(sc_core::sc_time_stamp() > sc_core::SC_ZERO_TIME);
    REQUIRE(finished());
  }

 private:
  static std::vector<std::string>& messages() {
    static std::vector<std::string> kept;
    return kept;
  }
  static void keep(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    if (report.get_severity() == sc_core::SC_INFO) return;
    messages().push_back(std::string(report.get_msg_type()) + ": " + report.get_msg());
    if (report.get_severity() == sc_core::SC_ERROR) throw report;
    if (report.get_severity() == sc_core::SC_FATAL) sc_core::sc_report_handler::default_handler(report, actions);
  }
  static std::string joined() {
    std::string all;
    for (const auto& m : messages()) all += m + "; ";
    return all;
  }
};

}  // namespace sunstar::test
