#include "keeper/authority.h"

#include <chrono>
#include <utility>

#include "os/fork.h"
#include "os/keyring.h"
#include "tls/authority.h"

namespace belljar::keeper {

namespace {

constexpr std::size_t kMaxPem = os::kMaxKey;
/// Between certificate and key.
constexpr char kSeparator = '\0';
/// Another form of it has another name.
constexpr const char* kSpare = "belljar:authority:1";
constexpr auto kSpareLifetime = std::chrono::hours(24);

Result<Secret> make() {
  tls::prepare_making_only();
  auto authority = TRY(tls::CertificateAuthority::create());
  auto key = authority.key_pem();
  return Secret(authority.certificate_pem() + kSeparator + std::string(key.reveal()));
}

int make_and_tell(int pipe) {
  auto made = make();
  return made && os::write_all(pipe, as_bytes(made->reveal())) ? 0 : 1;
}

std::optional<Authority> parse(std::string_view text) {
  auto separator = text.find(kSeparator);
  if (separator == std::string_view::npos) return std::nullopt;
  return Authority{.certificate = std::string(text.substr(0, separator)),
                   .key = Secret(std::string(text.substr(separator + 1)))};
}

}  // namespace

Result<AuthorityInTheMaking> AuthorityInTheMaking::start() {
  if (auto spare = os::take_key(kSpare))
    if (auto authority = parse(spare->reveal())) return AuthorityInTheMaking(std::move(*authority));
  auto pipe = TRY(os::create_pipe());
  auto child =
      TRY(os::fork_process(os::Lifetime::parents, [&pipe] { return make_and_tell(pipe.second.get()); }));
  return AuthorityInTheMaking(std::move(child), std::move(pipe.first));
}

Result<Authority> AuthorityInTheMaking::take() {
  if (spare_) return std::move(*std::exchange(spare_, std::nullopt));
  Secret text(TRY(os::read_all(pipe_.get(), kMaxPem)));
  auto exit = TRY(child_.wait());
  auto authority = parse(text.reveal());
  if (exit.shell_code() != 0 || !authority)
    return Error(ErrorCode::internal, "the jar's certificate authority could not be made")
        .with_hint("belljar doctor");
  return std::move(*authority);
}

Result<os::Pid> make_spare_authority() {
  if (os::has_key(kSpare)) return os::Pid();
  return os::fork_unhurried(-1, [] {
    auto made = make();
    return made && os::leave_key(kSpare, *made, kSpareLifetime) ? 0 : 1;
  });
}

}  // namespace belljar::keeper
