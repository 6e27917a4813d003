#include "base/secret.h"

#include <cstring>
#include <utility>

namespace belljar {

void wipe(std::string& text) noexcept {
  explicit_bzero(text.data(), text.capacity());
  text.clear();
}

// The bytes are copied and the source wiped: moving a short std::string would leave its inline bytes behind.
Secret::Secret(std::string&& value) : value_(value) { belljar::wipe(value); }

Secret::Secret(Secret&& other) noexcept : value_(other.value_) { other.wipe(); }

Secret& Secret::operator=(Secret&& other) noexcept {
  if (this != &other) {
    wipe();
    value_ = other.value_;
    other.wipe();
  }
  return *this;
}

void Secret::wipe() noexcept { belljar::wipe(value_); }

}  // namespace belljar
