#include <algorithm>
#include <utility>

#include "dns/message.h"
#include "dns/wire_form.h"

namespace belljar::dns {
namespace {

constexpr std::size_t kMostName = 255;  // of the wire form, length bytes and the final zero included
constexpr std::uint8_t kMostLabel = 63;
constexpr std::uint16_t kMostAdditional = 4;

/// Takes bytes off the front of a message; what is not there makes it fail, once and for all.
class Taker {
 public:
  explicit Taker(BytesView bytes) : bytes_(bytes) {}

  std::uint8_t byte() { return take(1) ? bytes_[at_ - 1] : std::uint8_t{0}; }
  std::uint16_t number() {
    if (!take(2)) return 0;
    return static_cast<std::uint16_t>(bytes_[at_ - 2] << 8 | bytes_[at_ - 1]);
  }
  bool take(std::size_t count) {
    ok_ = ok_ && count <= bytes_.size() - at_;
    if (ok_) at_ += count;
    return ok_;
  }
  void fail() { ok_ = false; }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return ok_ && at_ == bytes_.size(); }
  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] BytesView between(std::size_t from, std::size_t to) const {
    return bytes_.subspan(from, to - from);
  }

 private:
  BytesView bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

bool is_name_char(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_'; }

struct Name {
  std::string text;      // canonical as far as it can be
  bool ordinary = true;  // only characters that host names have
};

// A question needs no compression, so a pointer in it is an error: there is nothing to follow, nothing to
// loop in.
Name take_name(Taker& taker) {
  Name name;
  std::size_t start = taker.position();
  for (;;) {
    std::uint8_t length = taker.byte();
    if (!taker.ok() || length == 0) break;
    std::size_t from = taker.position();
    if (length > kMostLabel || !taker.take(length) || taker.position() - start + 1 > kMostName) {
      taker.fail();
      return name;
    }
    if (!name.text.empty()) name.text += '.';
    for (char c : as_text(taker.between(from, from + length))) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      name.ordinary = name.ordinary && is_name_char(c);
      name.text += c;
    }
  }
  if (name.text.empty()) name.text = ".";
  return name;
}

// Beside OPT only signatures (TSIG, SIG) may come; they are skipped. Answers whether all was well.
bool take_additional(Taker& taker, std::uint16_t count, std::optional<Edns>& edns) {
  for (std::uint16_t i = 0; i < count; ++i) {
    Name owner = take_name(taker);
    std::uint16_t type = taker.number();
    std::uint16_t record_class = taker.number();
    std::uint16_t high = taker.number();  // of the TTL: extended rcode and version
    std::uint16_t low = taker.number();   // flags
    taker.take(taker.number());
    if (!taker.ok()) return false;
    if (type != kOpt) continue;
    if (edns || owner.text != ".") return false;
    edns = Edns{.udp_size = std::max<std::uint16_t>(record_class, 512),
                .version = static_cast<std::uint8_t>(high & 0xFF),
                .dnssec_ok = (low & 0x8000) != 0};
  }
  return taker.at_end();
}

Rejected reject(const Query& query, Rcode rcode, std::string reason) {
  return {.reply = answer_code(query, rcode, Transport::udp), .reason = std::move(reason)};
}

}  // namespace

std::variant<Query, Rejected> parse_query(BytesView message) {
  Taker taker(message);
  Query query;
  query.id = taker.number();
  std::uint16_t flags = taker.number();
  std::uint16_t questions = taker.number();
  std::uint16_t answers = taker.number();
  std::uint16_t authorities = taker.number();
  std::uint16_t additional = taker.number();
  if (!taker.ok()) return Rejected{.reply = {}, .reason = "shorter than a DNS header"};
  // Never answered: two resolvers that answer each other's answers would not stop.
  if ((flags & kResponse) != 0) return Rejected{.reply = {}, .reason = "an answer, not a query"};
  query.recursion_desired = (flags & kRecursionDesired) != 0;
  query.checking_disabled = (flags & kCheckingDisabled) != 0;
  if ((flags & kOpcodeMask) != 0)
    return reject(query, Rcode::not_implemented, "an operation other than a query");
  if (questions != 1 || answers != 0 || authorities != 0 || additional > kMostAdditional) {
    return reject(query, Rcode::format_error, "not exactly one question");
  }

  std::size_t start = taker.position();
  Name name = take_name(taker);
  query.type = taker.number();
  query.record_class = taker.number();
  if (!taker.ok()) return reject(query, Rcode::format_error, "a malformed question");
  BytesView question = taker.between(start, taker.position());
  if (!take_additional(taker, additional, query.edns)) {
    query.edns.reset();
    return reject(query, Rcode::format_error, "malformed additional records");
  }
  query.question.assign(question.begin(), question.end());
  if (query.edns && query.edns->version > 0)
    return reject(query, Rcode::bad_version, "an unknown EDNS version");
  if (query.record_class != kInternet) return reject(query, Rcode::refused, "a class other than IN");
  if (!name.ordinary) return reject(query, Rcode::name_error, "a name with characters that no host name has");
  query.name = std::move(name.text);
  return query;
}

}  // namespace belljar::dns
