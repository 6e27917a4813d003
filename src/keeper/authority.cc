#include "keeper/authority.h"

#include <cerrno>
#include <utility>

#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tls/authority.h"

namespace belljar::keeper {

namespace {

constexpr std::size_t kMaxPem = 16U << 10;
/// Between certificate and key.
constexpr char kSeparator = '\0';

[[noreturn]] void make_and_tell(int pipe) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto authority = tls::CertificateAuthority::create();
  if (!authority) ::_exit(1);
  auto key = authority->key_pem();
  auto text = authority->certificate_pem() + kSeparator + std::string(key.reveal());
  ::_exit(os::write_all(pipe, as_bytes(text)).ok() ? 0 : 1);
}

}  // namespace

Result<AuthorityInTheMaking> AuthorityInTheMaking::start() {
  auto pipe = TRY(os::create_pipe());
  int pidfd = -1;
  clone_args how{};
  how.flags = CLONE_PIDFD;
  how.pidfd = reinterpret_cast<std::uintptr_t>(&pidfd);
  how.exit_signal = SIGCHLD;
  auto number = static_cast<pid_t>(::syscall(SYS_clone3, &how, sizeof how));
  if (number < 0) return Error::from_errno(errno, "start a process");
  if (number == 0) make_and_tell(pipe.second.get());
  return AuthorityInTheMaking(os::Pid(number, os::Fd(pidfd)), std::move(pipe.first));
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
