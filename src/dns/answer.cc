#include <algorithm>

#include "dns/message.h"
#include "dns/wire_form.h"

namespace belljar::dns {
namespace {

// What resolvers agreed on to stay clear of fragmentation (DNS flag day 2020).
constexpr std::uint16_t kOurUdpSize = 1232;

enum class Records : std::uint8_t { none, address, start_of_authority };

struct Contents {
  Rcode rcode = Rcode::no_error;
  Records records = Records::none;
  std::uint32_t address = 0;
  std::uint32_t ttl = 0;
};

void put16(Bytes& bytes, std::uint32_t value) {
  bytes.push_back(static_cast<std::uint8_t>(value >> 8));
  bytes.push_back(static_cast<std::uint8_t>(value));
}

void put32(Bytes& bytes, std::uint32_t value) {
  put16(bytes, value >> 16);
  put16(bytes, value & 0xFFFF);
}

void put_address(Bytes& bytes, const Contents& contents) {
  put16(bytes, 0xC00C);  // the name of the question, at offset 12
  put16(bytes, kA);
  put16(bytes, kInternet);
  put32(bytes, contents.ttl);
  put16(bytes, 4);
  put32(bytes, contents.address);
}

// The root's, so that it covers every name. Its last field is how long "there is nothing" may be kept: RFC
// 2308 section 5. The names in it are the root too: nobody answers for them.
void put_start_of_authority(Bytes& bytes, const Contents& contents) {
  bytes.push_back(0);
  put16(bytes, kSoa);
  put16(bytes, kInternet);
  put32(bytes, contents.ttl);
  put16(bytes, 22);
  bytes.push_back(0);
  bytes.push_back(0);
  for (std::uint32_t value : {1U, 3600U, 600U, 86400U, contents.ttl})
    put32(bytes, value);
}

void put_opt(Bytes& bytes, const Edns& edns, Rcode rcode) {
  bytes.push_back(0);
  put16(bytes, kOpt);
  put16(bytes, kOurUdpSize);
  bytes.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(rcode) >> 4));
  bytes.push_back(0);
  put16(bytes, edns.dnssec_ok ? 0x8000 : 0);
  put16(bytes, 0);
}

std::size_t most_bytes(const Query& query, Transport transport) {
  if (transport == Transport::tcp) return 65535;
  return query.edns ? std::min(query.edns->udp_size, kOurUdpSize) : 512;
}

Bytes build(const Query& query, const Contents& contents, Transport transport, bool truncated = false) {
  std::uint16_t flags = kResponse | kRecursionAvailable;
  if (truncated) flags |= kTruncated;
  if (query.recursion_desired) flags |= kRecursionDesired;
  if (query.checking_disabled) flags |= kCheckingDisabled;
  flags = static_cast<std::uint16_t>(flags | (static_cast<unsigned>(contents.rcode) & 0xF));

  Bytes bytes;
  put16(bytes, query.id);
  put16(bytes, flags);
  put16(bytes, query.question.empty() ? 0 : 1);
  put16(bytes, contents.records == Records::address ? 1 : 0);
  put16(bytes, contents.records == Records::start_of_authority ? 1 : 0);
  put16(bytes, query.edns ? 1 : 0);
  bytes.insert(bytes.end(), query.question.begin(), query.question.end());
  if (contents.records == Records::address) put_address(bytes, contents);
  if (contents.records == Records::start_of_authority) put_start_of_authority(bytes, contents);
  if (query.edns) put_opt(bytes, *query.edns, contents.rcode);

  if (bytes.size() > most_bytes(query, transport) && !truncated) {
    return build(query, {.rcode = contents.rcode}, transport, true);
  }
  return bytes;
}

}  // namespace

Bytes answer_address(const Query& query, std::uint32_t address, std::uint32_t ttl, Transport transport) {
  return build(query, {.records = Records::address, .address = address, .ttl = ttl}, transport);
}

Bytes answer_no_data(const Query& query, std::uint32_t ttl, Transport transport) {
  return build(query, {.records = Records::start_of_authority, .ttl = ttl}, transport);
}

Bytes answer_no_such_name(const Query& query, std::uint32_t ttl, Transport transport) {
  return build(query, {.rcode = Rcode::name_error, .records = Records::start_of_authority, .ttl = ttl},
               transport);
}

Bytes answer_code(const Query& query, Rcode rcode, Transport transport) {
  return build(query, {.rcode = rcode}, transport);
}

Result<std::optional<Bytes>> read_framed(io::BufferedReader& reader, std::size_t most) {
  BytesView prefix = TRY(reader.peek(2));
  if (prefix.empty()) return std::optional<Bytes>{};
  if (prefix.size() < 2) return Error(ErrorCode::closed, "the connection ended within a DNS message");
  std::size_t length = static_cast<std::size_t>(prefix[0]) << 8 | prefix[1];
  if (length > most) return Error(ErrorCode::limit_exceeded, "a DNS query is too long");
  reader.consume(2);
  return std::optional(TRY(reader.read_exactly(length)));
}

Result<void> write_framed(io::Writer& writer, BytesView message) {
  CHECK(message.size() <= 65535);
  Bytes framed;
  put16(framed, static_cast<std::uint32_t>(message.size()));
  framed.insert(framed.end(), message.begin(), message.end());
  TRY(writer.write(framed));
  return writer.flush();
}

}  // namespace belljar::dns
