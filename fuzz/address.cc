// Addresses and endpoints as text: what is read is written canonically and reads back as the same value.
#include "net/address.h"

#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "net/special_use.h"

using belljar::net::Address;
using belljar::net::Endpoint;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto text = belljar::as_text({data, size});
  if (auto address = Address::parse(text); address.ok()) {
    CHECK(Address::parse(address->to_string()).value() == *address);
    (void)belljar::net::special_use(*address);
  }
  if (auto endpoint = Endpoint::parse(text); endpoint.ok()) {
    CHECK(endpoint->port != 0);
    CHECK(Endpoint::parse(endpoint->to_string()).value() == *endpoint);
    sockaddr_storage name;
    endpoint->fill(name);
    CHECK(Endpoint::from(name).value() == *endpoint);
  }
  return 0;
}
