// DNS messages of the jar's resolver: reads queries, builds answers. It never forwards, so it never reads
// answers. RFC 1035, RFC 2308 (negative answers), RFC 6891 (EDNS).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/bytes.h"
#include "base/result.h"
#include "io/buffered.h"

namespace belljar::dns {

enum class Rcode : std::uint8_t {
  no_error = 0,
  format_error = 1,
  server_failure = 2,
  name_error = 3,  ///< NXDOMAIN
  not_implemented = 4,
  refused = 5,
  bad_version = 16,  ///< EDNS version above 0
};

enum RecordType : std::uint16_t {
  kA = 1,
  kSoa = 6,
  kAaaa = 28,
  kOpt = 41,
  kSvcb = 64,
  kHttps = 65,
  kAny = 255
};
inline constexpr std::uint16_t kInternet = 1;

struct Edns {
  std::uint16_t udp_size = 512;  ///< at least 512
  std::uint8_t version = 0;
  bool dnssec_ok = false;
};

struct Query {
  std::uint16_t id = 0;
  bool recursion_desired = false;
  bool checking_disabled = false;
  /// Canonical text: lower case, no trailing dot, the root is "." . Each label has only letters, digits, '-'
  /// and '_'; 253 characters at most.
  std::string name;
  std::uint16_t type = 0;
  std::uint16_t record_class = 0;
  std::optional<Edns> edns;
  Bytes question;  ///< as sent, to be echoed (clients may mix the case on purpose)
};

/// A message that is not answered with records.
struct Rejected {
  std::optional<Bytes> reply;  ///< nothing: drop it silently (no header to answer, or it is an answer itself)
  std::string reason;
};

/// Exactly one question, QR = 0, opcode 0, no compression, at most an OPT (and TSIG, ignored) beside. Total:
/// never fails, any bytes up to 65535. Names with other characters than above are rejected with NXDOMAIN.
std::variant<Query, Rejected> parse_query(BytesView message);

/// How large an answer may be: what the query allows over UDP (512, or its EDNS size up to 1232); 65535 over
/// TCP. Answers beyond come back truncated (TC), without records.
enum class Transport : std::uint8_t { udp, tcp };

/// One A record. `address` in host byte order, `ttl` in seconds.
Bytes answer_address(const Query& query, std::uint32_t address, std::uint32_t ttl, Transport transport);
/// NOERROR without records, with a SOA so that it is cached for `ttl` seconds.
Bytes answer_no_data(const Query& query, std::uint32_t ttl, Transport transport);
/// NXDOMAIN with a SOA.
Bytes answer_no_such_name(const Query& query, std::uint32_t ttl, Transport transport);
/// REFUSED, SERVFAIL, NOTIMP … without records.
Bytes answer_code(const Query& query, Rcode rcode, Transport transport);

/// TCP: two bytes of length before each message, RFC 1035 section 4.2.2. Nothing at the end of the stream.
/// The reader's limit must be 64 KiB + 2 or more, or `most` smaller: longer messages are `limit_exceeded`.
Result<std::optional<Bytes>> read_framed(io::BufferedReader& reader, std::size_t most = 4096);
Result<void> write_framed(io::Writer& writer, BytesView message);

}  // namespace belljar::dns
