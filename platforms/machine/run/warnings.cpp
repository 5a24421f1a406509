// SPDX-License-Identifier: MIT
#include "platforms/machine/run/run.h"

namespace sunstar::machine {
namespace {

/// The known facts of an application before it is made; a trace, or a list of pieces, has yet to be read.
struct Application {
  std::string path;
  std::uint32_t processors = 0;
  bool only_reads = false;
  std::string file = path + ".file_size";  ///< the file or files of `file_bytes`
  std::optional<std::uint64_t> file_bytes{}, request_bytes{}, records{};
};

struct Subject {
  const MachineParams& machine;
  const Plan& plan;
  std::vector<Application> applications;

  const file_systems::FileSystemParams& file_system() const { return plan.file_system; }
  const file_systems::Capabilities& can() const { return file_systems::capabilities(file_system().kind); }
  std::string kind() const { return std::string(file_system().kind.kind_name()); }
};

/// The parameter as a sentence names it: "workload.file_size (64KiB)".
template <class Value>
std::string named(const std::string& path, const Value& value) {
  return path + " (" + kit::to_text(value) + ")";
}

// The facts that each kind of workload tells; other kinds tell none.

template <class Params>
void describe(const Params&, Application&) {}

void describe(const workload::PatternParams& p, Application& a) {
  a.only_reads = p.pattern.starts_with('r');
  a.file_bytes = p.file_size.count;
  a.request_bytes = p.record_size.count;
  const bool by_record = p.pattern.find_first_of("bc") != std::string::npos;
  if (by_record) a.records = p.file_size.count / p.record_size.count;
}
void describe(const workload::RecordsParams& p, Application& a) {
  a.only_reads = true;
  a.file_bytes = p.file_size.count;
}
void describe(const workload::SubsetParams& p, Application& a) {
  a.only_reads = p.operation == requests::Operation::read;
  if (p.list.empty()) a.file_bytes = p.file_size.count;
}
void describe(const workload::ForksParams& p, Application& a) {
  a.only_reads = p.operation == workload::ForkOperation::read;
  a.request_bytes = p.record_size.count;
}
void describe(const workload::SharingParams& p, Application& a) {
  a.only_reads = p.operation == workload::SharingOperation::read;
  a.file_bytes = p.file_size.count;
  a.request_bytes = p.request_size.count;
}

void describe(const workload::IorParams& p, Application& a) {
  const std::uint64_t tasks = p.tasks > 0 ? p.tasks : std::uint64_t{a.processors} * p.tasks_per_node;
  a.only_reads = !p.write;
  a.file = "the size of all files of " + a.path;
  a.file_bytes = p.block_size.count * p.segments * tasks;
  a.request_bytes = p.transfer_size.count;
}

Application application(const workload::Kinds& kind, const std::string& path, std::uint32_t processors) {
  Application a{path, processors};
  kind.visit([&](const auto& params) { describe(params, a); });
  return a;
}

std::vector<Application> applications(const MachineParams& machine, const workload::WorkloadParams& params) {
  if (params.jobs.empty()) return {application(params.kind, "workload", machine.compute_processors)};
  std::vector<Application> all;
  for (const workload::JobParams& job : params.jobs)
    all.push_back(application(job.kind, "workload.jobs." + std::to_string(all.size()), job.processors));
  return all;
}

bool uses_files(const Plan& plan) {
  const auto& kind = plan.workload.kind;
  return !plan.workload.jobs.empty() || !(kind.is<workload::StreamsParams>() || kind.is<workload::ExchangeParams>());
}

using Sentences = std::vector<std::string>;

// The rules.

void write_caches_without_writes(const Subject& s, Sentences& sentences) {
  const bool only_reads = std::ranges::all_of(s.applications, &Application::only_reads);
  if (s.can().caches_writes && only_reads && uses_files(s.plan))
    sentences.push_back("file_system.kind is " + s.kind() +
                        ", whose caches on compute processors are for writes, but the workload only reads; "
                        "traditional-caching and disk-directed are made for reads");
}

void drives_faster_than_their_bus(const Subject& s, Sentences& sentences) {
  const double bus = s.machine.bus.data_rate.bytes_per_second;
  std::set<std::string> named_already;
  for (const NodeSpec& node : s.machine.nodes)
    for (const BusSpec& spec : node.buses)
      for (const DriveGroup& group : spec.drives) {
        if (s.machine.is_nvme(group)) continue;
        const disk::DriveParams& drive = s.machine.disk_of(group);
        const std::uint32_t sectors = greatest(drive.zones, &disk::Zone::sectors_per_track);
        const double media = sectors * static_cast<double>(drive.sector_size.count) * drive.rpm / 60;
        if (media > bus && named_already.insert(drive.name).second)
          sentences.push_back("the drive " + in_quotes(drive.name) + " passes up to " +
                              kit::short_number_text(media / 1e6) + " MB/s under a head, more than " +
                              named("machine.bus.data_rate", s.machine.bus.data_rate) +
                              " carries: the bus sets its pace");
      }
}

void what_drives_leave_out(const Subject& s, Sentences& sentences) {
  for (const NodeSpec& node : s.machine.nodes)
    for (const BusSpec& spec : node.buses)
      for (const DriveGroup& group : spec.drives) {
        if (s.machine.is_nvme(group)) continue;
        for (std::string& sentence : disk::drive_warnings(s.machine.disk_of(group)))
          if (std::ranges::find(sentences, sentence) == sentences.end()) sentences.push_back(std::move(sentence));
      }
}

void more_drives_than_a_bus_has_addresses(const Subject& s, Sentences& sentences) {
  constexpr std::uint32_t most = 15;  // 16 identifiers of a wide bus (SCSI-3 parallel interface), one for the adapter
  std::uint32_t drives = 0;
  for (const NodeSpec& node : s.machine.nodes)
    for (const BusSpec& bus : node.buses)
      if (!s.machine.has_nvme(bus)) drives = std::max(drives, bus.drive_count());
  if (drives > most)
    sentences.push_back(
        concat("a SCSI bus has ", drives, " drives; a real one has addresses for ", most, ", or 7 if it is narrow"));
}

void drives_dealt_unevenly(const Subject& s, Sentences& sentences) {
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max(), most = 0;
  for (const NodeSpec& node : s.machine.nodes) {
    const std::uint32_t drives = sum(node.buses, &BusSpec::drive_count);
    if (drives > 0) least = std::min(least, drives);
    most = std::max(most, drives);
  }
  if (most > least)
    sentences.push_back(
        concat("some I/O processors have ", most, " drives and others ", least, ": those with more end last"));
}

void memory_slower_than_a_bus(const Subject& s, Sentences& sentences) {
  const auto on_scsi = [&](const NodeSpec& node) {
    return std::ranges::any_of(node.buses, [&](const BusSpec& bus) { return !s.machine.has_nvme(bus); });
  };
  if (std::ranges::none_of(s.machine.nodes, on_scsi)) return;
  if (s.machine.node.memory_bandwidth.bytes_per_second < s.machine.bus.data_rate.bytes_per_second)
    sentences.push_back(named("machine.node.memory_bandwidth", s.machine.node.memory_bandwidth) + " is less than " +
                        named("machine.bus.data_rate", s.machine.bus.data_rate) +
                        ", whose data go through that memory: one disk bus is more than a node can take");
}

void copies_faster_than_memory(const Subject& s, Sentences& sentences) {
  const double least = least_copy_per_byte(s.machine.node);
  if (s.machine.costs.copy_per_byte.count * (1 + s.machine.node.clock_variation) < least)
    sentences.push_back("a copy reads and writes each byte, and " +
                        named("machine.node.memory_bandwidth", s.machine.node.memory_bandwidth) + " makes it take " +
                        kit::short_number_text(least) + " cycles a byte, not machine.costs.copy_per_byte (" +
                        kit::short_number_text(s.machine.costs.copy_per_byte.count) + ")");
}

void cache_smaller_than_a_request(const Subject& s, Sentences& sentences) {
  const auto cache = s.file_system().kind.visit([](const auto& params) -> file_systems::ClientCache {
    if constexpr (requires { client_cache(params); }) return client_cache(params);
    else return {};
  });
  if (cache.parameter.empty()) return;
  for (const Application& a : s.applications)
    if (a.request_bytes && *a.request_bytes > cache.size.count)
      sentences.push_back(named("file_system." + cache.parameter.text(), cache.size) +
                          " is smaller than one request of " + a.path + " (" + kit::to_text(Bytes{*a.request_bytes}) +
                          "): the cache cannot hold even one");
}

void more_disks_than_blocks(const Subject& s, Sentences& sentences) {
  if (s.file_system().store.kind.kind_name() != "plain") return;  // copies and parity are written, too
  for (const Application& a : s.applications) {
    if (!a.file_bytes) continue;
    const std::uint64_t block = s.file_system().block_size.count, blocks = (*a.file_bytes + block - 1) / block;
    if (blocks < s.machine.disks)
      sentences.push_back(
          concat(named(a.file, Bytes{*a.file_bytes}), " is ", blocks, blocks == 1 ? " block" : " blocks", " of ",
                 named("file_system.block_size", s.file_system().block_size), ": ", s.machine.disks - blocks,
                 " of the ", s.machine.disks, " disks hold no part of the file"));
  }
}

void more_processors_than_records(const Subject& s, Sentences& sentences) {
  for (const Application& a : s.applications)
    if (a.records && *a.records < a.processors)
      sentences.push_back(concat(a.path, " has ", *a.records, (*a.records == 1 ? " record" : " records"), " for ",
                                 a.processors, " compute processors: the others have nothing to do"));
}

void exchange_with_nobody(const Subject& s, Sentences& sentences) {
  if (s.can().exchanges && s.machine.compute_processors == 1 && uses_files(s.plan))
    sentences.push_back("file_system.kind is " + s.kind() +
                        ", but there is one compute processor: it has no other to exchange with");
}

using Rule = void (*)(const Subject&, Sentences&);
constexpr Rule rules[] = {
    write_caches_without_writes,           //
    drives_faster_than_their_bus,          //
    what_drives_leave_out,                 //
    more_drives_than_a_bus_has_addresses,  //
    drives_dealt_unevenly,                 //
    memory_slower_than_a_bus,              //
    copies_faster_than_memory,             //
    cache_smaller_than_a_request,          //
    more_disks_than_blocks,                //
    more_processors_than_records,          //
    exchange_with_nobody,                  //
};

}  // namespace

std::vector<std::string> warnings(const MachineParams& machine, const Plan& plan) {
  const Subject subject{machine, plan, applications(machine, plan.workload)};
  Sentences sentences;
  for (const Rule rule : rules) rule(subject, sentences);
  return sentences;
}

}  // namespace sunstar::machine
