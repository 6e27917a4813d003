// Result<T>: a value or the Error that kept us from having it; TRY passes the error on.
//
//     Result<Config> load(const Path& path) {
//       auto text = TRY(os::read_file(path).context("reading the configuration"));
//       return parse(text);
//     }
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/panic.h"

namespace belljar {

template <typename T>
class [[nodiscard]] Result {
 public:
  using Value = T;

  // Implicit on purpose: `return value;` and `return error;` are how results are made.
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() & { return check(), std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return check(), std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return check(), std::move(std::get<0>(state_)); }
  [[nodiscard]] T value_or(T fallback) && {
    return ok() ? std::move(std::get<0>(state_)) : std::move(fallback);
  }

  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }

  [[nodiscard]] const Error& error() const& { return std::get<1>(state_); }
  [[nodiscard]] Error&& error() && { return std::move(std::get<1>(state_)); }

  /// Adds to a failure what was being done; a success passes unchanged.
  Result&& context(std::string doing) && {
    if (!ok()) std::move(std::get<1>(state_)).context(std::move(doing));
    return std::move(*this);
  }
  Result&& hint(std::string command) && {
    if (!ok()) std::move(std::get<1>(state_)).with_hint(std::move(command));
    return std::move(*this);
  }

 private:
  void check() const {
    if (!ok()) panic("value() of a failed Result: " + std::get<1>(state_).to_string());
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using Value = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  void value() const {
    if (!ok()) panic("value() of a failed Result: " + error_->to_string());
  }

  [[nodiscard]] const Error& error() const& { return *error_; }
  [[nodiscard]] Error&& error() && { return std::move(*error_); }

  Result&& context(std::string doing) && {
    if (error_) std::move(*error_).context(std::move(doing));
    return std::move(*this);
  }
  Result&& hint(std::string command) && {
    if (error_) std::move(*error_).with_hint(std::move(command));
    return std::move(*this);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace belljar

/// The value of a Result; on failure returns its error from the enclosing function.
#define TRY(...)                                    \
  __extension__({                                   \
    auto belljar_try_result = (__VA_ARGS__);        \
    if (!belljar_try_result.ok()) [[unlikely]]      \
      return std::move(belljar_try_result).error(); \
    std::move(belljar_try_result).value();          \
  })
