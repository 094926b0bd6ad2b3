/// A pointer with value semantics to a type that is incomplete in public headers (pimpl): copied with its owner. Empty
/// after being moved from.
#pragma once

#include <utility>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

template <class T>
class ValuePtr {
 public:
  /// Requires the complete type T.
  template <class... Arguments>
  static ValuePtr make(Arguments&&... arguments) {
    static constexpr Operations operations{[](const T& t) { return new T(t); },
                                           [](T* t) { delete t; }};
    return ValuePtr(new T(std::forward<Arguments>(arguments)...), operations);
  }
  ~ValuePtr() {
    if (it_) operations_->destroy(it_);
  }
  ValuePtr(const ValuePtr& other)
      : it_(other.it_ ? other.operations_->copy(*other.it_) : nullptr),
        operations_(other.operations_) {}
  ValuePtr(ValuePtr&& other) noexcept
      : it_(std::exchange(other.it_, nullptr)), operations_(other.operations_) {}
  ValuePtr& operator=(ValuePtr other) noexcept {
    std::swap(it_, other.it_);
    std::swap(operations_, other.operations_);
    return *this;
  }
  explicit operator bool() const { return it_ != nullptr; }
  T& operator*() { return *it_; }
  T* operator->() { return it_; }
  const T& operator*() const { return *it_; }
  const T* operator->() const { return it_; }

 private:
  struct Operations {
    T* (*copy)(const T&);
    void (*destroy)(T*);
  };
  ValuePtr(T* it, const Operations& operations) : it_(it), operations_(&operations) {}
  T* it_;
  const Operations* operations_;
};

}  // namespace CHASLES_API
