// SPDX-License-Identifier: MIT
#pragma once
#include <cbor.h>
#include <lz4.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.h"

namespace sunstar::test {

/// An FTR file, read back: a transaction recording, in CBOR that LZ4 compresses. Times are in picoseconds.
struct Ftr {
  struct Stream {
    std::string name, kind;
    std::uint64_t first = ~0ull, last = 0;  ///< as its chunks say
  };
  struct Span {
    std::string stream, name;
    std::uint64_t start, end;
    std::vector<std::pair<std::string, std::uint64_t>> figures;
  };
  struct Relation {
    std::string name;
    const Span *from, *to;
  };
  struct Chunk {
    std::uint64_t tag, stream;  ///< the stream of a chunk of transactions
    std::size_t size;           ///< before compression
  };

  /// Throws an exception if the file is not as the format demands.
  explicit Ftr(const std::filesystem::path& file) {
    const Item whole = read(TemporaryFolder::read(file));
    for (const Item& chunk : whole.tagged(55799).open_array()) read_chunk(chunk);
    for (const auto& r : ends) relations.push_back({words.at(r[0]), &spans.at(r[1]), &spans.at(r[2])});
  }

  std::int64_t exponent = 0;  ///< a unit of time is ten to that power in seconds
  std::vector<Chunk> chunks;
  std::map<std::uint64_t, Stream> streams;
  std::map<std::uint64_t, std::pair<std::string, std::uint64_t>> generators;  ///< name and stream
  std::map<std::uint64_t, Span> spans;
  std::vector<Relation> relations;

 private:
  static void demand(bool holds, std::source_location from = std::source_location::current()) {
    if (!holds) throw std::runtime_error("not as line " + std::to_string(from.line()) + " of this reader demands");
  }
  struct Item {
    enum Kind { none, number, negative, bytes, text, array, map, tag, end } kind = none;
    std::uint64_t value = 0;  // of a number or tag, or how many items follow
    bool is_open = false;     // array: end follows its items
    std::string characters;
    std::vector<Item> items;  // of an array, keys and values of a map, what a tag holds

    std::uint64_t as_number() const { return demand(kind == number), value; }
    const std::string& as_bytes() const { return demand(kind == bytes), characters; }
    const Item& tagged(std::uint64_t by) const { return demand(kind == tag && value == by), items[0]; }
    const std::vector<Item>& open_array() const { return demand(kind == array && is_open), items; }
    const std::vector<Item>& array_of(std::size_t count) const {
      demand(kind == array && !is_open && items.size() == count);
      return items;
    }
    std::vector<std::uint64_t> numbers(std::size_t count) const {
      std::vector<std::uint64_t> all;
      for (const Item& i : array_of(count)) all.push_back(i.as_number());
      return all;
    }
  };
  template <Item::Kind kind>
  static constexpr auto take_value = [](void* item, auto value) {
    static_cast<Item*>(item)->kind = kind;
    static_cast<Item*>(item)->value = value;
  };
  template <Item::Kind kind>
  static constexpr auto take_characters = [](void* item, cbor_data data, auto size) {
    static_cast<Item*>(item)->kind = kind;
    static_cast<Item*>(item)->characters.assign(reinterpret_cast<const char*>(data), size);
  };
  static cbor_callbacks callbacks() {
    cbor_callbacks c = cbor_empty_callbacks;
    c.uint8 = take_value<Item::number>, c.uint16 = take_value<Item::number>, c.uint32 = take_value<Item::number>;
    c.uint64 = take_value<Item::number>, c.negint8 = take_value<Item::negative>;
    c.byte_string = take_characters<Item::bytes>, c.string = take_characters<Item::text>;
    c.array_start = take_value<Item::array>, c.map_start = take_value<Item::map>, c.tag = take_value<Item::tag>;
    c.indef_array_start = [](void* item) {
      static_cast<Item*>(item)->kind = Item::array;
      static_cast<Item*>(item)->is_open = true;
    };
    c.indef_break = [](void* item) { static_cast<Item*>(item)->kind = Item::end; };
    return c;
  }
  static Item read_item(std::string_view& rest) {
    static const cbor_callbacks all = callbacks();
    Item item;
    demand(!rest.empty());
    const auto first = static_cast<unsigned char>(rest[0]);
    if (first > 0xc5 && first < 0xd5) {  // libcbor 0.8 writes these tags, which nobody had registered, but reads none
      item.kind = Item::tag;
      item.value = first & 31;
      rest.remove_prefix(1);
    } else {
      const auto done = cbor_stream_decode(reinterpret_cast<cbor_data>(rest.data()), rest.size(), &all, &item);
      demand(done.status == CBOR_DECODER_FINISHED && item.kind != Item::none);
      rest.remove_prefix(done.read);
    }
    const std::uint64_t more = item.kind == Item::array && !item.is_open ? item.value
                               : item.kind == Item::map                  ? 2 * item.value
                                                                         : item.kind == Item::tag;
    for (std::uint64_t i = 0; i < more; ++i) item.items.push_back(read_item(rest));
    if (item.is_open)
      for (Item next = read_item(rest); next.kind != Item::end; next = read_item(rest)) item.items.push_back(next);
    return item;
  }
  static Item read(const std::string& bytes) {
    std::string_view rest = bytes;
    Item item = read_item(rest);
    demand(rest.empty());
    return item;
  }

  void read_chunk(const Item& chunk) {
    demand(chunk.kind == Item::tag);
    const std::uint64_t tag = chunk.value;
    if (tag == 6) {
      demand(chunks.empty());
      chunks.push_back({tag, 0, 0});
      const Item info = read(chunk.items[0].as_bytes());
      const auto& scale = info.array_of(2)[0];
      demand(scale.kind == Item::negative);
      exponent = -1 - static_cast<std::int64_t>(scale.value);
      demand(info.items[1].tagged(1).as_number() == 0);
      return;
    }
    const std::size_t parameters = tag == 13 ? 3 : 0;
    const auto& what = chunk.items[0].array_of(parameters + 2);
    std::string unpacked(what[parameters].as_number(), '\0');
    const std::string& packed = what[parameters + 1].as_bytes();
    demand(LZ4_decompress_safe(packed.data(), unpacked.data(), static_cast<int>(packed.size()),
                               static_cast<int>(unpacked.size())) == static_cast<int>(unpacked.size()));
    chunks.push_back({tag, parameters > 0 ? what[0].as_number() : 0, unpacked.size()});
    const Item all = read(unpacked);
    if (tag == 9) return read_words(all);
    if (tag == 13) {
      Stream& s = streams.at(what[0].as_number());
      s.first = std::min(s.first, what[1].as_number());
      s.last = std::max(s.last, what[2].as_number());
    }
    for (const Item& entry : all.open_array()) {
      if (tag == 11) read_name(entry);
      else if (tag == 13) read_span(entry, chunks.back().stream);
      else demand(tag == 15), read_relation(entry.numbers(5));
    }
  }
  void read_words(const Item& map) {
    demand(map.kind == Item::map);
    for (std::size_t i = 0; i < map.items.size(); i += 2) {
      demand(map.items[i].as_number() == words.size());  // SCViewer's are in a list
      demand(map.items[i + 1].kind == Item::text);
      words.push_back(map.items[i + 1].characters);
    }
  }
  void read_name(const Item& entry) {
    demand(entry.kind == Item::tag);
    const auto n = entry.items[0].numbers(3);
    if (entry.value == 16) {
      demand(streams.try_emplace(n[0], Stream{words.at(n[1]), words.at(n[2])}).second);
    } else {
      demand(entry.value == 17 && streams.contains(n[2]));
      demand(generators.try_emplace(n[0], words.at(n[1]), n[2]).second);
    }
  }
  void read_span(const Item& parts, std::uint64_t stream) {
    const auto event = parts.items.at(0).tagged(6).numbers(4);
    const auto& [name, own_stream] = generators.at(event[1]);
    demand(stream == own_stream);
    Span span{streams.at(stream).name, name, event[2], event[3], {}};
    for (std::size_t i = 1; i < parts.items.size(); ++i) {
      const auto attribute = parts.items[i].tagged(8).numbers(3);
      demand(attribute[1] == 3);
      span.figures.emplace_back(words.at(attribute[0]), attribute[2]);
    }
    demand(spans.try_emplace(event[0], span).second);
  }
  void read_relation(const std::vector<std::uint64_t>& r) {
    demand(streams.contains(r[3]) && streams.contains(r[4]));
    ends.push_back(r);
  }

  std::vector<std::string> words;
  std::vector<std::vector<std::uint64_t>> ends;
};

}  // namespace sunstar::test
