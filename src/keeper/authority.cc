#include "keeper/authority.h"

#include <utility>

#include "os/fork.h"
#include "tls/authority.h"

namespace belljar::keeper {

namespace {

constexpr std::size_t kMaxPem = 16U << 10;
/// Between certificate and key.
constexpr char kSeparator = '\0';

int make_and_tell(int pipe) {
  tls::prepare_making_only();
  auto authority = tls::CertificateAuthority::create();
  if (!authority) return 1;
  auto key = authority->key_pem();
  auto text = authority->certificate_pem() + kSeparator + std::string(key.reveal());
  return os::write_all(pipe, as_bytes(text)).ok() ? 0 : 1;
}

}  // namespace

Result<AuthorityInTheMaking> AuthorityInTheMaking::start() {
  auto pipe = TRY(os::create_pipe());
  auto child =
      TRY(os::fork_process(os::Lifetime::parents, [&pipe] { return make_and_tell(pipe.second.get()); }));
  return AuthorityInTheMaking(std::move(child), std::move(pipe.first));
}

Result<Authority> AuthorityInTheMaking::take() {
  auto text = TRY(os::read_all(pipe_.get(), kMaxPem));
  auto exit = TRY(child_.wait());
  auto separator = text.find(kSeparator);
  if (exit.shell_code() != 0 || separator == std::string::npos)
    return Error(ErrorCode::internal, "the jar's certificate authority could not be made")
        .with_hint("belljar doctor");
  Authority authority{.certificate = text.substr(0, separator), .key = Secret(text.substr(separator + 1))};
  wipe(text);
  return authority;
}

}  // namespace belljar::keeper
