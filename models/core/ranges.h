// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <boost/describe.hpp>
#include <boost/mp11.hpp>
#include <functional>
#include <iterator>
#include <type_traits>
#include <vector>

// Of the elements of a range, `of(element)`: a function, a member or a member function.
namespace sunstar {

template <class Range, class Of>
using ValueOf = std::decay_t<std::invoke_result_t<Of&, decltype(*std::begin(std::declval<Range&>()))>>;

/// Their sum, in the order of the range; zero if it is empty.
template <class Range, class Of>
ValueOf<Range, Of> sum(Range&& range, Of of) {
  ValueOf<Range, Of> all{};
  for (auto&& element : range) all += std::invoke(of, element);
  return all;
}
/// The greatest; zero if none is greater.
template <class Range, class Of>
ValueOf<Range, Of> greatest(Range&& range, Of of) {
  ValueOf<Range, Of> most{};
  for (auto&& element : range) most = std::max<ValueOf<Range, Of>>(most, std::invoke(of, element));
  return most;
}
/// All of them, in the order of the range.
template <class Range, class Of>
std::vector<ValueOf<Range, Of>> mapped(Range&& range, Of of) {
  std::vector<ValueOf<Range, Of>> all;
  all.reserve(static_cast<std::size_t>(std::distance(std::begin(range), std::end(range))));
  for (auto&& element : range) all.push_back(std::invoke(of, element));
  return all;
}

/// Takes the first, or the last, out of a container that has one, and returns it.
template <class Container>
auto take_first(Container& container) {
  auto first = std::move(container.front());
  container.pop_front();
  return first;
}
template <class Container>
auto take_last(Container& container) {
  auto last = std::move(container.back());
  container.pop_back();
  return last;
}
/// The number of an entry of the table that is free, by the list of these, or else of a new entry.
template <class Table, class Number>
Number take_entry(Table& table, std::vector<Number>& free) {
  if (!free.empty()) return take_last(free);
  table.emplace_back();
  return static_cast<Number>(table.size() - 1);
}

/// Adds each member of a described struct of counts.
template <class Counts>
void add_members(Counts& to, const Counts& more) {
  using Members = boost::describe::describe_members<Counts, boost::describe::mod_public>;
  boost::mp11::mp_for_each<Members>([&](auto member) { to.*member.pointer += more.*member.pointer; });
}

}  // namespace sunstar
