#include "jar/root/files.h"

#include <cerrno>
#include <cstdlib>
#include <sstream>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"

namespace belljar::jar {

namespace {

/// Every name is answered by the jar's own resolver, which listens in its network namespace.
constexpr std::string_view kResolver = "nameserver 127.0.0.1\noptions timeout:3 attempts:2\n";
constexpr std::string_view kNameService =
    "passwd: files\ngroup: files\nshadow: files\ngshadow: files\nhosts: files dns\nnetworks: files\n"
    "protocols: db files\nservices: db files\nethers: db files\nrpc: db files\n";

/// apt would become another user to download.
constexpr std::string_view kAptSettings = "APT::Sandbox::User \"root\";\n";

/// Where distributions keep the certificates that everybody trusts, in one file.
constexpr const char* kBundles[] = {"/etc/ssl/certs/ca-certificates.crt",
                                    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
                                    "/etc/pki/tls/certs/ca-bundle.crt",
                                    "/etc/ssl/ca-bundle.pem",
                                    "/etc/ssl/cert.pem",
                                    "/etc/ca-certificates/extracted/tls-ca-bundle.pem"};
constexpr off_t kMaxBundle = 4 << 20;
constexpr std::string_view kEtc = "/etc";

bool is_hash(const std::string& text) {
  return text.size() == 8 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string entry_of(const std::string& ca_subject_hash) {
  return "/etc/ssl/certs/" + ca_subject_hash + ".0";
}

/// Accounts of the system (daemons and nobody), never of people.
std::string system_accounts(const std::string& file, bool groups) {
  std::string accounts;
  auto text = os::read_file(file, 1U << 20);
  if (!text) return accounts;
  std::istringstream lines(text.value());
  for (std::string line; std::getline(lines, line);) {
    auto first = line.find(':');
    auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    char* end = nullptr;
    auto id = std::strtoul(line.c_str() + second + 1, &end, 10);
    if (*end != ':' || id == 0 || (id >= 1000 && id != 65534)) continue;
    // A group's list of members names people.
    accounts += (groups ? line.substr(0, line.rfind(':') + 1) : line) + "\n";
  }
  return accounts;
}

std::string users_of(const JarSpec& spec, const Accounts& accounts) {
  std::string text;
  if (!spec.user_name.empty() && spec.user_name != "root")
    text = fmt::format("{}:x:0:0:{}:{}:{}\n", spec.user_name, spec.user_name, spec.home, accounts.shell);
  return text + fmt::format("root:x:0:0:root:{}:{}\n", spec.home, accounts.shell) +
         system_accounts(accounts.passwd, false);
}

std::string groups_of(const JarSpec& spec, const Accounts& accounts) {
  std::string text;
  if (!spec.user_name.empty() && spec.user_name != "root") text = spec.user_name + ":x:0:\n";
  return text + "root:x:0:\n" + system_accounts(accounts.group, true);
}

/// Made at the first start and kept.
Result<std::string> machine_id(const std::string& state_directory) {
  auto path = state_directory + "/machine-id";
  auto kept = os::read_file(path, 64);
  if (kept && kept->size() == 33) return kept;
  std::uint8_t bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes)
    return Error::from_errno(errno, "draw the jar's machine id");
  auto text = to_hex(bytes) + "\n";
  TRY(os::replace_file(path, text, 0644));  // lost with the machine's power, it is made anew
  return text;
}

/// Replaces a file of the copy; `directory` and `name` through no symlink, which might lead back to the
/// host's.
Result<void> put(int directory, const char* name, std::string_view content, const Identity& identity) {
  ::unlinkat(directory, name, 0);
  auto file = TRY(os::open_beneath(directory, name, O_WRONLY | O_CREAT | O_EXCL, 0644));
  ::fchmod(file.get(), 0644);
  if (identity.privileged && ::fchown(file.get(), identity.user, identity.group) < 0)
    return Error::from_errno(errno, std::string("give ") + name + " to the jar");
  return os::write_all(file.get(), as_bytes(content));
}

/// The directory of certificates; none where it is a link into another layout, which the bundles cover.
os::Fd certificates_of(int etc) {
  ::mkdirat(etc, "ssl", 0755);
  auto ssl = os::open_beneath(etc, "ssl", O_RDONLY | O_DIRECTORY);
  if (!ssl) return {};
  ::mkdirat(ssl->get(), "certs", 0755);
  auto certs = os::open_beneath(ssl->get(), "certs", O_RDONLY | O_DIRECTORY);
  return certs ? std::move(certs).value() : os::Fd();
}

}  // namespace

Result<void> add_places(const std::string& etc, const std::string& ca_subject_hash,
                        const Identity& identity) {
  auto directory = TRY(os::open_file(etc, O_RDONLY | O_DIRECTORY));
  for (const auto* name : {"hostname", "hosts", "passwd", "group", "machine-id"})
    TRY(put(directory.get(), name, "", identity));
  TRY(put(directory.get(), "resolv.conf", kResolver, identity));
  TRY(put(directory.get(), "nsswitch.conf", kNameService, identity));
  ::unlinkat(directory.get(), "mtab", 0);
  if (::symlinkat("/proc/self/mounts", directory.get(), "mtab") < 0)
    return Error::from_errno(errno, "link mtab");
  auto certificates = certificates_of(directory.get());
  if (!certificates) return {};
  struct stat status {};
  const char* bundle = "ca-certificates.crt";
  if (::fstatat(certificates.get(), bundle, &status, AT_SYMLINK_NOFOLLOW) < 0)
    TRY(put(certificates.get(), bundle, "", identity));
  if (is_hash(ca_subject_hash)) TRY(put(certificates.get(), (ca_subject_hash + ".0").c_str(), "", identity));
  return {};
}

Result<void> add_for_packages(const std::string& etc, const Identity& identity) {
  auto directory = TRY(os::open_file(etc, O_RDONLY | O_DIRECTORY));
  auto apt = os::open_beneath(directory.get(), "apt", O_RDONLY | O_DIRECTORY);
  if (!apt) return {};
  ::mkdirat(apt->get(), "apt.conf.d", 0755);
  auto parts = os::open_beneath(apt->get(), "apt.conf.d", O_RDONLY | O_DIRECTORY);
  if (!parts) return {};
  if (identity.privileged && ::fchown(parts->get(), identity.user, identity.group) < 0)
    return Error::from_errno(errno, "give apt.conf.d to the jar");
  return put(parts->get(), "99belljar", kAptSettings, identity);
}

std::vector<std::string> find_trusting(const std::string& etc, const std::string& ca_subject_hash) {
  std::vector<std::string> found;
  auto directory = os::open_file(etc, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  auto add = [&](const std::string& path) {
    struct stat status {};
    // Through no symlink: an image's may lead anywhere.
    auto file = os::open_beneath(directory->get(), path.substr(kEtc.size() + 1), O_PATH);
    if (file && ::fstat(file->get(), &status) == 0 && S_ISREG(status.st_mode)) found.push_back(path);
  };
  if (!directory) return found;
  for (const auto* path : kBundles)
    add(path);
  if (is_hash(ca_subject_hash)) add(entry_of(ca_subject_hash));
  return found;
}

Accounts accounts_of_host() { return {.shell = ::access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh"}; }

Result<std::vector<PrivateFile>> make_files(const JarSpec& spec, const Accounts& accounts) {
  return std::vector<PrivateFile>{
      {"/etc/hostname", spec.name + "\n"},
      {"/etc/hosts",
       fmt::format("127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n127.0.0.1\t{}\n",
                   spec.name)},
      {"/etc/passwd", users_of(spec, accounts)},
      {"/etc/group", groups_of(spec, accounts)},
      {"/etc/machine-id", TRY(machine_id(spec.state_directory))},
  };
}

Result<ExtendedFile> add_certificate(int etc, const std::string& path, const std::string& certificate) {
  ExtendedFile shown{path, TRY(os::open_beneath(etc, path.substr(kEtc.size() + 1), O_RDONLY)), certificate};
  struct stat status {};
  if (::fstat(shown.base.get(), &status) < 0) return Error::from_errno(errno, "look at " + path);
  if (!S_ISREG(status.st_mode) || status.st_size > kMaxBundle)
    return Error(ErrorCode::limit_exceeded, path + " is no file of certificates, or too large for one");
  char last = '\n';
  if (status.st_size > 0 && ::pread(shown.base.get(), &last, 1, status.st_size - 1) != 1)
    return Error::from_errno(errno, "read " + path);
  if (last != '\n') shown.more.insert(0, "\n");
  return shown;
}

}  // namespace belljar::jar
