// Mapping: a file of the store's own, seen as bytes. The store is nobody else's to write, so that a file
// doesn't get shorter while it is mapped.
#pragma once

#include <string>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"

namespace belljar::undo {

class [[nodiscard]] Mapping {
 public:
  /// An empty file is an empty mapping.
  static Result<Mapping> open(const std::string& path);
  Mapping() = default;
  ~Mapping();
  Mapping(Mapping&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  [[nodiscard]] BytesView bytes() const { return bytes_; }

 private:
  BytesView bytes_;
};

}  // namespace belljar::undo
