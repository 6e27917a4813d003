// `belljar forward`: connections of this host's loopback, carried to a server in a running jar.
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/life.h"
#include "io/fd_stream.h"
#include "io/pump.h"
#include "keeper/ask.h"
#include "keeper/tell.h"
#include "rt/loop.h"
#include "rt/nursery.h"
#include "rt/signals.h"

namespace belljar::cli {

namespace {

constexpr std::size_t kMaxConnections = 256;

struct Ports {
  std::uint16_t host = 0;
  std::uint16_t jar = 0;
};

Result<std::uint16_t> parse_port(std::string_view text, const std::string& whole) {
  std::uint16_t port = 0;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), port);
  if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && port != 0) return port;
  return Error(ErrorCode::invalid_argument, fmt::format("'{}' is no HOSTPORT:JARPORT", whole))
      .with_hint("belljar forward app 8080:3000");
}

Result<Ports> parse_ports(const std::string& text) {
  auto colon = text.find(':');
  auto host = TRY(parse_port(std::string_view(text).substr(0, colon), text));
  if (colon == std::string::npos) return Ports{host, host};
  auto jar = TRY(parse_port(std::string_view(text).substr(colon + 1), text));
  return Ports{host, jar};
}

Error not_listening(std::uint16_t port) {
  return Error::from_errno(errno, fmt::format("listen on port {} of this host", port))
      .with_hint(fmt::format("ss -ltnp 'sport = :{}'   (who has it; or choose another one)", port));
}

template <typename Address>
Result<os::Fd> listen_on(int family, const Address& address, std::uint16_t port) {
  os::Fd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return Error::from_errno(errno, "create a socket");
  int on = 1;
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) < 0)
    return not_listening(port);
  if (::listen(socket.get(), SOMAXCONN) < 0) return not_listening(port);
  return socket;
}

/// 127.0.0.1, and ::1 where this host has it: which of them "localhost" means is up to the program that asks.
Result<std::vector<os::Fd>> listen_on_loopback(std::uint16_t port) {
  std::vector<os::Fd> listeners;
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = htons(port);
  four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  listeners.push_back(TRY(listen_on(AF_INET, four, port).context("127.0.0.1")));
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_port = htons(port);
  six.sin6_addr = in6addr_loopback;
  auto second = listen_on(AF_INET6, six, port);
  bool absent = !second && (second.error().system_errno() == EAFNOSUPPORT ||
                            second.error().system_errno() == EADDRNOTAVAIL);
  if (absent) return listeners;
  listeners.push_back(TRY(std::move(second).context("::1")));
  return listeners;
}

Result<void> carry_both_ways(os::Fd host_side, os::Fd jar_side) {
  auto host = TRY(io::open_fd_stream(std::move(host_side)));
  auto jar = TRY(io::open_fd_stream(std::move(jar_side)));
  rt::Nursery ways;
  ways.start([&]() -> Result<void> {
    (void)TRY(io::pump(*host, *jar));
    return {};
  });
  ways.start([&]() -> Result<void> {
    (void)TRY(io::pump(*jar, *host));
    return {};
  });
  return ways.join();
}

/// Accepts until the jar is gone.
Result<void> serve(const std::string& jar_directory, const os::Fd& listener, std::uint16_t port) {
  rt::Nursery connections;
  while (true) {
    TRY(rt::await_readable(listener.get(), rt::Deadline::never()));
    auto accepted =
        std::make_shared<os::Fd>(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!*accepted || connections.size() >= kMaxConnections) continue;
    auto connected = keeper::ask_connection(jar_directory, port);
    if (!connected && connected.error().code() == ErrorCode::not_found)
      return Error(ErrorCode::closed, "the jar has ended");
    if (!connected) {
      keeper::tell(connected.error().to_string());
      continue;
    }
    auto jar_side = std::make_shared<os::Fd>(std::move(*connected));
    connections.start([accepted, jar_side]() -> Result<void> {
      (void)carry_both_ways(std::move(*accepted), std::move(*jar_side));
      return {};
    });
  }
}

}  // namespace

Result<int> run_command(const Forward& command, const keeper::Directories& directories) {
  auto ports = TRY(parse_ports(command.ports));
  auto record = TRY(find_running(directories, command.jar));
  auto directory = directory_of(directories, record);
  auto listeners = TRY(listen_on_loopback(ports.host));
  if (command.json) {
    print_json({{"jar", record.name}, {"host_port", ports.host}, {"jar_port", ports.jar}});
    if (std::fflush(stdout) != 0) return Error::from_errno(errno, "write the output");
  }
  keeper::tell(fmt::format("http://localhost:{} is port {} of jar '{}' until Ctrl-C", ports.host, ports.jar,
                           record.name));
  rt::Loop loop;
  auto ran = loop.run([&]() -> Result<void> {
    rt::Nursery serving;
    for (const auto& listener : listeners)
      serving.start([&] { return serve(directory, listener, ports.jar); });
    serving.start([&]() -> Result<void> {
      auto signals = TRY(rt::SignalWatch::open({SIGINT, SIGTERM, SIGHUP}));
      (void)TRY(signals.next(rt::Deadline::never()));
      serving.cancel();
      return {};
    });
    return serving.join();
  });
  if (!ran) return std::move(ran).error();
  return 0;
}

}  // namespace belljar::cli
