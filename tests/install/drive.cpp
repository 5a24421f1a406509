// SPDX-License-Identifier: MIT
// One drive of Sunstar's catalogue on a bus of another project: a TLM-2.0 target that takes plain reads and writes.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <boost/json.hpp>
#include <iostream>
#include <systemc>
#include <tlm>
#include <vector>

#include "models/disk/direct.h"
#include "models/disk/medium.h"
#include "models/kernel/sc_time_bridge.h"
#include "platforms/kit/json_read.h"
#include "sw/io/layouts/layout.h"

using namespace sunstar;

// A drive of the catalogue, by name; an error lists all of its faults.
disk::DriveParams from_catalogue(const std::string& name) {
  Problems problems;
  kit::Reader reader(problems, nullptr, ".", CATALOGUES);
  disk::DriveParams params;
  kit::read_into(params, boost::json::value(name), "disk", Param{}, reader);
  problems.throw_if_any();
  return params;
}

// The bus: it moves 40 MB/s and carries one transfer at a time. Addresses are bytes on the drive.
struct MyBus : sc_core::sc_module {
  tlm_utils::simple_target_socket<MyBus> socket{"socket"};
  disk::Drive drive;    // when things happen
  disk::Medium medium;  // what the bytes are

  MyBus(sc_core::sc_module_name name, const disk::DriveParams& params)
      : sc_module(name),
        drive(params, disk::DriveStart{}),
        medium(drive.geometry().sectors() * params.sector_size.count) {
    socket.register_b_transport(this, &MyBus::transport);
  }

  void transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const auto sector = drive.params().sector_size.count;
    const auto sectors = static_cast<std::uint32_t>(payload.get_data_length() / sector);
    const Time issued = now() + from_sc(delay);
    const auto done = disk::complete(drive, payload.is_write(), issued, payload.get_address() / sector, sectors,
                                     Bandwidth{40e6}.time_for(sector));
    auto* data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
    if (payload.is_write()) medium.write(payload.get_address(), {data, payload.get_data_length()});
    else medium.read(payload.get_address(), {data, payload.get_data_length()});
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay = to_sc(done.status - now());
  }
};

// Writes a file of 16 blocks and reads it back, block by block.
struct MyProgram : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<MyProgram> socket{"socket"};
  io::BlockAddresses blocks;  // the first sector of each
  bool equal = true;
  SC_HAS_PROCESS(MyProgram);

  MyProgram(sc_core::sc_module_name name, io::BlockAddresses where) : sc_module(name), blocks(std::move(where)) {
    SC_THREAD(run);
  }

  void run() {
    for (auto command : {tlm::TLM_WRITE_COMMAND, tlm::TLM_READ_COMMAND}) {
      const sc_core::sc_time from = sc_core::sc_time_stamp();
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const std::vector<unsigned char> expected(8192, static_cast<unsigned char>('a' + b));
        auto buffer = command == tlm::TLM_WRITE_COMMAND ? expected : std::vector<unsigned char>(8192);
        tlm::tlm_generic_payload payload;
        payload.set_command(command);
        payload.set_address(blocks[b] * 512);
        payload.set_data_ptr(buffer.data());
        payload.set_data_length(8192);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(payload, delay);
        wait(delay);
        equal = equal && buffer == expected;
      }
      std::cout << (command == tlm::TLM_WRITE_COMMAND ? "written in " : "read in ") << sc_core::sc_time_stamp() - from
                << "\n";
    }
  }
};

int sc_main(int, char**) {
  sc_core::sc_set_time_resolution(1, sc_core::SC_PS);
  const auto params = from_catalogue("cheetah9LP");
  MyBus bus("bus", params);
  io::DiskSpace space({.sectors = bus.drive.geometry().sectors()});
  RandomStream random(1, "my file");
  MyProgram program("program", io::place_blocks(io::layout_policy("contiguous"), {.blocks = 16}, space, random));
  program.socket.bind(bus.socket);
  sc_core::sc_start();
  std::cout << params.name << ": " << (program.equal ? "all bytes are as written" : "bytes differ") << "\n";
  return program.equal ? 0 : 1;
}
