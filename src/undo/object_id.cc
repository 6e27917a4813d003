#define OPENSSL_SUPPRESS_DEPRECATED
#include "undo/object_id.h"

#include <new>

#include <fmt/core.h>
#include <openssl/sha.h>

namespace belljar::undo {

namespace {

static_assert(sizeof(SHA256_CTX) <= 128 && alignof(SHA256_CTX) <= 8);

int value_of(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  return -1;
}

}  // namespace

Result<ObjectId> ObjectId::parse(std::string_view text) {
  ObjectId id;
  if (text.size() != 2 * id.bytes.size()) return Error(ErrorCode::malformed, "this is no name of an object");
  for (std::size_t n = 0; n < id.bytes.size(); ++n) {
    int high = value_of(text[2 * n]);
    int low = value_of(text[2 * n + 1]);
    if (high < 0 || low < 0) return Error(ErrorCode::malformed, "this is no name of an object");
    id.bytes[n] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return id;
}

Hasher::Hasher() { SHA256_Init(new (state_.data()) SHA256_CTX); }

void Hasher::add(BytesView bytes) {
  SHA256_Update(std::launder(reinterpret_cast<SHA256_CTX*>(state_.data())), bytes.data(), bytes.size());
}

ObjectId Hasher::finish() {
  ObjectId id;
  SHA256_Final(id.bytes.data(), std::launder(reinterpret_cast<SHA256_CTX*>(state_.data())));
  return id;
}

ObjectId id_of(ObjectType type, BytesView content) {
  std::string_view name = type == ObjectType::blob ? "blob" : type == ObjectType::tree ? "tree" : "commit";
  Hasher hasher;
  auto head = fmt::format("{} {}", name, content.size());
  hasher.add(std::string_view(head.c_str(), head.size() + 1));  // with its NUL
  hasher.add(content);
  return hasher.finish();
}

}  // namespace belljar::undo
