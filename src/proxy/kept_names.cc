#include "proxy/kept_names.h"

#include <algorithm>
#include <cerrno>

#include <unistd.h>

#include "gateway/setup.h"

namespace belljar::proxy {

namespace {

constexpr std::size_t kMostName = 255;
static_assert(gateway::kNamesFileSize >= dns::kPoolCapacity * (1 + kMostName));

/// The file up to the first zero, which no name has in it, and some more.
Result<Bytes> read_names(int file) {
  constexpr std::size_t kPiece = 16U << 10;
  Bytes names;
  while (names.size() < gateway::kNamesFileSize) {
    auto before = names.size();
    names.resize(before + kPiece);
    auto count = ::pread(file, names.data() + before, kPiece, static_cast<off_t>(before));
    if (count < 0) return Error::from_errno(errno, "read the kept names");
    names.resize(before + static_cast<std::size_t>(count));
    if (count == 0 || names.back() == 0) break;
  }
  return names;
}

/// How far whole names reach.
std::size_t end_of_names(BytesView file) {
  std::size_t at = 0;
  while (at < file.size() && file[at] != 0) {
    std::size_t length = file[at];
    if (length > file.size() - at - 1) break;
    auto name = file.subspan(at + 1, length);
    if (std::find(name.begin(), name.end(), 0) != name.end()) break;
    at += 1 + length;
  }
  return at;
}

Result<void> put(int file, BytesView bytes, std::size_t at) {
  while (!bytes.empty()) {
    auto count = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Error::from_errno(errno, "write the kept names");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    at += static_cast<std::size_t>(count);
  }
  return {};
}

}  // namespace

Result<KeptNames::Opened> KeptNames::open(os::Fd file) {
  if (!file) return Opened{KeptNames(os::Fd(), 0), dns::NamePool()};
  auto bytes = TRY(read_names(file.get()));
  auto end = end_of_names(bytes);
  auto pool = TRY(dns::NamePool::load(BytesView(bytes).first(end)));
  // What was cut off must not show behind a shorter name.
  auto cut_off = std::min(bytes.size() - end, 1 + kMostName);
  TRY(put(file.get(), Bytes(cut_off, 0), end));
  return Opened{KeptNames(std::move(file), end), std::move(pool)};
}

Result<void> KeptNames::keep(std::string_view name) {
  if (!file_) return {};
  CHECK(!name.empty() && name.size() <= kMostName);
  Bytes entry = {static_cast<std::uint8_t>(name.size())};
  entry.insert(entry.end(), name.begin(), name.end());
  TRY(put(file_.get(), entry, end_).context("keeping a name"));
  end_ += entry.size();
  return {};
}

}  // namespace belljar::proxy
