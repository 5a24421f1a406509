// SPDX-License-Identifier: MIT
#pragma once
#include <boost/unordered/unordered_flat_map.hpp>
#include <filesystem>
#include <functional>
#include <vector>

#include "models/kernel/text_output.h"
#include "models/kernel/timeline_format.h"

namespace sunstar {

/// A timeline as a transaction recording, FTR, for Surfer and SCViewer: CBOR in chunks that LZ4 compresses (libcbor,
/// liblz4), laid out as by its reference, LWTR4SC (github.com/Minres/LWTR4SC, src/ftr/ftr_writer.h).
///
/// A track is a stream, GROUP.TRACK, what its spans say is a generator of that stream, a span is a transaction, its
/// figures are attributes, and an arrow is a relation. Times are whole picoseconds. FTR has no counters. Two runs give
/// the same bytes: the time of creation is 0.
class FtrFile final : public TimelineFormat {
 public:
  /// Throws ConfigError if the file cannot be written.
  explicit FtrFile(const std::filesystem::path& path);

  void group(std::uint32_t number, const std::string& name) override;
  void track(std::uint32_t group, std::uint32_t number, const std::string& name, std::uint32_t place) override;
  void add(const Span&) override;
  void flow(std::uint32_t request, const Flows::Point* before, const Flows::Point& point, bool last) override;
  void value(std::uint32_t, const std::string&, Time, std::uint64_t) override {}
  std::uint64_t size() const override { return put_ + pending_ + relations_.bytes.size(); }
  void close(const std::optional<std::string>& truncation, Time end) override;

 private:
  /// Bytes that grow by items of CBOR.
  struct Items {
    std::string bytes;
    template <class Encode, class... Values>
    void add(Encode encode, Values... values);
    void number(std::uint64_t);
    void tag(std::uint64_t);
    void array(std::size_t items);
    void open_array();  // of as many items as come before end()
    void end();
    void text(std::string_view);
  };
  struct Stream {
    std::uint32_t id;
    Items transactions;  // not yet put
    Time first{}, last{};
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };

  std::uint32_t word(std::string_view);
  std::uint32_t generator(std::uint32_t track, std::string_view name);
  void put_names();
  void put(Stream&);
  void put_streams();
  void put_relations();
  void put_chunk(std::uint64_t tag, Items& content, std::initializer_list<std::uint64_t> parameters = {});

  TextOutput out_;
  std::vector<std::string> groups_;
  std::vector<Stream> streams_;  // by the track's number - 1
  boost::unordered_flat_map<std::string, std::uint32_t, Hash, std::equal_to<>> words_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> generators_;  // by track and word
  Items dictionary_, directory_, relations_;                            // not yet put
  std::size_t new_words_ = 0;
  std::uint32_t ids_ = 0;                // of streams and generators
  std::uint64_t put_ = 0, pending_ = 0;  // bytes: in chunks, and in streams
  std::uint64_t last_number_ = 0;
};

}  // namespace sunstar
