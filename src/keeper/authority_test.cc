#include "keeper/authority.h"

#include <gtest/gtest.h>

#include "tls/authority.h"

namespace belljar::keeper {
namespace {

TEST(AuthorityInTheMaking, IsAnAuthorityOfItsOwnEachTime) {
  auto first = AuthorityInTheMaking::start().value();
  auto second = AuthorityInTheMaking::start().value();
  auto one = first.take().value();
  auto other = second.take().value();
  EXPECT_TRUE(tls::CertificateAuthority::load(one.certificate, one.key).ok());
  EXPECT_TRUE(tls::CertificateAuthority::load(other.certificate, other.key).ok());
  EXPECT_NE(one.certificate, other.certificate);
  EXPECT_FALSE(tls::CertificateAuthority::load(one.certificate, other.key).ok());
}

}  // namespace
}  // namespace belljar::keeper
