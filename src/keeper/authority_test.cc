#include "keeper/authority.h"

#include <gtest/gtest.h>

#include "os/keyring.h"
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

TEST(AuthorityInTheMaking, TakesTheSpareOneThatWasMadeOnce) {
  if (auto maker = make_spare_authority(); maker && maker->valid()) (void)maker->wait();
  if (!os::has_key("belljar:authority:1")) GTEST_SKIP() << "no keys can be left in this kernel";
  auto first = AuthorityInTheMaking::start().value();
  auto second = AuthorityInTheMaking::start().value();
  auto one = first.take().value();
  auto other = second.take().value();
  EXPECT_TRUE(tls::CertificateAuthority::load(one.certificate, one.key).ok());
  EXPECT_NE(one.certificate, other.certificate);
}

}  // namespace
}  // namespace belljar::keeper
