#include "egress/name_service.h"

#include <array>
#include <cerrno>

#include <ares.h>
#include <arpa/inet.h>
#include <fmt/core.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "os/fd.h"
#include "rt/channel.h"
#include "rt/loop.h"

namespace belljar::egress {

namespace {

constexpr int kTimeoutMs = 2000;  // of the first try; c-ares doubles it
constexpr int kTries = 2;

/// One query while it runs. Shared with c-ares' callback: it may come after the asking fiber has gone.
struct Pending {
  rt::Event done;
  int status = ARES_SUCCESS;
  std::vector<std::string> v4;
  std::vector<std::string> v6;
};

void take_addresses(const ares_addrinfo& answer, Pending& pending) {
  for (const auto* node = answer.nodes; node != nullptr; node = node->ai_next) {
    char text[INET6_ADDRSTRLEN] = {};
    if (node->ai_family == AF_INET) {
      auto* address = reinterpret_cast<const sockaddr_in*>(node->ai_addr);
      pending.v4.emplace_back(::inet_ntop(AF_INET, &address->sin_addr, text, sizeof text));
    } else if (node->ai_family == AF_INET6) {
      auto* address = reinterpret_cast<const sockaddr_in6*>(node->ai_addr);
      pending.v6.emplace_back(::inet_ntop(AF_INET6, &address->sin6_addr, text, sizeof text));
    }
  }
}

void on_answer(void* argument, int status, int /*timeouts*/, ares_addrinfo* answer) {
  std::unique_ptr<std::shared_ptr<Pending>> pending(static_cast<std::shared_ptr<Pending>*>(argument));
  (*pending)->status = status;
  if (answer != nullptr) {
    take_addresses(*answer, **pending);
    ::ares_freeaddrinfo(answer);
  }
  if (rt::in_fiber()) (*pending)->done.set();  // not when the channel is destroyed after the loop's end
}

}  // namespace

struct NameService::State {
  ares_channel channel = nullptr;
  os::Fd epoll;
  os::Fd wake;  // tells run() that its time-out has changed
  HostTable hosts;

  ~State() {
    if (channel != nullptr) ::ares_destroy(channel);
  }
  static void on_socket(void* argument, ares_socket_t socket, int readable, int writable);
};

/// Keeps the set of sockets that run() waits for equal to those that c-ares waits for.
void NameService::State::on_socket(void* argument, ares_socket_t socket, int readable, int writable) {
  auto* state = static_cast<State*>(argument);
  epoll_event event{};
  event.events = (readable != 0 ? EPOLLIN : 0U) | (writable != 0 ? EPOLLOUT : 0U);
  event.data.fd = socket;
  if (event.events == 0)
    ::epoll_ctl(state->epoll.get(), EPOLL_CTL_DEL, socket, nullptr);
  else if (::epoll_ctl(state->epoll.get(), EPOLL_CTL_ADD, socket, &event) != 0 && errno == EEXIST)
    ::epoll_ctl(state->epoll.get(), EPOLL_CTL_MOD, socket, &event);
}

NameService::NameService(std::unique_ptr<State> state) : state_(std::move(state)) {}
NameService::~NameService() = default;
NameService::NameService(NameService&&) noexcept = default;
NameService& NameService::operator=(NameService&&) noexcept = default;

Result<NameService> NameService::create(std::string_view resolv_conf, std::string_view hosts) {
  auto state = std::make_unique<State>();
  state->hosts = parse_hosts(hosts);
  state->epoll = os::Fd(::epoll_create1(EPOLL_CLOEXEC));
  state->wake = os::Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!state->epoll || !state->wake) return Error::from_errno(errno, "create a poll set for name queries");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = state->wake.get();
  ::epoll_ctl(state->epoll.get(), EPOLL_CTL_ADD, state->wake.get(), &event);

  // All of these set: then c-ares reads neither resolv.conf nor nsswitch.conf nor host.conf.
  static char lookups[] = "b";
  ares_options options{};
  options.flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES;
  options.timeout = kTimeoutMs;
  options.tries = kTries;
  options.lookups = lookups;
  options.sock_state_cb = State::on_socket;
  options.sock_state_cb_data = state.get();
  int mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_NDOTS | ARES_OPT_SERVERS |
             ARES_OPT_DOMAINS | ARES_OPT_SORTLIST | ARES_OPT_LOOKUPS | ARES_OPT_SOCK_STATE_CB;
  if (int status = ::ares_init_options(&state->channel, &options, mask); status != ARES_SUCCESS)
    return Error(ErrorCode::internal, fmt::format("c-ares: {}", ::ares_strerror(status)));
  std::string servers;
  for (const auto& server : parse_name_servers(resolv_conf))
    servers +=
        (servers.empty() ? "" : ",") + (server.find(':') == std::string::npos ? server : "[" + server + "]");
  if (int status = ::ares_set_servers_ports_csv(state->channel, servers.c_str()); status != ARES_SUCCESS)
    return Error(ErrorCode::invalid_argument,
                 fmt::format("the name servers {} of the host: {}", servers, ::ares_strerror(status)));
  return NameService(std::move(state));
}

Result<std::vector<std::string>> NameService::look_up(const std::string& name, rt::Deadline deadline) {
  if (auto known = state_->hosts.find(name); known != state_->hosts.end()) return known->second;
  auto pending = std::make_shared<Pending>();
  ares_addrinfo_hints hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = ARES_AI_NOSORT;
  ::ares_getaddrinfo(state_->channel, name.c_str(), nullptr, &hints, on_answer,
                     new std::shared_ptr<Pending>(pending));
  ::eventfd_write(state_->wake.get(), 1);
  TRY(pending->done.wait(deadline));

  auto addresses = std::move(pending->v4);
  addresses.insert(addresses.end(), pending->v6.begin(), pending->v6.end());
  if (!addresses.empty()) return addresses;
  switch (pending->status) {
    case ARES_SUCCESS:
    case ARES_ENODATA:
    case ARES_ENOTFOUND:
    case ARES_EBADNAME:
      return Error(ErrorCode::not_found, fmt::format("the name {} has no address", name));
    case ARES_ETIMEOUT:
      return Error(ErrorCode::timed_out, fmt::format("no name server answered for {}", name));
    default:
      return Error(ErrorCode::closed, fmt::format("no name server could be asked for {}: {}", name,
                                                  ::ares_strerror(pending->status)));
  }
}

Result<void> NameService::run() {
  while (true) {
    timeval storage{};
    auto* left = ::ares_timeout(state_->channel, nullptr, &storage);
    auto deadline = left == nullptr ? rt::Deadline::never()
                                    : rt::Deadline::after(std::chrono::seconds(left->tv_sec) +
                                                          std::chrono::microseconds(left->tv_usec + 1000));
    auto readable = rt::await_readable(state_->epoll.get(), deadline);
    if (!readable.ok() && readable.error().code() != ErrorCode::timed_out) return readable;
    std::array<epoll_event, 16> events{};
    int count = ::epoll_wait(state_->epoll.get(), events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < count; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      if (event.data.fd == state_->wake.get()) {
        eventfd_t ignored = 0;
        ::eventfd_read(state_->wake.get(), &ignored);
        continue;
      }
      bool reads = (event.events & (EPOLLIN | EPOLLERR | EPOLLHUP)) != 0;
      bool writes = (event.events & EPOLLOUT) != 0;
      ::ares_process_fd(state_->channel, reads ? event.data.fd : ARES_SOCKET_BAD,
                        writes ? event.data.fd : ARES_SOCKET_BAD);
    }
    if (count <= 0) ::ares_process_fd(state_->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);  // time-outs
  }
}

}  // namespace belljar::egress
