// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The words of messages: quoting, lists, the nearest valid name.
namespace sunstar {

std::string in_quotes(std::string_view);
/// `"a", "b" or "c"`: the words, in quotes unless `quotes` is false, with `last` before the last of them.
std::string listed(const std::vector<std::string>& words, std::string_view last, bool quotes = true);
/// The number of letters to insert, delete or replace to turn one word into the other (Levenshtein 1965).
std::size_t edit_distance(std::string_view, std::string_view);
/// The candidate that `word` probably means: the nearest one, if at most a third of the letters of `word` differ, or
/// two if that is more. Upper and lower case count as equal.
std::optional<std::string> nearest(std::string_view word, const std::vector<std::string>& candidates);
/// "; did you mean "x"?", or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);
/// The end of a sentence about a word that is none of the candidates: "it must be a, b or c; did you mean "c"?"
std::string must_be_one_of(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace sunstar
