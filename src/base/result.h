// A value or an Error: how every function below cli/ reports failure.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"

namespace trainctl {

// Spelled like std::expected, which this toolchain does not have yet in C++20 mode.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, Error> state_;
};

// Success, or an Error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_; }
  explicit operator bool() const { return has_value(); }
  const Error& error() const& { return *error_; }
  Error&& error() && { return *std::move(error_); }

 private:
  std::optional<Error> error_;
};

}  // namespace trainctl

#define TRAINCTL_JOIN_(a, b) a##b
#define TRAINCTL_JOIN(a, b) TRAINCTL_JOIN_(a, b)

// TRY(status_or_result): returns its error from the enclosing function, or continues.
#define TRY(expression)                                                                    \
  do {                                                                                     \
    if (auto try_result = (expression); !try_result) return std::move(try_result).error(); \
  } while (false)

// TRY_ASSIGN(auto x, result): declares x from the value, or returns the error.
#define TRY_ASSIGN(declaration, expression) \
  TRAINCTL_TRY_ASSIGN(TRAINCTL_JOIN(try_result_, __LINE__), declaration, expression)
#define TRAINCTL_TRY_ASSIGN(result, declaration, expression) \
  auto result = (expression);                                \
  if (!result) return std::move(result).error();             \
  declaration = *std::move(result)
