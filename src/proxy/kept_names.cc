#include "proxy/kept_names.h"

#include <cerrno>

#include <unistd.h>

namespace belljar::proxy {

namespace {

constexpr std::size_t kMostName = 255;
constexpr std::size_t kMostBytes = dns::kPoolCapacity * (1 + kMostName);

struct Split {
  Bytes names;            ///< without what is skipped
  std::size_t whole = 0;  ///< bytes of the file up to the end of the last whole name
};

Split split(BytesView file) {
  Split result;
  for (std::size_t at = 0; at < file.size();) {
    std::size_t length = file[at];
    if (length > file.size() - at - 1) break;
    if (length > 0) {
      auto name = file.subspan(at, 1 + length);
      result.names.insert(result.names.end(), name.begin(), name.end());
    }
    at += 1 + length;
    result.whole = at;
  }
  return result;
}

}  // namespace

Result<KeptNames::Opened> KeptNames::open(os::Fd file) {
  if (!file) return Opened{KeptNames(os::Fd()), dns::NamePool()};
  if (::lseek(file.get(), 0, SEEK_SET) < 0) return Error::from_errno(errno, "read the kept names");
  auto text = TRY(os::read_all(file.get(), kMostBytes).context("reading the kept names"));
  auto found = split(as_bytes(text));
  if (::lseek(file.get(), static_cast<off_t>(found.whole), SEEK_SET) < 0)
    return Error::from_errno(errno, "read the kept names");
  // The file can't be cut: its last bytes become lengths of nothing.
  TRY(os::write_all(file.get(), Bytes(text.size() - found.whole, 0)));
  auto pool = TRY(dns::NamePool::load(found.names));
  return Opened{KeptNames(std::move(file)), std::move(pool)};
}

Result<void> KeptNames::keep(std::string_view name) {
  if (!file_) return {};
  CHECK(!name.empty() && name.size() <= kMostName);
  Bytes entry = {static_cast<std::uint8_t>(name.size())};
  entry.insert(entry.end(), name.begin(), name.end());
  return os::write_all(file_.get(), entry).context("keeping a name");
}

}  // namespace belljar::proxy
