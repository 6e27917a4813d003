// Secret: bytes that must not linger. Move-only, wiped when dropped, never printed; reveal() is the only way
// to see the value, so that one search finds every place that does.
#pragma once

#include <string>
#include <string_view>

namespace belljar {

class Secret {
 public:
  Secret() = default;
  /// Takes over the bytes; `value` is wiped.
  explicit Secret(std::string&& value);
  ~Secret() { wipe(); }

  Secret(Secret&& other) noexcept;
  Secret& operator=(Secret&& other) noexcept;
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;

  /// The value, borrowed: valid until this Secret is moved from or dropped.
  [[nodiscard]] std::string_view reveal() const { return value_; }
  [[nodiscard]] bool empty() const { return value_.empty(); }

 private:
  void wipe() noexcept;
  std::string value_;
};

/// Overwrites a text in a way that the compiler keeps, then empties it.
void wipe(std::string& text) noexcept;

}  // namespace belljar
