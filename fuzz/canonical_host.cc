#include "policy/policy.h"

using namespace belljar;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  auto text = as_text(BytesView(bytes, size));
  auto host = policy::canonical_host(text);
  if (host) {
    auto again = policy::canonical_host(*host);
    CHECK(again.ok() && *again == *host);
    CHECK(host->size() <= 253 && host->find_first_of(":[]%/@ ") == std::string::npos);
  }
  if (auto pattern = policy::HostPattern::parse(text)) {
    auto again = policy::HostPattern::parse(pattern->text());
    CHECK(again.ok() && *again == *pattern);
    if (host) CHECK(pattern->matches(*host));
  }
  return 0;
}
