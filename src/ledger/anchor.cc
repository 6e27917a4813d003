#include "ledger/anchor.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "wire/codec.h"

namespace belljar::ledger {

namespace {

constexpr std::string_view kMagic = "belljar ledger 1";
constexpr std::size_t kSize = 4 + 16 + 8 + 4 + 32;  // far below a sector: written whole or not at all
constexpr int kLockAttempts = 5000;
constexpr long kLockPause = 1'000'000;  // nanoseconds

}  // namespace

Result<Anchor> Anchor::open(const std::string& path, bool create) {
  return Anchor(TRY(os::open_file(path, O_RDWR | (create ? O_CREAT : 0), 0600)));
}

Result<std::optional<Head>> Anchor::read() const {
  Bytes bytes(kSize);
  auto count = ::pread(fd_.get(), bytes.data(), bytes.size(), 0);
  if (count < 0) return Error::from_errno(errno, "read the ledger's anchor");
  bytes.resize(static_cast<std::size_t>(count));
  wire::Decoder decoder(bytes);
  auto magic = decoder.text();
  if (!magic || *magic != kMagic) return std::optional<Head>{};
  Head head;
  auto sequence = decoder.u64();
  auto hash = decoder.bytes();
  if (!sequence || !hash || hash->size() != head.hash.size()) return std::optional<Head>{};
  head.sequence = *sequence;
  std::copy(hash->begin(), hash->end(), head.hash.begin());
  return std::optional<Head>(head);
}

Result<void> Anchor::write(const Head& head) const {
  wire::Encoder encoder;
  encoder.text(kMagic).u64(head.sequence).bytes(head.hash);
  // Not synced: after a power cut an older anchor is weaker, never wrong.
  auto count = ::pwrite(fd_.get(), encoder.result().data(), encoder.result().size(), 0);
  if (count != static_cast<ssize_t>(kSize))
    return Error::from_errno(count < 0 ? errno : ENOSPC, "write the ledger's anchor");
  return {};
}

Result<Anchor::Lock> Anchor::lock() const {
  for (int i = 0; i < kLockAttempts; ++i) {
    if (::flock(fd_.get(), LOCK_EX | LOCK_NB) == 0) return Lock(fd_.get());
    if (errno != EWOULDBLOCK && errno != EINTR) return Error::from_errno(errno, "lock the ledger");
    timespec pause{.tv_sec = 0, .tv_nsec = kLockPause};
    ::nanosleep(&pause, nullptr);
  }
  return Error(ErrorCode::timed_out, "another process has kept the ledger locked for five seconds");
}

Anchor::Lock::~Lock() {
  if (fd_ >= 0) ::flock(fd_, LOCK_UN);
}

}  // namespace belljar::ledger
