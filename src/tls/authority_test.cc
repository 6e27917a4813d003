#include "tls/authority.h"

#include <cstdio>

#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "tls/minting.h"
#include "tls/trust_store.h"

namespace belljar::tls {
namespace {

TEST(CertificateAuthority, SurvivesAsPem) {
  CertificateAuthority authority = CertificateAuthority::create().value();
  EXPECT_TRUE(authority.certificate_pem().starts_with("-----BEGIN CERTIFICATE-----\n"));
  Secret key = authority.key_pem();
  EXPECT_TRUE(key.reveal().starts_with("-----BEGIN PRIVATE KEY-----\n"));
  CertificateAuthority again = CertificateAuthority::load(authority.certificate_pem(), key).value();
  EXPECT_EQ(again.certificate_pem(), authority.certificate_pem());
}

TEST(CertificateAuthority, IsAnotherForEachJar) {
  CertificateAuthority first = CertificateAuthority::create().value();
  CertificateAuthority second = CertificateAuthority::create().value();
  EXPECT_NE(first.certificate_pem(), second.certificate_pem());
  EXPECT_EQ(CertificateAuthority::load(first.certificate_pem(), second.key_pem()).error().code(),
            ErrorCode::malformed);
}

TEST(CertificateAuthority, ItsSubjectHashesAsAnnounced) {
  auto pem = CertificateAuthority::create().value().certificate_pem();
  BIO* text = BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()));
  X509* certificate = PEM_read_bio_X509(text, nullptr, nullptr, nullptr);
  char hash[9] = {};
  std::snprintf(hash, sizeof hash, "%08lx", X509_subject_name_hash(certificate));
  EXPECT_EQ(hash, kAuthoritySubjectHash);
  X509_free(certificate);
  BIO_free(text);
}

TEST(CertificateAuthority, RefusesWhatIsNone) {
  CertificateAuthority authority = CertificateAuthority::create().value();
  EXPECT_FALSE(CertificateAuthority::load("", authority.key_pem()).ok());
  EXPECT_FALSE(CertificateAuthority::load(authority.certificate_pem(), Secret(std::string("nonsense"))).ok());
}

TEST(LeafMint, KeepsTheLastFew) {
  LeafMint mint = LeafMint::create(CertificateAuthority::create().value(), 2).value();
  for (const char* name : {"a.example", "b.example", "a.example", "c.example"}) {
    ASSERT_TRUE(LeafContexts::open(mint, name).ok());
  }
  EXPECT_EQ(mint.cached(), 2U);
  auto certificate_of = [&](const char* name) {
    SslOwner ssl = LeafContexts::open(mint, name).value();
    X509* certificate = SSL_get_certificate(ssl.get());
    X509_up_ref(certificate);
    return CertificateOwner(certificate);
  };
  CertificateOwner kept = certificate_of("a.example");
  CertificateOwner same = certificate_of("a.example");
  EXPECT_EQ(X509_cmp(kept.get(), same.get()), 0) << "asked for last of the two, so it was kept";
  ASSERT_TRUE(LeafContexts::open(mint, "b.example").ok());
  ASSERT_TRUE(LeafContexts::open(mint, "c.example").ok());
  CertificateOwner minted_again = certificate_of("a.example");
  EXPECT_NE(X509_cmp(kept.get(), minted_again.get()), 0);
}

TEST(LeafMint, LeavesAreWhatStrictClientsAskFor) {
  LeafMint mint = LeafMint::create(CertificateAuthority::create().value()).value();
  SslOwner ssl = LeafContexts::open(mint, "a.example").value();
  X509* leaf = SSL_get_certificate(ssl.get());
  EXPECT_EQ(X509_check_host(leaf, "a.example", 0, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT, nullptr), 1);
  EXPECT_EQ(X509_check_host(leaf, "b.a.example", 0, 0, nullptr), 0);
  EXPECT_EQ(X509_check_ca(leaf), 0);
  EXPECT_EQ(X509_check_purpose(leaf, X509_PURPOSE_SSL_SERVER, 0), 1);
  int days = 0, seconds = 0;
  ASSERT_EQ(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(leaf), X509_get0_notAfter(leaf)), 1);
  EXPECT_EQ(days, 201);
  EXPECT_LT(X509_cmp_current_time(X509_get0_notBefore(leaf)), 0);
}

TEST(LeafMint, NamesThatAreNoneGetNothing) {
  LeafMint mint = LeafMint::create(CertificateAuthority::create().value()).value();
  for (const char* name : {"", "a/b", "*.example", "A.example", "a,DNS:b", "a b", "\xc3\xa4"}) {
    EXPECT_FALSE(LeafContexts::open(mint, name).ok()) << name;
  }
  std::string longest =
      std::string(63, 'a') + "." + std::string(63, 'b') + "." + std::string(63, 'c') + ".example";
  EXPECT_TRUE(LeafContexts::open(mint, longest).ok()) << "no common name has room for it, the SAN has";
}

TEST(TrustStore, TakesWhatItCanOfABundle) {
  std::string first = CertificateAuthority::create().value().certificate_pem();
  std::string second = CertificateAuthority::create("other").value().certificate_pem();
  std::string broken = "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----\n";
  std::string nonsense = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  TrustStore store =
      TrustStore::from_pem("# comment\n" + first + broken + "between\n" + nonsense + second).value();
  EXPECT_EQ(store.size(), 2U);
  EXPECT_EQ(store.skipped(), 2U);
  EXPECT_EQ(TrustStore::from_pem("").error().code(), ErrorCode::malformed);
  EXPECT_EQ(TrustStore::from_pem(nonsense).error().code(), ErrorCode::malformed);
}

}  // namespace
}  // namespace belljar::tls
