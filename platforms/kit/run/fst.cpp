// SPDX-License-Identifier: MIT
#include "platforms/kit/run/fst.h"

#define BOOST_PROCESS_USE_STD_FS 1
#include <boost/process.hpp>

#include "models/core/error.h"

namespace sunstar::kit {
namespace {
constexpr const char* converter = "vcd2fst";
}

bool is_fst(const std::filesystem::path& path) { return path.extension() == ".fst"; }

void require_fst_converter(const std::filesystem::path& fst) {
  if (boost::process::search_path(converter).empty())
    throw ConfigError(
        fst.string() + " cannot be written: " + converter +
        ", which makes FST files, is not installed (Debian: apt-get install gtkwave); a name that ends in "
        ".vcd needs no converter.");
}

void convert_to_fst(const std::filesystem::path& vcd, const std::filesystem::path& fst) {
  namespace process = boost::process;
  std::error_code error;
  const int code = process::system(process::search_path(converter), "-v", vcd.string(), "-f", fst.string(),
                                   process::std_in<process::null, process::std_out> process::null,
                                   process::std_err > process::null, error);
  if (error || code != 0)
    throw ConfigError(fst.string() + " cannot be written: " + converter + " " +
                      (error ? "does not run, " + error.message() : "failed with exit code " + std::to_string(code)) +
                      ".");
}

}  // namespace sunstar::kit
