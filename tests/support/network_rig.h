// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/kernel/payload.h"
#include "models/kernel/sc_time_bridge.h"
#include "models/network/cube/cube_network.h"
#include "models/network/message_monitor.h"
#include "tests/support/catch.h"

namespace sunstar::test {

/// A fabric with a probe instead of a node at every port: it sends what the test says and notes what arrives. Requests
/// are taken out of the input FIFO `take_out_after` their arrival. It refuses spoilt messages.
template <class Fabric>
struct FabricRig {
  struct Arrival {
    Time when;
    std::uint32_t from, to, bytes;
    bool reply;
    std::uint64_t number;  ///< of the message, in order of sending
  };

  struct Probe : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Probe> to_network;
    tlm_utils::passthrough_target_socket<Probe> from_network;
    FabricRig& rig;

    Probe(const sc_core::sc_module_name& name, FabricRig& r)
        : sc_module(name), to_network("to_network"), from_network("from_network"), rig(r) {
      from_network.register_nb_transport_fw(this, &Probe::arrive);
    }
    tlm::tlm_sync_enum arrive(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time&) {
      const auto& route = *payload.get_extension<network::Route>();
      if (route.fate.corrupted) return tlm::TLM_COMPLETED;
      rig.arrivals.push_back({now(), route.from, route.to, route.bytes, route.reply, payload.get_address()});
      if (!route.reply) {
        tlm::tlm_phase phase = tlm::END_REQ;
        sc_core::sc_time delay = to_sc(rig.take_out_after);
        from_network->nb_transport_bw(payload, phase, delay);
      }
      payload.release();
      return tlm::TLM_ACCEPTED;
    }
  };

  /// With a monitor between probes and fabric, if there is one.
  explicit FabricRig(std::unique_ptr<Fabric> fabric, network::MessageMonitor* monitor = nullptr)
      : network(std::move(fabric)) {
    for (std::uint32_t p = 0; p < network->ports(); ++p) {
      probes.push_back(std::make_unique<Probe>(("probe" + std::to_string(p)).c_str(), *this));
      network::connect(*network, p, monitor, probes[p]->to_network, probes[p]->from_network);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);  // elaboration
  }

  /// A message that leaves `after` now.
  void send(std::uint32_t from, std::uint32_t to, std::uint32_t bytes, Duration after = {}, bool reply = false) {
    tlm::tlm_generic_payload& payload = pool.acquire();
    auto* route = payload.get_extension<network::Route>();
    if (!route) payload.set_extension(route = new network::Route);
    route->from = from;
    route->to = to;
    route->bytes = bytes;
    route->reply = reply;
    payload.set_address(sent++);
    payload.set_data_length(bytes);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = to_sc(after);
    probes[from]->to_network->nb_transport_fw(payload, phase, delay);
  }

  PayloadPool pool;
  std::unique_ptr<Fabric> network;
  std::vector<std::unique_ptr<Probe>> probes;
  std::vector<Arrival> arrivals;
  std::uint64_t sent = 0;
  Duration take_out_after{};
};

/// The fabric of the parameters, of the name "network".
template <class Params>
std::unique_ptr<network::Fabric> fabric(const Params& params, std::uint64_t seed = 1) {
  auto made = make(params, "network", seed, nullptr);
  return made;  // SystemC wants its name to be gone before the next module is made
}

/// A cube with probes.
struct NetworkRig : FabricRig<network::CubeNetwork> {
  explicit NetworkRig(const network::CubeParams& params, std::uint64_t seed = 1) : FabricRig(cube(params, seed)) {}

 private:
  static std::unique_ptr<network::CubeNetwork> cube(const network::CubeParams& params, std::uint64_t seed) {
    auto made = network::CubeNetwork::create("network", params, seed);
    return made;  // SystemC wants its name to be gone before the next module is made
  }
};

/// The value of the fabric's own statistic of that name.
inline double statistic(network::Fabric& fabric, const std::string& name) {
  StatisticSet set;
  fabric.add_statistics(set);
  std::optional<double> value;
  set.for_each([&](const Statistic& s) {
    if (s.name == std::string(fabric.name()) + "." + name) value = s.value();
  });
  if (value) return *value;
  FAIL("no statistic " << name);
  return 0;
}

}  // namespace sunstar::test
