// ObjectId and Hasher: SHA-256, by which git (object format sha256) and this store name what they hold.
//
// The one-call interface of OpenSSL loads its providers at first use, which takes longer than a whole start
// may; the plain functions don't.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace belljar::undo {

struct ObjectId {
  std::array<std::uint8_t, 32> bytes{};

  friend bool operator==(const ObjectId&, const ObjectId&) = default;
  friend bool operator<(const ObjectId& one, const ObjectId& other) { return one.bytes < other.bytes; }
  [[nodiscard]] bool is_null() const { return *this == ObjectId{}; }
  [[nodiscard]] std::string to_text() const { return to_hex(bytes); }
  /// 64 lower-case hexadecimal digits, else `malformed`.
  static Result<ObjectId> parse(std::string_view text);
};

struct ObjectIdHash {
  std::size_t operator()(const ObjectId& id) const {
    std::size_t value = 0;  // already evenly spread
    std::memcpy(&value, id.bytes.data(), sizeof value);
    return value;
  }
};

class Hasher {
 public:
  Hasher();
  void add(BytesView bytes);
  void add(std::string_view text) { add(as_bytes(text)); }
  /// Once.
  ObjectId finish();

 private:
  alignas(8) std::array<unsigned char, 128> state_;  // SHA256_CTX, kept out of this header
};

enum class ObjectType : std::uint8_t { commit = 1, tree = 2, blob = 3 };  ///< as in git's packs

/// The name that git gives an object.
ObjectId id_of(ObjectType type, BytesView content);

}  // namespace belljar::undo
