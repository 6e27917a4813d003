#include "ledger/chain.h"

#include <sodium/crypto_hash_sha256.h>

#include "wire/codec.h"

namespace belljar::ledger {

Hash hash_of(const Hash& previous, const Record& record) {
  wire::Encoder encoder;
  encoder.bytes(previous).u64(record.sequence).u64(static_cast<std::uint64_t>(record.time));
  encoder.text(record.jar).text(record.source).bytes(record.event);
  Hash hash;
  crypto_hash_sha256(hash.data(), encoder.result().data(), encoder.result().size());
  return hash;
}

}  // namespace belljar::ledger
