/// A list of constants, filled like a std::vector. Functions called by kernels are always inlined and call
/// nothing of the standard library, so that units of different instruction sets share no functions, even
/// without optimization.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace chasles::kernels {

template <class T>
class List {
 public:
  List() = default;
  List(const List& other) : items_(other.items_) { look(); }
  List(List&& other) noexcept : items_(std::move(other.items_)) { look(), other.look(); }
  List& operator=(List other) noexcept {
    items_.swap(other.items_);
    look();
    return *this;
  }
  ~List() = default;

  [[gnu::always_inline]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[gnu::always_inline]] const T* data() const { return data_; }
  [[gnu::always_inline]] const T* begin() const { return data_; }
  [[gnu::always_inline]] const T* end() const { return data_ + size_; }
  [[gnu::always_inline]] std::size_t size() const { return size_; }
  [[gnu::always_inline]] bool empty() const { return size_ == 0; }

  // Not for use in kernels.
  T& operator[](std::size_t i) { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  T& back() { return data_[size_ - 1]; }
  void reserve(std::size_t n) { items_.reserve(n), look(); }
  void clear() { items_.clear(), look(); }
  void assign(std::size_t n, const T& x) { items_.assign(n, x), look(); }
  void push_back(const T& x) { items_.push_back(x), look(); }
  T& emplace_back() {
    items_.emplace_back();
    look();
    return back();
  }

 private:
  void look() { data_ = items_.data(), size_ = items_.size(); }
  std::vector<T> items_;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace chasles::kernels
