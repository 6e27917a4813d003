// The inside of authority.h: certificates as OpenSSL has them. Included by the .cc files of this folder only.
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "tls/authority.h"
#include "tls/openssl.h"

namespace belljar::tls {

inline constexpr long kDaySeconds = 24L * 60 * 60;

struct CertificateAuthority::State {
  CertificateOwner certificate;
  KeyOwner key;
  std::string pem;
};

/// In seconds from now; both may be negative.
struct Validity {
  long from = -kDaySeconds;
  long until = 200 * kDaySeconds;
};

struct LeafMint::State {
  struct Entry {
    std::string name;
    CertificateOwner certificate;
  };

  CertificateAuthority authority;
  KeyOwner leaf_key;
  ContextOwner context;  // of all connections that are accepted with these leaves
  std::size_t capacity = 0;
  std::list<Entry> recent;                                                   // most recently used first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_name;  // views of Entry::name
};

Result<KeyOwner> generate_key();
/// Version, a random serial, validity, both names and the key; extensions and signature are the caller's.
Result<CertificateOwner> draft_certificate(EVP_PKEY* key, Validity validity);
Result<void> set_common_name(X509_NAME* holder, std::string_view name);
/// An extension by its textual value (ours, never anybody else's).
Result<void> add_extension(X509* certificate, X509* issuer, int nid, const char* value);
Result<CertificateOwner> mint_leaf(const CertificateAuthority::State& authority, EVP_PKEY* leaf_key,
                                   std::string_view name, Validity validity);

/// What stream.cc needs of a mint.
class LeafContexts {
 public:
  /// A connection's SSL object, with the leaf for this name.
  static Result<SslOwner> open(LeafMint& mint, std::string_view name);
  /// For tests: the leaf with another validity takes the place of the cached one.
  static Result<void> replace(LeafMint& mint, std::string_view name, Validity validity);

 private:
  static Result<X509*> leaf(LeafMint::State& state, std::string_view name);
  static void keep(LeafMint::State& state, std::string_view name, CertificateOwner certificate);
};

}  // namespace belljar::tls
