#include "jar/root/credentials.h"

#include <algorithm>
#include <array>

namespace belljar::jar {

namespace {

/// Files and directories that hold secrets by their nature, or describe the host's network and its users.
constexpr std::string_view kPrivate[] = {"shadow",
                                         "shadow-",
                                         "gshadow",
                                         "gshadow-",
                                         "sudoers",
                                         "sudoers.d",
                                         "subuid",
                                         "subgid",
                                         "security/opasswd",
                                         "ssl/private",
                                         "pki/tls/private",
                                         "ssh/ssh_known_hosts",
                                         "krb5.keytab",
                                         "apt/auth.conf",
                                         "apt/auth.conf.d",
                                         "netrc",
                                         "docker",
                                         "containers/auth.json",
                                         "kubernetes",
                                         "rancher",
                                         "NetworkManager",
                                         "netplan",
                                         "network",
                                         "systemd/network",
                                         "wireguard",
                                         "wpa_supplicant",
                                         "openvpn",
                                         "ipsec.secrets",
                                         "ipsec.d",
                                         "strongswan.d",
                                         "swanctl",
                                         "ppp",
                                         "chatscripts",
                                         "samba",
                                         "cifs-utils",
                                         "cups",
                                         "letsencrypt",
                                         "iscsi",
                                         "ceph",
                                         "corosync",
                                         "cloud",
                                         "ansible",
                                         "salt",
                                         "puppet",
                                         "chef",
                                         "consul.d",
                                         "vault.d",
                                         "nomad.d",
                                         "bluetooth",
                                         "fstab",
                                         "crypttab",
                                         "exports",
                                         "exports.d",
                                         "auto.master",
                                         "crontab",
                                         "cron.d",
                                         "cron.daily",
                                         "cron.hourly",
                                         "cron.weekly",
                                         "cron.monthly",
                                         "anacrontab",
                                         "hosts.allow",
                                         "hosts.deny",
                                         "postgresql",
                                         "mysql/debian.cnf",
                                         "redis",
                                         "exim4",
                                         "postfix",
                                         "msmtprc",
                                         "mail",
                                         "nullmailer",
                                         "davfs2",
                                         "fuse.conf",
                                         "grub.d",
                                         "initramfs-tools",
                                         "machine-id",
                                         "passwd",
                                         "passwd-",
                                         "group",
                                         "group-",
                                         "hostname",
                                         "hosts",
                                         "resolv.conf",
                                         "nsswitch.conf",
                                         "mtab"};

constexpr std::string_view kPrivateFileNames[] = {
    ".netrc",     "_netrc",   ".git-credentials", "credentials", "auth.json", ".pgpass",
    ".dockercfg", "htpasswd", ".htpasswd",        "secrets.tdb", "id_rsa",    "id_ed25519"};
constexpr std::string_view kPrivateEndings[] = {".key",  ".keytab",  ".p12",   ".pfx",
                                                ".kdbx", ".jks.bak", ".secret"};

/// Starts of tokens that nothing else looks like.
constexpr std::string_view kTokenStarts[] = {
    "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "sk-ant-",   "sk-proj-", "xoxb-",          "xoxp-",
    "npm_", "hf_",  "AKIA", "ASIA",        "AIza",   "dckr_pat_", "pypi-",    "AGE-SECRET-KEY-"};

/// Words that end the name of a setting that holds a secret, in lower case and without separators.
constexpr std::string_view kSecretNames[] = {
    "password",    "passwd",      "passphrase", "token",       "secret",          "apikey",
    "accesskey",   "secretkey",   "privatekey", "auth",        "authtoken",       "credential",
    "credentials", "extraheader", "cookie",     "accesskeyid", "secretaccesskey", "pwd"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool is_alphanumeric(char c) {
  c = lower(c);
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}
bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

/// Whether a word of at least 16 token characters begins with one of the known starts.
bool has_token(std::string_view line) {
  for (auto start : kTokenStarts) {
    for (auto at = line.find(start); at != std::string_view::npos; at = line.find(start, at + 1)) {
      if (at > 0 && (is_alphanumeric(line[at - 1]) || line[at - 1] == '_')) continue;
      auto end = at;
      while (end < line.size() && (is_alphanumeric(line[end]) || line[end] == '_' || line[end] == '-'))
        ++end;
      if (end - at >= 16) return true;
    }
  }
  return false;
}

bool is_secret_name(std::string_view name) {
  std::string plain;
  for (char c : name)
    if (is_alphanumeric(c)) plain += lower(c);
  return std::any_of(std::begin(kSecretNames), std::end(kSecretNames),
                     [&](auto secret) { return ends_with(plain, secret); });
}

/// What stands before the assignment at `at`, up to anything that isn't part of a name.
std::string_view name_before(std::string_view line, std::size_t at) {
  auto is_part = [](char c) { return is_alphanumeric(c) || c == '_' || c == '-' || c == '.'; };
  while (at > 0 &&
         (line[at - 1] == ' ' || line[at - 1] == '\t' || line[at - 1] == '"' || line[at - 1] == '\''))
    --at;
  auto start = at;
  while (start > 0 && is_part(line[start - 1]))
    --start;
  return line.substr(start, at - start);
}

/// Whether the line sets something whose name says that it is a secret: NAME=value, name = value,
/// --name=value, and in structured formats "name": value.
bool sets_secret(std::string_view line, bool colon_counts) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '=' && !(colon_counts && line[at] == ':')) continue;
    auto first = line.find_first_not_of(" \t\"'", at + 1);
    if (first == std::string_view::npos || line[first] == '$') continue;  // nothing, or another variable
    if (is_secret_name(name_before(line, at))) return true;
  }
  return false;
}

/// What stays of a line that holds a secret: the setting's name, since other lines may refer to it
/// (openssl.cnf does, and no program of OpenSSL starts where it is missing); an empty line where the secret
/// is not in the value.
std::string without_value(const std::string& line) {
  auto assignment = line.find('=');
  if (assignment == std::string::npos || has_token(line.substr(0, assignment + 1))) return {};
  return line.substr(0, assignment + 1);
}

/// Takes "user:password@" out of every URL.
void strip_user_information(std::string& line) {
  for (auto at = line.find("://"); at != std::string::npos; at = line.find("://", at + 3)) {
    auto start = at + 3;
    auto end = line.find_first_of("/ \t\"'<>?#", start);
    if (end == std::string::npos) end = line.size();
    auto sign = line.rfind('@', end);
    if (sign != std::string::npos && sign >= start && sign < end) line.erase(start, sign + 1 - start);
  }
}

bool is_text(std::string_view content) {
  return content.substr(0, 8192).find('\0') == std::string_view::npos;
}

bool has_private_key(std::string_view content) {
  return content.find("PRIVATE KEY-----") != std::string_view::npos ||
         content.find("PuTTY-User-Key-File") != std::string_view::npos ||
         content.find("AGE-SECRET-KEY-") != std::string_view::npos;
}

/// Formats in which a line can't be taken out without breaking the rest.
bool is_structured(std::string_view path) {
  return ends_with(path, ".json") || ends_with(path, ".xml") || ends_with(path, ".yaml") ||
         ends_with(path, ".yml");
}

}  // namespace

bool is_private_name(std::string_view path) {
  for (auto name : kPrivate)
    if (path == name) return true;
  auto name = path.substr(path.rfind('/') + 1);
  for (auto file : kPrivateFileNames)
    if (name == file) return true;
  if (starts_with(name, "ssh_host_") && !ends_with(name, ".pub")) return true;
  return std::any_of(std::begin(kPrivateEndings), std::end(kPrivateEndings),
                     [&](auto end) { return ends_with(name, end); });
}

std::optional<std::string> clean_file(std::string_view path, std::string content) {
  constexpr std::size_t kMaxText = 2U << 20;
  if (has_private_key(content)) return std::nullopt;
  if (!is_text(content)) return content;  // caches of the loader, of locales, key stores of certificates
  if (content.size() > kMaxText) return std::nullopt;
  bool structured = is_structured(path);
  std::string cleaned;
  cleaned.reserve(content.size());
  for (std::size_t at = 0; at < content.size();) {
    auto end = std::min(content.find('\n', at), content.size());
    std::string line = content.substr(at, end - at);
    bool ended = end < content.size();
    at = end + 1;
    bool secret = has_token(line) || sets_secret(line, structured);
    // <password>…</password> and the like
    if (ends_with(path, ".xml") &&
        (line.find("<password>") != std::string::npos || line.find("<passphrase>") != std::string::npos ||
         line.find("<privateKey>") != std::string::npos))
      secret = true;
    if (secret && structured) return std::nullopt;
    if (secret) line = without_value(line);
    strip_user_information(line);
    cleaned += line;
    if (ended) cleaned += '\n';
  }
  return cleaned;
}

}  // namespace belljar::jar
