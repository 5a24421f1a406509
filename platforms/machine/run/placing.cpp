// SPDX-License-Identifier: MIT
#include "platforms/machine/run/run.h"

namespace sunstar::machine {

io::Volume place_files(const workload::Workload& workload, io::Store& store,
                       const file_systems::FileSystemParams& params, std::uint64_t seed) {
  io::Volume volume(store, static_cast<std::uint32_t>(params.block_size.count));
  const auto& chosen = io::layout_policy(params.layout);
  const auto& specs = workload.files();
  std::vector<io::StoredFile> files(specs.size());
  const auto stripes = file_systems::stripes(params, workload, volume);
  for (std::uint32_t f = 0; f < files.size(); ++f) files[f].stripes = stripes[f];
  for (std::uint32_t u = 0; u < volume.units(); ++u) {
    io::DiskSpace space(store.raw(u).shape(), store.raw(u).name());
    const io::DiskShape& shape = space.shape();
    const std::uint64_t reserved = file_systems::reserved_sectors(params, shape.sectors, shape.sector_bytes);
    if (reserved > 0 && reserved < shape.sectors) space.take(0, reserved);
    for (std::size_t f = 0; f < specs.size(); ++f) {
      // The file system places the blocks of a file that it creates, but there must be room for them.
      const bool created = specs[f].created && file_systems::capabilities(params.kind).creates_files;
      RandomStream random(seed, "layout " + std::to_string(f) + " on " + space.name());
      const std::uint64_t count = files[f].stripes ? files[f].stripes->blocks_on(u, volume.blocks_in(specs[f].bytes))
                                                   : volume.blocks_on(u, specs[f].bytes);
      const io::LayoutRequest request{count, volume.block_bytes(), 0, specs[f].name};
      auto blocks = io::place_blocks(created ? io::layout_policy("contiguous") : chosen, request, space, random);
      files[f].on_unit.push_back(created ? io::BlockAddresses{} : std::move(blocks));
      if (!created) files[f].bytes = specs[f].bytes;
    }
  }
  for (io::StoredFile& file : files) volume.add(std::move(file));
  return volume;
}

namespace {

/// The order of a file's blocks on a unit, if they lie in none and take most of it; null otherwise. A million scattered
/// blocks are then no million descriptions.
std::shared_ptr<const content::Order> order_of(const io::Volume& volume, const io::DiskShape& shape, std::uint32_t file,
                                               std::uint32_t unit) {
  const io::BlockAddresses& sectors = volume.sectors_on(unit, file);
  const std::uint64_t positions = shape.sectors / volume.sectors_per_block();
  if (volume.striped_otherwise(file) || sectors.even() || sectors.size() <= positions / 2 ||
      sectors.size() >= content::Order::none)
    return nullptr;
  const std::uint32_t block = volume.block_bytes();
  content::Order order{block, std::uint64_t{unit} * block, std::uint64_t{volume.units()} * block,
                       std::vector<std::uint32_t>(positions, content::Order::none)};
  for (std::uint32_t b = 0; b < sectors.size(); ++b) {
    if (sectors[b] % volume.sectors_per_block() != 0) return nullptr;
    order.block_at[sectors[b] / volume.sectors_per_block()] = b;
  }
  return std::make_shared<const content::Order>(std::move(order));
}

}  // namespace

void fill_media(const workload::Workload& workload, io::Store& store, const io::Volume& volume, Data data) {
  const std::uint32_t block = volume.block_bytes(), sectors = volume.sectors_per_block();
  for (std::uint32_t f = 0; f < volume.file_count(); ++f) {
    if (workload.files()[f].blank) continue;
    for (std::uint32_t u = 0; u < volume.units(); ++u) {
      // Blocks that lie one behind the other are written together.
      content::Content run;
      std::uint64_t begin = 0;
      const auto write = [&] {
        if (!run.empty()) store.raw(u).write(begin, data == Data::described ? run : run.as_bytes());
        run.clear();
      };
      const content::Source file = content::source(content::Generated{f, 0});
      if (data == Data::described)
        if (const auto order = order_of(volume, store.raw(u).shape(), f, u); order && store.raw(u).scatter(order, file))
          continue;
      const io::Stripes stripes = volume.stripes(f);
      for (std::uint64_t i = 0, n = stripes.blocks_on(u, volume.blocks(f)); i < n; ++i) {
        const std::uint64_t b = stripes.block(u, i), sector = volume.sectors_on(u, f)[i];
        if (sector != begin + run.size() / block * sectors || run.size() + block > content::most_in_part) write();
        if (run.empty()) begin = sector;
        run.append(content::Piece{file, block, b * block});
      }
      write();
    }
  }
}

void leave_blank(const workload::Workload& workload, io::Nodes& nodes, const io::Volume& volume) {
  for (std::uint32_t f = 0; f < volume.file_count(); ++f)
    for (std::uint32_t u = 0; u < volume.units() && workload.files()[f].blank; ++u) {
      const io::Place& place = volume.place(u);
      io::IoNode& node = nodes.io[place.io_processor];
      const io::BlockAddresses& blocks = volume.sectors_on(u, f);
      for (std::uint64_t i = 0; i < blocks.size();) {  // blocks that lie one behind the other together
        const std::uint64_t first = i, sectors = volume.sectors_per_block();
        do ++i;
        while (i < blocks.size() && blocks[i] == blocks[i - 1] + sectors);
        node.store.leave_blank(node.endpoint.os, volume.sector_bytes(), place.unit, blocks[first],
                               (i - first) * sectors);
      }
    }
}

void fill_memories(const workload::Job& job, Data data) {
  if (std::ranges::none_of(job.workload->files(), &workload::FileSpec::written)) return;
  workload::FileSources sources;
  requests::Access a;
  for (std::uint32_t p = 0; p < job.workload->processors(); ++p) {
    const messages::RemoteMemory& buffer = job.memory[p];
    // Bytes that lie together are written together: an array's records in a buffer are one description.
    content::Content run;
    std::uint64_t begin = 0;
    const auto write = [&] {
      if (!run.empty()) buffer.memory->write(buffer.base + begin, data == Data::described ? run : run.as_bytes());
      run.clear();
    };
    for (const auto source = job.workload->accesses(p); source->next(a);) {
      if (a.operation != requests::Operation::write) continue;
      const auto file = sources.of(a.file, workload::Version::after);
      content::for_each_part(a.bytes, [&](std::uint64_t from, std::uint32_t bytes) {
        if (a.memory + from != begin + run.size() || run.size() + bytes > content::most_in_part) write();
        if (run.empty()) begin = a.memory + from;
        run.append(content::Piece{file, bytes, a.offset + from});
      });
    }
    write();
  }
}

}  // namespace sunstar::machine
