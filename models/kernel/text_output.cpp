// SPDX-License-Identifier: MIT
#include "models/kernel/text_output.h"

#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filtering_streambuf.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "models/core/error.h"

namespace sunstar {

struct TextOutput::Stages {
  explicit Stages(const std::filesystem::path& path) : file(path, std::ios::binary) {
    namespace io = boost::iostreams;
    // Fast rather than small: the texts repeat themselves so much that little is lost.
    if (path.extension() == ".gz") through.push(io::gzip_compressor(io::gzip_params(io::gzip::best_speed)));
    through.push(file);
  }
  std::ofstream file;
  boost::iostreams::filtering_streambuf<boost::iostreams::output> through;
};

TextOutput::TextOutput(const std::filesystem::path& path)
    : name_(path.string()), stages_(std::make_unique<Stages>(path)) {
  if (!stages_->file) cannot_write();
}

TextOutput::TextOutput(std::ostream& stream) : name_("The standard output"), stream_(&stream) {}

TextOutput::~TextOutput() = default;

void TextOutput::cannot_write() const {
  throw ConfigError(name_ + " cannot be written: " + std::strerror(errno) + ".");
}

void TextOutput::put(std::string_view text) {
  const auto size = static_cast<std::streamsize>(text.size());
  try {
    whole_ = whole_ &&
             (stream_ ? stream_->write(text.data(), size).good() : stages_->through.sputn(text.data(), size) == size);
  } catch (const std::ios_base::failure&) {  // the file behind the compression takes no more
    whole_ = false;
  }
}

void TextOutput::close() {
  if (stream_) {
    whole_ = whole_ && stream_->flush().good();
  } else {
    try {
      stages_->through.reset();  // the rest of the compressed data
    } catch (const std::ios_base::failure&) {
      whole_ = false;
    }
    stages_->file.close();
    whole_ = whole_ && stages_->file.good();
  }
  if (!whole_) cannot_write();
}

}  // namespace sunstar
