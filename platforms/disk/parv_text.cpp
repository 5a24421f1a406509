// SPDX-License-Identifier: MIT
#include "platforms/disk/parv_text.h"

#include <algorithm>
#include <boost/algorithm/string/classification.hpp>
#include <boost/algorithm/string/trim.hpp>

#include "models/core/message_text.h"
#include "platforms/kit/named_files.h"
#include "sw/workload/trace/csv.h"

namespace sunstar::disk_platform {
namespace {

namespace fs = std::filesystem;

constexpr int deepest = 32;  // nesting of blocks, lists and sourced files

std::string trimmed(std::string_view text) {
  return boost::trim_copy_if(std::string(text), boost::is_any_of(" \t\n\r"));
}

class Parser {
 public:
  /// `within`: the folder that all sourced files must be in; empty if they may be anywhere.
  Parser(fs::path file, fs::path within, int depth)
      : file_(std::move(file)), within_(std::move(within)), depth_(depth) {
    if (depth_ > deepest) throw ConfigError(file_.string() + ": files source one another without end.");
    kit::note_read(file_);
    text_ = workload::read_text(file_.string(), "a parameter file of a drive");
    bool comment = false;
    for (char& c : text_) {
      if (c == '\n') comment = false;
      if (c == '#') comment = true;
      if (comment) c = ' ';
    }
  }

  void whole(ParvFile& into) {
    while (skip(), at_ < text_.size()) {
      const std::uint32_t line = line_;
      const std::string type = word();
      if (type == "source") {
        Parser(beside(rest_of_line(), line), within_, depth_ + 1).whole(into);
      } else if (type == "instantiate") {
        into.instances.push_back(instances());
      } else if (type == "topology") {
        into.topology.push_back(node());
      } else {
        const std::string name = word();
        into.blocks.push_back(block(type, name, line));
      }
    }
  }

 private:
  [[noreturn]] void fail(const std::string& sentence) const { parv_error(file_, line_, sentence); }

  void skip() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      else if (c != ' ' && c != '\t' && c != '\r' && c != ',') return;
    }
  }
  /// The next character that is not a space, a comma or in a comment; 0 at the end.
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void expect(char wanted, const std::string& where) {
    if (peek() != wanted) fail(in_quotes(std::string(1, wanted)) + " is expected here, " + where + found());
    ++at_;
  }
  std::string found() { return peek() ? ", not " + in_quotes(std::string(1, peek())) : "; the file ends"; }

  std::string word() {
    skip();
    const std::size_t start = at_;
    while (at_ < text_.size() && std::string_view(" \t\r\n,{}[]=").find(text_[at_]) == std::string_view::npos) ++at_;
    if (at_ == start) fail("a name is expected here" + found());
    return text_.substr(start, at_ - start);
  }
  std::string rest_of_line() {
    const std::size_t end = std::min(text_.find_first_of(",\n", at_), text_.size());
    std::string rest = trimmed(std::string_view(text_).substr(at_, end - at_));
    at_ = end;
    return rest;
  }

  ParvFile::Instances instances() {
    expect('[', "after instantiate");
    ParvFile::Instances all;
    while (peek() != ']') all.names.push_back(word());
    ++at_;
    if (word() != "as") fail("\"as\" is expected after the names that are instantiated");
    all.of = word();
    return all;
  }

  ParvNode node() {
    if (++depth_ > deepest) fail("the topology is nested too deeply");
    ParvNode n;
    n.type = word();
    n.name = word();
    expect('[', "after " + n.name);
    while (peek() != ']') n.below.push_back(node());
    ++at_;
    --depth_;
    return n;
  }

  ParvBlock block(const std::string& type, const std::string& name, std::uint32_t line) {
    if (++depth_ > deepest) fail("the blocks are nested too deeply");
    ParvBlock b{type, name, {}, file_, line};
    expect('{', "to open the block " + type + (name.empty() ? "" : " " + name));
    while (peek() != '}') {
      const std::size_t equals = text_.find_first_of("={}[]", at_);
      if (equals == std::string::npos || text_[equals] != '=')
        fail("a key and \"=\" are expected here, or the end of the block " + type + (name.empty() ? "" : " " + name) +
             " that begins in line " + std::to_string(line));
      const std::string key = trimmed(std::string_view(text_).substr(at_, equals - at_));
      for (; at_ < equals; ++at_) line_ += text_[at_] == '\n';
      ++at_;
      if (b.find(key)) fail(in_quotes(key) + " is given twice");
      b.members.push_back(value(key));
    }
    ++at_;
    --depth_;
    return b;
  }

  ParvValue value(const std::string& key) {
    ParvValue v;
    v.key = key;
    skip();
    v.file = file_;
    v.line = line_;
    if (peek() == '[') {
      if (++depth_ > deepest) fail("the lists are nested too deeply");
      ++at_;
      v.kind = ParvValue::Kind::list;
      while (peek() != ']') {
        if (!peek()) fail("the list that begins in line " + std::to_string(v.line) + " has no end");
        v.items.push_back(value(key));
      }
      ++at_;
      --depth_;
      return v;
    }
    const std::size_t end = std::min(text_.find_first_of(",{}[]=\n", at_), text_.size());
    v.text = trimmed(std::string_view(text_).substr(at_, end - at_));
    if (v.text.empty()) fail("a value is expected here" + found());
    at_ = end;
    if (v.text.starts_with("source ")) {
      ParvFile other;
      const fs::path path = beside(trimmed(std::string_view(v.text).substr(7)), v.line);
      Parser(path, within_, depth_ + 1).whole(other);
      if (other.blocks.size() != 1)
        throw ConfigError(path.string() + ": there are " + std::to_string(other.blocks.size()) +
                          " blocks; a value must be one block.");
      v.kind = ParvValue::Kind::block;
      v.block = std::move(other.blocks);
    } else if (peek() == '{') {
      v.kind = ParvValue::Kind::block;
      v.block.push_back(block(v.text, "", v.line));
    }
    return v;
  }

  fs::path beside(const std::string& name, std::uint32_t line) const {
    fs::path path = file_.parent_path() / name;
    std::error_code error;
    if (!fs::is_regular_file(path, error))
      parv_error(file_, line, "it sources " + in_quotes(name) + ", and there is no file " + path.string());
    require_within(within_, path, name, file_, line);
    return path;
  }

  fs::path file_, within_;
  int depth_;
  std::string text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

}  // namespace

void parv_error(const fs::path& file, std::uint32_t line, const std::string& sentence) {
  throw ConfigError(file.string() + ":" + std::to_string(line) + ": " + sentence +
                    (sentence.ends_with('.') || sentence.ends_with('?') ? "" : "."));
}

const ParvValue* ParvBlock::find(std::string_view key) const {
  const auto found = std::ranges::find(members, key, &ParvValue::key);
  return found == members.end() ? nullptr : &*found;
}

void require_within(const fs::path& within, const fs::path& path, const std::string& name, const fs::path& file,
                    std::uint32_t line) {
  if (within.empty()) return;
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  if (std::ranges::mismatch(within, real).in1 != within.end())
    parv_error(file, line,
               "it sources " + in_quotes(name) + ", which is not in the folder " + within.string() +
                   "; sunstar-disk import --source-anywhere allows that");
}

ParvFile read_parv(const fs::path& file, Sourcing sourcing) {
  std::error_code error;
  ParvFile whole;
  if (sourcing == Sourcing::from_folder)
    whole.within = fs::weakly_canonical(fs::absolute(file, error), error).parent_path();
  Parser(file, whole.within, 0).whole(whole);
  return whole;
}

}  // namespace sunstar::disk_platform
