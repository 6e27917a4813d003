// The names that a proxy keeps for its successor: any bytes are refused or read, and what is read is there
// again after the next one was added.
#include "proxy/kept_names.h"

#include <sys/mman.h>

#include "base/panic.h"
#include "rt/clock.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace belljar;
  os::Fd file(::memfd_create("names", MFD_CLOEXEC));
  if (!file || !os::write_all(file.get(), BytesView(data, size))) return 0;
  auto opened = proxy::KeptNames::open(file.duplicate().value());
  if (!opened) return 0;
  auto before = opened->pool.save();
  auto added = opened->pool.size();
  CHECK(std::holds_alternative<std::uint32_t>(opened->pool.assign("next.test", rt::now())));
  if (opened->pool.size() > added) CHECK(opened->kept.keep("next.test").ok());
  auto again = proxy::KeptNames::open(std::move(file));
  CHECK(again.ok());
  auto after = again->pool.save();
  CHECK(after.size() >= before.size() && std::equal(before.begin(), before.end(), after.begin()));
  return 0;
}
