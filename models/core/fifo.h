// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace sunstar {

/// A queue of plain values that is empty most of the time, or holds few. It takes no memory until the first value; an
/// empty std::deque takes 600 bytes, and a machine has several queues for each node.
template <class T>
class Fifo {
 public:
  bool empty() const { return first_ == values_.size(); }
  std::size_t size() const { return values_.size() - first_; }
  T& front() { return values_[first_]; }
  const T& front() const { return values_[first_]; }
  const T& back() const { return values_.back(); }
  void push_back(const T& value) { values_.push_back(value); }
  void pop_front() {
    ++first_;
    // At the latest when half the vector is idle: moving the rest up costs no more than the values taken since.
    if (2 * first_ < values_.size()) return;
    values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  /// Removes and returns the value behind `index` others.
  T take(std::size_t index) {
    const T taken = values_[first_ + index];
    std::move_backward(values_.begin() + static_cast<std::ptrdiff_t>(first_),
                       values_.begin() + static_cast<std::ptrdiff_t>(first_ + index),
                       values_.begin() + static_cast<std::ptrdiff_t>(first_ + index + 1));
    pop_front();
    return taken;
  }
  /// Puts a value before `before`; among the first half of the values it moves those before it, if there is room.
  void insert(typename std::vector<T>::iterator before, const T& value) {
    if (first_ == 0 || before - begin() > end() - before) {
      values_.insert(before, value);
      return;
    }
    *std::move(begin(), before, std::prev(begin())) = value;
    --first_;
  }
  void erase(typename std::vector<T>::iterator from, typename std::vector<T>::iterator to) { values_.erase(from, to); }
  auto begin() { return values_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin() + static_cast<std::ptrdiff_t>(first_); }
  auto end() const { return values_.end(); }

 private:
  std::vector<T> values_;
  std::size_t first_ = 0;
};

}  // namespace sunstar
