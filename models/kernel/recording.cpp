// SPDX-License-Identifier: MIT
#include "models/kernel/recording.h"

#include <fnmatch.h>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/split.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>

namespace sunstar {

namespace {

/// Whether the pattern names the instance or one above it.
bool names(const std::string& pattern, const std::string& instance) {
  for (std::size_t end = 0; end != std::string::npos;) {
    end = instance.find('.', end + 1);
    const std::string part = instance.substr(0, end);
    if (::fnmatch(pattern.c_str(), part.c_str(), 0) == 0) return true;
  }
  return false;
}

std::string without_machine(std::string_view instance) {
  const auto dot = instance.find('.');
  return std::string(dot == std::string_view::npos ? instance : instance.substr(dot + 1));
}

/// "cp0 to cp15, iop0 to iop15 and network": instances whose names differ only in their numbers are listed together.
std::string summary(const std::vector<std::string>& instances) {
  std::vector<std::string> kinds;
  std::map<std::string, std::pair<std::string, std::string>> range;  // by kind: its first and last name
  for (const std::string& name : instances) {
    std::string kind = name;
    std::ranges::replace_if(
        kind, [](char c) { return c >= '0' && c <= '9'; }, '0');
    kind.erase(std::unique(kind.begin(), kind.end(), [](char a, char b) { return a == '0' && b == '0'; }), kind.end());
    const auto [at, is_new] = range.try_emplace(kind, name, name);
    at->second.second = name;
    if (is_new) kinds.push_back(kind);
  }
  std::vector<std::string> all;
  for (const std::string& kind : kinds) {
    const auto& [first, last] = range.at(kind);
    all.push_back(first == last ? first : first + " to " + last);
  }
  return listed(all, "and", false);
}

/// The last stage. It takes all bytes even if the stream takes no more, because compression would offer them again and
/// again.
struct Drain : boost::iostreams::sink {
  explicit Drain(std::ostream& s, int& e) : stream(&s), error(&e) {}
  std::streamsize write(const char* bytes, std::streamsize count) {
    if (*stream && !stream->write(bytes, count)) *error = errno;
    return count;
  }
  std::ostream* stream;
  int* error;  // why the stream takes no more (errno)
};

}  // namespace

Scope::Scope(std::string_view patterns) {
  std::vector<std::string> parts;
  boost::algorithm::split(parts, patterns, boost::algorithm::is_any_of(","));
  for (std::string& part : parts) patterns_.push_back({std::move(part)});
}

bool Scope::contains(std::string_view instance) {
  if (patterns_.empty()) return true;
  const std::string whole(instance), inner = without_machine(instance);
  const std::string top = inner.substr(0, inner.find('.'));
  if (std::ranges::find(exist_, top) == exist_.end()) exist_.push_back(top);
  bool any = false;
  for (Pattern& p : patterns_)
    if (names(p.text, whole) || names(p.text, inner)) any = p.met = true;
  return any;
}

void Scope::check(const std::string& option) const {
  for (const Pattern& p : patterns_) {
    if (p.met) continue;
    const std::string near = suggestion(p.text, exist_);
    throw ConfigError(option, ": ", in_quotes(p.text), " names nothing here; there ",
                      exist_.size() == 1 ? "is " : "are ", summary(exist_), near.empty() ? "." : near);
  }
}

struct TextOutput::Stages {
  explicit Stages(const std::filesystem::path& path) : name(path.string()), file(path, std::ios::binary), stream(file) {
    namespace io = boost::iostreams;
    if (!file) cannot_write(errno);
    // Fast rather than small: the texts repeat themselves so much that little is lost.
    if (path.extension() == ".gz") through.push(io::gzip_compressor(io::gzip_params(io::gzip::best_speed)));
    through.push(Drain(stream, error));
  }
  explicit Stages(std::ostream* s) : name("The standard output"), stream(*s) { through.push(Drain(stream, error)); }

  [[noreturn]] void cannot_write(int why) const {
    throw ConfigError(name, " cannot be written: ", std::strerror(why), ".");
  }

  std::string name;  // for sentences
  std::ofstream file;
  std::ostream& stream;
  int error = 0;
  boost::iostreams::filtering_streambuf<boost::iostreams::output> through;  // compression, if any, and the stream
};

TextOutput::TextOutput(const To& to)
    : stages_(std::visit([](const auto& file_or_stream) { return std::make_unique<Stages>(file_or_stream); }, to)) {}

TextOutput::~TextOutput() = default;

void TextOutput::put(std::string_view text) {
  stages_->through.sputn(text.data(), static_cast<std::streamsize>(text.size()));
}

void TextOutput::close() {
  stages_->through.reset();  // the rest of the compressed data
  if (stages_->stream && !stages_->stream.flush()) stages_->error = errno;
  if (!stages_->stream) stages_->cannot_write(stages_->error);
}

}  // namespace sunstar
