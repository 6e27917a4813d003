// A policy on its way to another process. Its reader takes nothing on trust: every part is canonical again or
// the whole is malformed.
#include <algorithm>

#include "policy/path.h"
#include "policy/policy.h"
#include "wire/codec.h"

namespace belljar::policy {

namespace {

constexpr std::uint8_t kVersion = 1;

Error malformed(const char* what) { return Error(ErrorCode::malformed, what); }

void encode_texts(wire::Encoder& encoder, const std::vector<std::string>& texts) {
  encoder.count(texts.size());
  for (const auto& text : texts)
    encoder.text(text);
}

Result<std::vector<std::string>> decode_texts(wire::Decoder& decoder) {
  auto count = TRY(decoder.count());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back(TRY(decoder.text()));
  return texts;
}

void encode_rule(wire::Encoder& encoder, const Rule& rule) {
  encoder.u8(static_cast<std::uint8_t>(rule.verdict)).text(rule.host.text());
  encoder.count(rule.schemes.size());
  for (auto scheme : rule.schemes)
    encoder.u8(static_cast<std::uint8_t>(scheme));
  encoder.count(rule.ports.size());
  for (auto port : rule.ports)
    encoder.u16(port);
  encode_texts(encoder, rule.methods);
  encode_texts(encoder, rule.paths);
  encoder.text(rule.reason).text(rule.origin);
}

Result<Rule> decode_rule(wire::Decoder& decoder) {
  Rule rule{.schemes = {}, .methods = {}};
  auto verdict = TRY(decoder.u8());
  if (verdict > static_cast<std::uint8_t>(Verdict::hold)) return malformed("a verdict out of range");
  rule.verdict = static_cast<Verdict>(verdict);
  auto host = TRY(decoder.text());
  rule.host = TRY(HostPattern::parse(host));
  if (rule.host.text() != host) return malformed("a host pattern that is not canonical");
  for (auto count = TRY(decoder.count()); count > 0; --count) {
    auto scheme = TRY(decoder.u8());
    if (scheme > static_cast<std::uint8_t>(Scheme::https)) return malformed("a scheme out of range");
    rule.schemes.push_back(static_cast<Scheme>(scheme));
  }
  for (auto count = TRY(decoder.count()); count > 0; --count)
    rule.ports.push_back(TRY(decoder.u16()));
  rule.methods = TRY(decode_texts(decoder));
  rule.paths = TRY(decode_texts(decoder));
  for (const auto& path : rule.paths)
    if (auto glob = TRY(PathGlob::parse(path)); glob.text() != path)
      return malformed("a path pattern that is not normalised");
  rule.reason = TRY(decoder.text());
  rule.origin = TRY(decoder.text());
  return rule;
}

Result<HostException> decode_exception(wire::Decoder& decoder) {
  HostException exception;
  exception.host = TRY(decoder.text());
  if (TRY(canonical_host(exception.host)) != exception.host) return malformed("a host that is not canonical");
  exception.port = TRY(decoder.u16());
  exception.origin = TRY(decoder.text());
  return exception;
}

Result<Service> decode_service(wire::Decoder& decoder) {
  Service service;
  service.name = TRY(decoder.text());
  service.port = TRY(decoder.u16());
  if (service.port == 0) return malformed("a service without a port");
  service.origin = TRY(decoder.text());
  return service;
}

}  // namespace

Bytes encode(const Policy& policy) {
  wire::Encoder encoder;
  encoder.u8(kVersion);
  encoder.count(policy.rules.size());
  for (const auto& rule : policy.rules)
    encode_rule(encoder, rule);
  encoder.count(policy.exceptions.size());
  for (const auto& exception : policy.exceptions)
    encoder.text(exception.host).u16(exception.port).text(exception.origin);
  encoder.count(policy.services.size());
  for (const auto& service : policy.services)
    encoder.text(service.name).u16(service.port).text(service.origin);
  return encoder.take();
}

Result<Policy> decode(BytesView bytes) {
  wire::Decoder decoder(bytes);
  if (TRY(decoder.u8()) != kVersion) return malformed("a policy of another version");
  Policy policy;
  for (auto count = TRY(decoder.count()); count > 0; --count)
    policy.rules.push_back(TRY(decode_rule(decoder)));
  for (auto count = TRY(decoder.count()); count > 0; --count)
    policy.exceptions.push_back(TRY(decode_exception(decoder)));
  for (auto count = TRY(decoder.count()); count > 0; --count)
    policy.services.push_back(TRY(decode_service(decoder)));
  TRY(decoder.finish());
  return policy;
}

}  // namespace belljar::policy
