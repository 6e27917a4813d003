#include "rt/poller.h"

#include <array>
#include <cerrno>
#include <utility>

#include <sys/epoll.h>

namespace belljar::rt {

Poller::Poller() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
  if (!epoll_) panic("epoll_create1 failed: out of descriptors or memory");
}

Fiber*& Poller::waiter(Entry& entry, Direction direction) {
  return direction == Direction::readable ? entry.reader : entry.writer;
}

Result<bool> Poller::add(int fd, Direction direction, Fiber& fiber) {
  CHECK(fd >= 0);
  auto number = static_cast<std::size_t>(fd);
  if (entries_.size() <= number) entries_.resize(number + 1);
  auto& entry = entries_[number];
  CHECK(waiter(entry, direction) == nullptr);  // one fiber a direction
  waiter(entry, direction) = &fiber;
  auto armed = arm(fd, entry);
  if (armed.ok() && *armed)
    ++waiting_;
  else
    waiter(entry, direction) = nullptr;
  return armed;
}

Result<bool> Poller::arm(int fd, Entry& entry) {
  epoll_event event{};
  event.events = EPOLLONESHOT | (entry.reader != nullptr ? EPOLLIN | EPOLLRDHUP : 0U) |
                 (entry.writer != nullptr ? EPOLLOUT : 0U);
  event.data.u64 = static_cast<std::uint64_t>(++entry.generation) << 32 | static_cast<std::uint32_t>(fd);
  // Known from an earlier wait as a rule. The kernel knows a number together with its file, so that a number
  // that was closed and given to another file is unknown and added.
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0) return true;
  if (errno == ENOENT && ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0) return true;
  if (errno == EPERM) return false;
  return Error::from_errno(errno, "wait for a descriptor");
}

void Poller::remove(int fd, Direction direction, const Fiber& fiber) {
  auto& entry = entries_[static_cast<std::size_t>(fd)];
  if (waiter(entry, direction) != &fiber) return;
  waiter(entry, direction) = nullptr;
  --waiting_;
  // Deleted, not armed for nothing: epoll reports errors and hang-ups even then.
  if (entry.reader == nullptr && entry.writer == nullptr)
    (void)::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
  else
    (void)arm(fd, entry);
}

void Poller::poll(int timeout, std::vector<Fiber*>& ready) {
  std::array<epoll_event, 128> events;
  int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), timeout);
  if (count < 0) {
    if (errno != EINTR) panic("epoll_wait failed");
    return;
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    report(events[i].data.u64, events[i].events, ready);
}

void Poller::report(std::uint64_t tag, std::uint32_t events, std::vector<Fiber*>& ready) {
  auto& entry = entries_[tag & 0xFFFFFFFF];
  if (entry.generation != tag >> 32) return;
  constexpr std::uint32_t kFailed = EPOLLERR | EPOLLHUP;
  if (entry.reader != nullptr && (events & (EPOLLIN | EPOLLRDHUP | kFailed)) != 0)
    ready.push_back(std::exchange(entry.reader, nullptr)), --waiting_;
  if (entry.writer != nullptr && (events & (EPOLLOUT | kFailed)) != 0)
    ready.push_back(std::exchange(entry.writer, nullptr)), --waiting_;
  if (entry.reader != nullptr || entry.writer != nullptr)
    (void)arm(static_cast<int>(tag & 0xFFFFFFFF), entry);
}

}  // namespace belljar::rt
