#include "policy/policy.h"

using namespace belljar;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  auto policy = policy::decode(BytesView(bytes, size));
  if (!policy) return 0;
  auto again = policy::decode(policy::encode(*policy));
  CHECK(again.ok() && policy::encode(*again) == policy::encode(*policy));
  auto judgement = policy::judge(*policy, {.host = "example.com", .method = "GET", .path = "/a%2Fb"});
  CHECK(!judgement.reason.empty());
  return 0;
}
