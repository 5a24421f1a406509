// SPDX-License-Identifier: MIT
#pragma once
#include <boost/mp11.hpp>
#include <concepts>
#include <map>

#include "models/core/param.h"

// The faults of an input, collected so that the user sees all of them at once. A described struct whose rules span
// several members declares, beside its parameters(),
//
//   inline void check(const MachineParams& m, const std::string& path, Problems& problems) {
//     if (m.disks % m.io_processors != 0)
//       problems.add(json_path(path, "disks"), "is ", m.disks, "; it must be a multiple of ...");
//   }
//
// Argument-dependent lookup finds this function; it is called once each member is valid by itself.
namespace sunstar {

/// The JSON path of `key` inside `path`: "machine" and "disks" give "machine.disks".
inline std::string json_path(std::string_view path, std::string_view key) {
  std::string joined{path};
  if (!joined.empty()) joined += '.';
  return joined.append(key);
}

class Problems {
 public:
  /// Adds the sentence "<file or option>: <path> <what>." The parts of `what` (concat()) continue the sentence after
  /// the path: "is ", 0, "; it must be at least 1".
  template <class... What>
  void add(const std::string& path, const What&... what) {
    const auto where = origin(path);
    add_sentence(where, where.empty() ? "" : ": ", path.empty() ? "the configuration" : path, " ", what...);
  }
  /// Adds a sentence that already says where the fault is.
  template <class... Parts>
  void add_sentence(const Parts&... parts) {
    std::string sentence = concat(parts...);
    if (!sentence.ends_with('.') && !sentence.ends_with('?')) sentence += '.';
    sentences_.push_back(std::move(sentence));
  }

  bool empty() const { return sentences_.empty(); }
  std::size_t count() const { return sentences_.size(); }
  const std::vector<std::string>& sentences() const { return sentences_; }
  /// Throws a ConfigError with the sentences, one on each line, if there are any.
  void throw_if_any() const {
    if (empty()) return;
    std::string all;
    for (const auto& s : sentences_) all += (all.empty() ? "" : "\n") + s;
    throw ConfigError(all);
  }

  /// While it lives, values come from `file`.
  class InFile {
   public:
    InFile(Problems& problems, std::string file) : problems_(problems) { problems_.files_.push_back(std::move(file)); }
    ~InFile() { problems_.files_.pop_back(); }
    InFile(const InFile&) = delete;
    InFile& operator=(const InFile&) = delete;

   private:
    Problems& problems_;
  };
  /// The value at `path`, with every value below it, comes from `option` ("--set machine.disks=0") and not from a file.
  void comes_from(const std::string& path, const std::string& option) { options_[path] = option; }
  bool comes_from_option(const std::string& path) const { return options_.contains(path); }
  /// The option or file that a value comes from; empty if it is a default.
  std::string origin(std::string path) const {
    while (!path.empty()) {
      if (auto found = options_.find(path); found != options_.end()) return found->second;
      const auto dot = path.rfind('.');
      path.resize(dot == std::string::npos ? 0 : dot);
    }
    return files_.empty() ? "" : files_.back();
  }

 private:
  std::vector<std::string> sentences_;
  std::vector<std::string> files_;
  std::map<std::string, std::string> options_;
};

/// Checks parameters that come from no file: throws a ConfigError that lists the problems of their check() under
/// `path`.
template <class Params>
const Params& validated(const Params& params, const std::string& path) {
  Problems problems;
  check(params, path, problems);
  problems.throw_if_any();
  return params;
}

/// Adds a problem for each negative duration of a described struct, and of the described structs in it.
template <class Params>
void check_not_negative(const Params& params, const std::string& path, Problems& problems) {
  namespace describe = boost::describe;
  boost::mp11::mp_for_each<describe::describe_members<Params, describe::mod_public>>([&](auto member) {
    const auto& value = params.*member.pointer;
    using Value = std::remove_cvref_t<decltype(value)>;
    const auto here = json_path(path, member.name);
    if constexpr (describe::has_describe_members<Value>::value) check_not_negative(value, here, problems);
    else if constexpr (std::same_as<Value, Duration>)
      if (value < Duration::zero()) problems.add(here, "is negative");
  });
}

}  // namespace sunstar
