// SPDX-License-Identifier: MIT
#include "models/kernel/text_output.h"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "models/core/error.h"

namespace sunstar {
namespace {

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
    throw ConfigError(name + " cannot be written: " + std::strerror(why) + ".");
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
