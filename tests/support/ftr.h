// SPDX-License-Identifier: MIT
#pragma once
#include <cbor.h>
#include <lz4.h>

#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
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
    const std::string bytes = TemporaryFolder::read(file);
    const Item whole(bytes);
    const cbor_item_t* all = tagged(whole.get(), 55799);
    demand(cbor_array_is_indefinite(all));
    for (std::size_t i = 0; i < cbor_array_size(all); ++i) read_chunk(at(all, i));
    for (const auto& r : ends) relations.push_back({words.at(r[0]), &spans.at(r[1]), &spans.at(r[2])});
  }

  std::int64_t exponent = 0;  ///< a unit of time is ten to that power in seconds
  std::vector<Chunk> chunks;
  std::map<std::uint64_t, Stream> streams;
  std::map<std::uint64_t, std::pair<std::string, std::uint64_t>> generators;  ///< name and stream
  std::map<std::uint64_t, Span> spans;
  std::vector<Relation> relations;

 private:
  struct Free {
    void operator()(cbor_item_t* item) const { cbor_decref(&item); }
  };
  struct Item : std::unique_ptr<cbor_item_t, Free> {
    explicit Item(const std::string& bytes) {
      cbor_load_result result;
      reset(cbor_load(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), &result));
      demand(result.error.code == CBOR_ERR_NONE && result.read == bytes.size());
    }
  };
  static void demand(bool holds) {
    if (!holds) throw std::runtime_error("not as FTR demands");
  }
  /// The item of an array, or what a tag holds. Whatever holds an item keeps it.
  static const cbor_item_t* at(const cbor_item_t* array, std::size_t i) {
    demand(cbor_isa_array(array) && i < cbor_array_size(array));
    return cbor_array_handle(array)[i];
  }
  static const cbor_item_t* content(const cbor_item_t* tag) {
    demand(cbor_isa_tag(tag));
    cbor_item_t* item = cbor_tag_item(tag);
    return cbor_move(item);
  }
  static const cbor_item_t* tagged(const cbor_item_t* item, std::uint64_t tag) {
    demand(cbor_isa_tag(item) && cbor_tag_value(item) == tag);
    return content(item);
  }
  static std::uint64_t number(const cbor_item_t* item) {
    demand(cbor_isa_uint(item));
    return cbor_get_int(item);
  }
  static std::string bytes_of(const cbor_item_t* item) {
    demand(cbor_isa_bytestring(item) && cbor_bytestring_is_definite(item));
    return {reinterpret_cast<const char*>(cbor_bytestring_handle(item)), cbor_bytestring_length(item)};
  }
  static std::vector<std::uint64_t> numbers(const cbor_item_t* array, std::size_t count) {
    demand(cbor_isa_array(array) && cbor_array_size(array) == count);
    std::vector<std::uint64_t> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(number(at(array, i)));
    return all;
  }

  void read_chunk(const cbor_item_t* chunk) {
    demand(cbor_isa_tag(chunk));
    const std::uint64_t tag = cbor_tag_value(chunk);
    const cbor_item_t* what = content(chunk);
    if (tag == 6) {
      demand(chunks.empty());
      chunks.push_back({tag, 0, cbor_bytestring_length(what)});
      const Item info(bytes_of(what));
      demand(cbor_array_size(info.get()) == 2 && cbor_isa_negint(at(info.get(), 0)));
      exponent = -1 - static_cast<std::int64_t>(cbor_get_int(at(info.get(), 0)));
      demand(number(tagged(at(info.get(), 1), 1)) == 0);
      return;
    }
    const std::size_t parameters = tag == 13 ? 3 : 0;
    demand(cbor_isa_array(what) && cbor_array_size(what) == parameters + 2);
    std::string unpacked(number(at(what, parameters)), '\0');
    const std::string packed = bytes_of(at(what, parameters + 1));
    demand(LZ4_decompress_safe(packed.data(), unpacked.data(), static_cast<int>(packed.size()),
                               static_cast<int>(unpacked.size())) == static_cast<int>(unpacked.size()));
    chunks.push_back({tag, parameters > 0 ? number(at(what, 0)) : 0, unpacked.size()});
    const Item all(unpacked);
    if (tag == 9) return read_words(all.get());
    demand(cbor_isa_array(all.get()) && cbor_array_is_indefinite(all.get()));
    if (tag == 13) {
      Stream& s = streams.at(number(at(what, 0)));
      s.first = std::min(s.first, number(at(what, 1)));
      s.last = std::max(s.last, number(at(what, 2)));
    }
    for (std::size_t i = 0; i < cbor_array_size(all.get()); ++i) {
      const cbor_item_t* entry = at(all.get(), i);
      if (tag == 11) read_name(entry);
      else if (tag == 13) read_span(entry, chunks.back().stream);
      else demand(tag == 15), read_relation(numbers(entry, 5));
    }
  }
  void read_words(const cbor_item_t* map) {
    demand(cbor_isa_map(map) && cbor_map_is_definite(map));
    for (std::size_t i = 0; i < cbor_map_size(map); ++i) {
      const auto& [key, value] = cbor_map_handle(map)[i];
      demand(number(key) == words.size());  // SCViewer's are in a list
      words.emplace_back(reinterpret_cast<const char*>(cbor_string_handle(value)), cbor_string_length(value));
    }
  }
  void read_name(const cbor_item_t* entry) {
    const auto n = numbers(content(entry), 3);
    if (cbor_tag_value(entry) == 16) {
      demand(streams.try_emplace(n[0], Stream{words.at(n[1]), words.at(n[2])}).second);
    } else {
      demand(cbor_tag_value(entry) == 17 && streams.contains(n[2]));
      demand(generators.try_emplace(n[0], words.at(n[1]), n[2]).second);
    }
  }
  void read_span(const cbor_item_t* parts, std::uint64_t stream) {
    const auto event = numbers(tagged(at(parts, 0), 6), 4);
    const auto& [name, own_stream] = generators.at(event[1]);
    demand(stream == own_stream);
    Span span{streams.at(stream).name, name, event[2], event[3], {}};
    for (std::size_t i = 1; i < cbor_array_size(parts); ++i) {
      const auto attribute = numbers(tagged(at(parts, i), 8), 3);
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
