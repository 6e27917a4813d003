// Runs a command behind a real gateway without a jar: the stand-in for the starter in tests/gateway.
//
//   gateway_driver --ledger DIRECTORY [--allow HOST[:PORT],SCHEME,METHODS,PATHS]… [--exception HOST:PORT]…
//   [--service PORT]… -- COMMAND…
//
// METHODS and PATHS are separated by "|"; an empty field keeps the rule's default. The command runs in a
// network namespace of its own whose only way out is the door; it finds the process ids PROXY_PID, SCAN_PID,
// EGRESS_PID and LEDGER_PID, and the authority's certificate in CURL_CA_BUNDLE and SSL_CERT_FILE.
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sstream>

#include <fcntl.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gateway/setup.h"
#include "ledger/protocol.h"
#include "os/passing.h"
#include "os/spawn.h"
#include "tls/authority.h"

namespace belljar {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, separator);)
    parts.push_back(part);
  return parts;
}

std::uint16_t port_of(const std::string& text) { return static_cast<std::uint16_t>(std::stoi(text)); }

Result<policy::Rule> parse_rule(const std::string& text) {
  auto fields = split(text, ',');
  fields.resize(4);
  auto host = split(fields[0], ':');
  policy::Rule rule;
  rule.verdict = policy::Verdict::allow;
  rule.host = TRY(policy::HostPattern::parse(host.at(0)));
  if (host.size() > 1) rule.ports = {port_of(host[1])};
  if (fields[1] == "http") rule.schemes = {policy::Scheme::http};
  if (!fields[2].empty()) rule.methods = split(fields[2], '|');
  rule.paths = split(fields[3], '|');
  rule.reason = "this test allows it";
  rule.origin = "command line";
  return rule;
}

struct Plan {
  policy::Policy policy;
  std::string ledger;  // its directory
  std::vector<std::string> command;
};

Result<Plan> parse(const std::vector<std::string>& arguments) {
  Plan plan;
  for (std::size_t i = 0; i + 1 < arguments.size(); i += 2) {
    const auto& option = arguments[i];
    const auto& value = arguments[i + 1];
    if (option == "--") {
      plan.command.assign(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1, arguments.end());
      return plan;
    }
    if (option == "--ledger") plan.ledger = value;
    if (option == "--allow") plan.policy.rules.push_back(TRY(parse_rule(value)));
    if (option == "--exception") {
      auto parts = split(value, ':');
      plan.policy.exceptions.push_back({.host = parts.at(0), .port = port_of(parts.at(1)), .origin = "test"});
    }
    if (option == "--service")
      plan.policy.services.push_back({.name = "test", .port = port_of(value), .origin = "test"});
  }
  return Error(ErrorCode::invalid_argument, "no command");
}

// --- The side of the jar
// -------------------------------------------------------------------------------------

constexpr int kDoorPort = 1;

int listener(int type, int port) {
  int socket = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  if (type == SOCK_STREAM) CHECK(::listen(socket, SOMAXCONN) == 0);
  return socket;
}

void write_text(const char* path, const std::string& text) {
  int file = ::open(path, O_WRONLY | O_CLOEXEC);
  CHECK(file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
  ::close(file);
}

/// A namespace in which every IPv4 destination leads to the door. Its address is there for programs that ask
/// for the addresses of a name only where they have one of that family (AI_ADDRCONFIG), loopback not counted.
void enter_jar_network() {
  auto user = std::to_string(::geteuid());
  auto group = std::to_string(::getegid());
  CHECK(::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0);
  write_text("/proc/self/setgroups", "deny");
  write_text("/proc/self/uid_map", "0 " + user + " 1");
  write_text("/proc/self/gid_map", "0 " + group + " 1");
  CHECK(std::system("ip link set lo up && ip addr add 198.18.0.1/32 dev lo && ip route add local default dev "
                    "lo && nft -f - <<'END'\n"
                    "table ip door { chain turn { type nat hook output priority -100;\n"
                    "udp dport 53 redirect to :53\n"
                    "tcp dport 53 redirect to :53\n"
                    "ip daddr 127.0.0.0/8 return\n"
                    "ip protocol tcp redirect to :1\n}\n}\nEND") == 0);
}

[[noreturn]] void run_jar(int starter, const std::vector<std::string>& command) {
  enter_jar_network();
  int doors[3] = {listener(SOCK_STREAM, kDoorPort), listener(SOCK_DGRAM, 53), listener(SOCK_STREAM, 53)};
  CHECK(os::send_message(starter, as_bytes("d"), doors).ok());
  for (int door : doors)
    ::close(door);
  auto go = os::receive_message(starter);  // the environment of the command
  CHECK(go.ok() && *go);
  for (const auto& line : split(std::string(as_text((*go)->bytes)), '\n'))
    ::putenv(::strdup(line.c_str()));
  std::vector<char*> arguments;
  for (const auto& word : command)
    arguments.push_back(::strdup(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

// --- The side of the starter
// ---------------------------------------------------------------------------------

struct Worker {
  os::Pid process;
  os::Fd control;
};

Result<Worker> start(const std::string& directory, const std::string& name) {
  auto pair = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  os::SpawnPlan plan;
  plan.program = directory + "/belljar-" + name;
  plan.arguments = {"belljar-" + name};
  if (const char* level = std::getenv("BELLJAR_LOG"))
    plan.environment = {std::string("BELLJAR_LOG=") + level};
  plan.fds = {-1, -1, STDERR_FILENO, pair.second.get()};
  return Worker{.process = TRY(os::spawn(plan)), .control = std::move(pair.first)};
}

Result<int> run(const std::string& directory, const std::vector<std::string>& arguments) {
  auto plan = TRY(parse(arguments));
  auto jar = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  pid_t command = ::fork();
  if (command == 0) run_jar(jar.second.get(), plan.command);
  jar.second.reset();
  auto doors = TRY(os::receive_message(jar.first.get()));
  if (!doors) return Error(ErrorCode::closed, "the jar's side did not start");

  auto authority = TRY(tls::CertificateAuthority::create());
  auto certificate = plan.ledger + "-authority.pem";
  TRY(os::write_file_atomically(certificate, authority.certificate_pem(), 0644));
  auto proxy_scan = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  auto scan_egress = TRY(os::create_socket_pair(SOCK_SEQPACKET));

  auto from_proxy = TRY(os::create_socket_pair(SOCK_SEQPACKET));
  auto from_egress = TRY(os::create_socket_pair(SOCK_SEQPACKET));

  auto ledger = TRY(start(directory, "ledger"));
  TRY(ledger::send_setup(ledger.control.get(), {.directory = plan.ledger}));
  TRY(ledger::send_appender(ledger.control.get(), {.source = "proxy", .jar = "test"},
                            from_proxy.first.get()));
  TRY(ledger::send_appender(ledger.control.get(), {.source = "egress", .jar = "test"},
                            from_egress.first.get()));
  from_proxy.first.reset();
  from_egress.first.reset();
  auto proxy = TRY(start(directory, "proxy"));
  auto scan = TRY(start(directory, "scan"));
  auto egress = TRY(start(directory, "egress"));
  {
    gateway::ProxySetup setup;
    setup.policy = plan.policy;
    setup.ca_certificate = authority.certificate_pem();
    setup.ca_key = authority.key_pem();
    setup.tcp = std::move(doors->fds.at(0));
    setup.resolver_udp = std::move(doors->fds.at(1));
    setup.resolver_tcp = std::move(doors->fds.at(2));
    setup.scan = std::move(proxy_scan.first);
    setup.ledger = std::move(from_proxy.second);
    TRY(gateway::send_setup(proxy.control.get(), setup));
  }
  {
    gateway::ScanSetup setup{.proxy = std::move(proxy_scan.second), .egress = std::move(scan_egress.first)};
    TRY(gateway::send_setup(scan.control.get(), setup));
  }
  {
    gateway::EgressSetup setup;
    setup.policy = plan.policy;
    setup.trust_store = TRY(os::read_file("/etc/ssl/certs/ca-certificates.crt"));
    setup.resolv_conf = TRY(os::read_file("/etc/resolv.conf"));
    setup.hosts = TRY(os::read_file("/etc/hosts"));
    setup.scan = std::move(scan_egress.second);
    setup.ledger = std::move(from_egress.second);
    TRY(gateway::send_setup(egress.control.get(), setup));
  }
  std::ostringstream environment;
  environment << "PROXY_PID=" << proxy.process.number() << "\nSCAN_PID=" << scan.process.number()
              << "\nEGRESS_PID=" << egress.process.number() << "\nLEDGER_PID=" << ledger.process.number()
              << "\nCURL_CA_BUNDLE=" << certificate << "\nSSL_CERT_FILE=" << certificate;
  TRY(os::send_message(jar.first.get(), as_bytes(environment.str())));
  int status = 0;
  ::waitpid(command, &status, 0);
  ::unlink(certificate.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace
}  // namespace belljar

int main(int count, char** values) {
  std::vector<std::string> arguments(values + 1, values + count);
  std::string self = values[0];
  auto code = belljar::run(self.substr(0, self.rfind('/')), arguments);
  if (code.ok()) return *code;
  std::cerr << "gateway_driver: " << code.error().to_string() << "\n";
  return 125;
}
