// Authorities: what is read is written canonically and reads back as the same value, and no name is an
// address.
#include "net/authority.h"

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"

using belljar::net::Address;
using belljar::net::Authority;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto authority = Authority::parse(belljar::as_text({data, size}));
  if (!authority.ok()) return 0;
  CHECK(!authority->host.empty() && authority->host.size() <= 253);
  CHECK(authority->address.has_value() == Address::parse(authority->host).ok());
  CHECK(Authority::parse(authority->to_string()).value() == *authority);
  return 0;
}
