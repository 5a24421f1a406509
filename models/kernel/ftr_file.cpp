// SPDX-License-Identifier: MIT
#include <cbor.h>
#include <lz4.h>

#include "models/kernel/recording.h"
#include "models/kernel/timeline_format.h"

namespace sunstar {
namespace {

// Tags of chunks. All but the first are compressed; without compression each would be one less.
constexpr std::uint64_t info_chunk = 6, dictionary_chunk = 9, directory_chunk = 11, transactions_chunk = 13,
                        relations_chunk = 15;
constexpr std::uint64_t stream_entry = 16, generator_entry = 17;  // tags in a directory
constexpr std::uint64_t event_part = 6, attribute_part = 8;       // tags in a transaction
constexpr std::uint64_t unsigned_type = 3;                        // the type of an attribute

constexpr std::size_t chunk_size = 1 << 16;       // bytes of a chunk, as in the reference
constexpr std::uint64_t most_pending = 16 << 20;  // bytes of all streams: a large machine has thousands
constexpr std::size_t longest_item = 9;           // bytes: a number of 64 bits

std::uint64_t picoseconds(Time t) { return static_cast<std::uint64_t>(t.time_since_epoch().count()); }

/// A timeline as a transaction recording, FTR, for Surfer and SCViewer: CBOR in chunks that LZ4 compresses (libcbor,
/// liblz4), laid out as by its reference, LWTR4SC (github.com/Minres/LWTR4SC, src/ftr/ftr_writer.h).
///
/// A track is a stream, GROUP.TRACK; each word for its spans is a generator of that stream, a span is a transaction,
/// its figures are attributes, and an arrow is a relation. Times are whole picoseconds. FTR has no counters. Two runs
/// give the same bytes: the time of creation is 0.
class FtrFile final : public TimelineFormat {
 public:
  /// Throws ConfigError if the file cannot be written.
  explicit FtrFile(const std::filesystem::path& path) : out_(path) {
    Items info, start;
    info.array(2);
    info.add(cbor_encode_negint, std::uint64_t{12 - 1});  // a unit of time is 10^-12 s
    info.tag(1);                                          // the time of creation
    info.number(0);
    start.tag(55799);  // this is CBOR
    start.open_array();
    start.tag(info_chunk);
    start.add(cbor_encode_bytestring_start, info.bytes.size());
    out_.put(start.bytes + info.bytes);
    word("");  // the reference's first word
  }

  void group(std::uint32_t number, const std::string& name) override {
    groups_.resize(std::max<std::size_t>(groups_.size(), number + 1));
    groups_[number] = name;
  }
  void track(std::uint32_t group, std::uint32_t, const std::string& name, std::uint32_t) override {
    if (directory_.bytes.empty()) directory_.open_array();
    streams_.push_back({++ids_, {}});
    directory_.tag(stream_entry);
    directory_.numbers({ids_, word(groups_[group] + "." + name), word(name)});  // the last number is the stream's kind
  }
  void add(const Span& span) override {
    const std::uint32_t by = generator(span.track, span.name);
    Stream& s = streams_[span.track - 1];
    Items& t = s.transactions;
    const std::size_t before = t.bytes.size();
    const Time end = span.end.value_or(span.start);
    if (before == 0) t.open_array(), s.first = span.start, s.last = end;
    s.first = std::min(s.first, span.start);
    s.last = std::max(s.last, end);
    t.array(1 + span.figures.size() + (span.request != 0));
    t.tag(event_part);
    t.numbers({span.number, by, picoseconds(span.start), picoseconds(end)});
    const auto attribute = [&](std::string_view key, std::uint64_t value) {
      t.tag(attribute_part);
      t.numbers({word(key), unsigned_type, value});
    };
    for (const auto& [key, value] : span.figures) attribute(key, value);
    if (span.request != 0) attribute("request", span.request);
    last_number_ = span.number;
    pending_ += t.bytes.size() - before;
    if (t.bytes.size() >= chunk_size) put(s);
    if (pending_ >= most_pending) put_streams();
  }
  void flow(std::uint32_t, const Flows::Point* before, const Flows::Point& point, bool) override {
    if (!before) return;
    if (relations_.bytes.empty()) relations_.open_array();
    relations_.numbers(
        {word("request"), before->span, point.span, streams_[before->track - 1].id, streams_[point.track - 1].id});
    if (relations_.bytes.size() >= chunk_size) put_relations();
  }
  void value(std::uint32_t, const std::string&, Time, std::uint64_t) override {}
  std::uint64_t size() const override { return put_ + pending_ + relations_.bytes.size(); }
  void close(const std::optional<std::string>& truncation, Time end) override {
    if (truncation) {  // a stream of its own holds the sentence
      group(0, "timeline");
      const auto number = static_cast<std::uint32_t>(streams_.size() + 1);
      track(0, number, "truncated", 0);
      add({last_number_ + 1, 0, number, *truncation, end, {}, {}, 0});
    }
    put_streams();
    put_relations();
    put_names();
    Items last;
    last.end();
    out_.put(last.bytes);
    out_.close();
  }

 private:
  /// Bytes that grow by items of CBOR.
  struct Items {
    std::string bytes;
    template <class Encode, class... Values>
    void add(Encode encode, Values... values) {
      unsigned char item[longest_item];
      bytes.append(reinterpret_cast<const char*>(item), encode(values..., item, sizeof item));
    }
    void number(std::uint64_t n) { add(cbor_encode_uint, n); }
    void tag(std::uint64_t t) { add(cbor_encode_tag, t); }
    void array(std::size_t items) { add(cbor_encode_array_start, items); }
    void numbers(std::initializer_list<std::uint64_t> all) {
      array(all.size());
      for (const std::uint64_t n : all) number(n);
    }
    void open_array() { add(cbor_encode_indef_array_start); }  // its items end at end()
    void end() { add(cbor_encode_break); }
    void text(std::string_view characters) {
      add(cbor_encode_string_start, characters.size());
      bytes += characters;
    }
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

  std::uint32_t word(std::string_view characters) {
    if (const auto at = words_.find(characters); at != words_.end()) return at->second;
    const auto id = static_cast<std::uint32_t>(words_.size());
    words_.emplace(characters, id);
    dictionary_.number(id);
    dictionary_.text(characters);
    ++new_words_;
    return id;
  }
  std::uint32_t generator(std::uint32_t track, std::string_view name) {
    const std::uint64_t key = std::uint64_t{track} << 32 | word(name);
    const auto [at, is_new] = generators_.try_emplace(key, ids_ + 1);
    if (!is_new) return at->second;
    if (directory_.bytes.empty()) directory_.open_array();
    directory_.tag(generator_entry);
    directory_.numbers({++ids_, word(name), streams_[track - 1].id});
    if (directory_.bytes.size() + dictionary_.bytes.size() >= chunk_size) put_names();
    return at->second;
  }
  /// Readers know words, streams and generators only from chunks before.
  void put_names() {
    if (new_words_ > 0) {
      Items all;
      all.add(cbor_encode_map_start, std::exchange(new_words_, 0));
      all.bytes += std::exchange(dictionary_.bytes, {});
      put_chunk(dictionary_chunk, all);
    }
    if (directory_.bytes.empty()) return;
    directory_.end();
    put_chunk(directory_chunk, directory_);
  }
  void put(Stream& s) {
    if (s.transactions.bytes.empty()) return;
    put_names();
    pending_ -= s.transactions.bytes.size();
    s.transactions.end();
    put_chunk(transactions_chunk, s.transactions, {s.id, picoseconds(s.first), picoseconds(s.last)});
  }
  void put_streams() {
    for (Stream& s : streams_) put(s);
  }
  void put_relations() {
    if (relations_.bytes.empty()) return;
    put_names();
    relations_.end();
    put_chunk(relations_chunk, relations_);
  }
  void put_chunk(std::uint64_t tag, Items& content, std::initializer_list<std::uint64_t> parameters = {}) {
    const auto size = static_cast<int>(content.bytes.size());
    std::string compressed(static_cast<std::size_t>(LZ4_compressBound(size)), '\0');
    compressed.resize(static_cast<std::size_t>(
        LZ4_compress_default(content.bytes.data(), compressed.data(), size, static_cast<int>(compressed.size()))));
    Items start;
    start.tag(tag);
    start.array(parameters.size() + 2);
    for (const std::uint64_t p : parameters) start.number(p);
    start.number(content.bytes.size());
    start.add(cbor_encode_bytestring_start, compressed.size());
    out_.put(start.bytes);
    out_.put(compressed);
    put_ += content.bytes.size();
    content.bytes = {};  // frees them
  }

  TextOutput out_;
  std::vector<std::string> groups_;
  std::vector<Stream> streams_;  // by the track's number - 1
  boost::unordered_flat_map<std::string, std::uint32_t, Hash, std::equal_to<>> words_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> generators_;  // by track and word
  Items dictionary_, directory_, relations_;                            // not yet put
  std::size_t new_words_ = 0;
  std::uint32_t ids_ = 0;                // last number of a stream or generator
  std::uint64_t put_ = 0, pending_ = 0;  // bytes: in chunks, and in streams
  std::uint64_t last_number_ = 0;
};

}  // namespace

std::unique_ptr<TimelineFormat> ftr_file(const std::filesystem::path& path) { return std::make_unique<FtrFile>(path); }

}  // namespace sunstar
