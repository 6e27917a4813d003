#include "os/keyring.h"

#include <cerrno>

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::os {

namespace {

constexpr const char* kType = "user";

long find(const std::string& name) {
  return ::syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, kType, name.c_str(), 0);
}

}  // namespace

Result<void> leave_key(const std::string& name, const Secret& value, std::chrono::seconds lifetime) {
  auto bytes = value.reveal();
  if (bytes.size() > kMaxKey) return Error(ErrorCode::limit_exceeded, "too large for a key: " + name);
  auto key = ::syscall(SYS_add_key, kType, name.c_str(), bytes.data(), bytes.size(), KEY_SPEC_USER_KEYRING);
  if (key < 0) return Error::from_errno(errno, "leave the key " + name);
  if (::syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, lifetime.count()) < 0) {
    auto failure = errno;
    ::syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING);
    return Error::from_errno(failure, "bound the life of the key " + name);
  }
  return {};
}

std::optional<Secret> take_key(const std::string& name) {
  auto key = find(name);
  if (key < 0) return std::nullopt;
  std::string text(kMaxKey, '\0');
  auto size = ::syscall(SYS_keyctl, KEYCTL_READ, key, text.data(), text.size());
  // Whose unlinking succeeds has it alone.
  bool taken = ::syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING) == 0;
  bool whole = size > 0 && static_cast<std::size_t>(size) <= text.size();
  if (!taken || !whole) {
    wipe(text);
    return std::nullopt;
  }
  text.resize(static_cast<std::size_t>(size));
  return Secret(std::move(text));
}

bool has_key(const std::string& name) { return find(name) >= 0; }

}  // namespace belljar::os
