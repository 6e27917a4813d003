// A jar's own certificate authority and the leaf certificates minted from it. RFC 5280.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/secret.h"

namespace belljar::tls {

/// The subject (CN) of every jar's authority; key and serial number differ from jar to jar.
inline constexpr std::string_view kAuthorityName = "belljar jar CA";
/// OpenSSL's hash of that subject: the name of a certificate's link in a directory of trusted authorities.
inline constexpr std::string_view kAuthoritySubjectHash = "14638474";

/// For a process that makes an authority and does nothing else with OpenSSL, called first: its error texts
/// aren't loaded, which takes as long as the key and the certificate do.
void prepare_making_only();

/// P-256, valid from a day ago for ten years, path length 0, may sign certificates only.
class CertificateAuthority {
 public:
  static Result<CertificateAuthority> create(std::string_view common_name = kAuthorityName);
  /// `malformed` when either is no PEM of that kind, or the key is not the certificate's.
  static Result<CertificateAuthority> load(std::string_view certificate_pem, const Secret& key_pem);
  ~CertificateAuthority();
  CertificateAuthority(CertificateAuthority&&) noexcept;
  CertificateAuthority& operator=(CertificateAuthority&&) noexcept;

  [[nodiscard]] const std::string& certificate_pem() const;
  [[nodiscard]] Secret key_pem() const;  ///< PKCS#8, not encrypted

  struct State;  ///< tls/minting.h

 private:
  friend class LeafContexts;
  explicit CertificateAuthority(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Mints a leaf for each name asked for and keeps the last `capacity` ones. One key for all leaves of a mint;
/// valid from a day ago for 200 days, the name as its only SAN (an address as an IP SAN).
class LeafMint {
 public:
  static Result<LeafMint> create(CertificateAuthority authority, std::size_t capacity = 512);
  ~LeafMint();
  LeafMint(LeafMint&&) noexcept;
  LeafMint& operator=(LeafMint&&) noexcept;

  [[nodiscard]] std::size_t cached() const;

  struct State;  ///< tls/minting.h

 private:
  friend class LeafContexts;
  explicit LeafMint(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace belljar::tls
