// SPDX-License-Identifier: MIT
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "sw/io/block_transfers.h"
#include "sw/file_systems/enwrich/flush_plan.h"
#include "sw/file_systems/enwrich/write_cache.h"
#include "sw/file_systems/file_system.h"

namespace sunstar::file_systems {

/// ENWRICH (Purakayastha, Ellis and Kotz, "ENWRICH: a compute-processor write caching scheme for parallel file
/// systems", Duke CS-1995-22): every compute processor appends its writes to a cache of its own; when one is full all
/// caches are flushed together, disk-directed. The way of a write and of a flush is told in
/// docs/file-systems/enwrich.md.
///
/// Reads are not cached: each goes to the disk, after a flush if the processor opens the file, that is reads it for the
/// first time or for the first time after writing to it.
class Enwrich : public FileSystem {
 public:
  explicit Enwrich(System& system);
  ~Enwrich() override;
  void start() override;
  bool collective() const override { return false; }
  const io::DiskDriver* driver(const io::DiskPlace& p) const override {
    return servers_.empty() ? nullptr : &servers_[p.io_processor]->transfers.driver(p.device);
  }
  const Losses* losses() const override { return params_.fails_at > Duration{0} ? &losses_ : nullptr; }
  void add_statistics(StatisticSet&) override;

  /// Why a flush began.
  enum class Reason { data, directory, threshold, timeout, read, end };
  static constexpr std::array<const char*, 6> reason_names{"data", "directory", "threshold", "timeout", "read", "end"};

 private:
  /// A compute processor.
  struct Client {
    Client(System& system, std::uint32_t processor);
    WriteCache cache;
    std::byte* data;                             ///< of the cache, a ring
    std::byte* staging;                          ///< a directory on its way out
    std::vector<os::ReplyAction> reads;          ///< one outstanding a disk
    std::vector<char> opened;                    ///< by file: for reading
    std::uint64_t requested = 0, completed = 0;  ///< flushes, counted alike on all processors
    std::size_t done = 0;                        ///< I/O processors that have ended the present one
    std::uint64_t last_time_stamp = 0;
    Time last_flush{};
    bool last = false;  ///< the present flush is the run's last
    os::WaitQueue wanted, all_done, ended;
    bool failing = false;  ///< stops at the end of the present flush
    bool stopped = false;
  };
  /// An I/O processor.
  struct Server {
    Server(System& system, std::uint32_t io_processor);
    io::BlockTransfers transfers;
    struct Directory {
      std::byte* memory = nullptr;
      std::uint64_t expected = 0, arrived = 0;
      bool announced = false;
      bool complete() const { return announced && arrived == expected; }
    };
    std::vector<Directory> directories;   ///< by compute processor
    std::vector<std::uint32_t> complete;  ///< in order
    os::WaitQueue arrived;
    bool last_flush = false;               ///< the present one is the run's last
    std::vector<std::byte*> gathered;      ///< buffers of pieces that came together
    std::vector<std::byte*> read_buffers;  ///< not in use
  };
  class Mover;

  os::Task<> compute_main(std::uint32_t processor);
  os::Task<> transfer(std::uint32_t processor, const workload::Access& access);
  os::Task<> write(std::uint32_t processor, const workload::Access& access);
  os::Task<> read(std::uint32_t processor, const workload::Access& access);
  os::Task<> begin_flush(std::uint32_t processor, Reason reason);
  os::Task<> flush_thread(std::uint32_t processor);
  os::Task<> send_directories(std::uint32_t processor);
  os::Task<> timeout_thread(std::uint32_t processor);
  void fail(std::uint32_t processor);
  bool due(const Client& client, Time now) const {
    return params_.flush_timeout > Duration{0} && now - client.last_flush >= params_.flush_timeout;
  }
  os::Task<> serve_flushes(std::uint32_t io_processor);
  os::Task<> serve_read(std::uint32_t io_processor, hal::Message& request);
  void install_client(std::uint32_t processor);
  void install_server(std::uint32_t io_processor);
  void answer_data(std::uint32_t processor, hal::Message& request);
  void answer_gather(std::uint32_t processor, hal::Message& request);
  const std::byte* cached(const Client& client, std::uint64_t time_stamp, std::uint64_t file_offset) const;
  void lose(std::uint32_t file, std::uint64_t offset, std::uint64_t bytes);

  System& system_;
  const EnwrichParams& params_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Server>> servers_;
  std::unique_ptr<os::Barrier> flush_barrier_, call_barrier_;
  bool finished_ = false;
  std::uint64_t flushes_ = 0;
  std::array<std::uint64_t, 6> begun_{};  // by reason
  std::uint64_t flushed_bytes_ = 0, flushed_entries_ = 0, flushed_blocks_ = 0, fetched_blocks_ = 0;
  double flush_time_ = 0;
  Losses losses_;
};

}  // namespace sunstar::file_systems
