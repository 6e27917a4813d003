// belljar-keeper: one jar while it runs. Takes the plan of the command that started it, and goes on without
// that command where the plan says so.
#include <memory>

#include <signal.h>
#include <unistd.h>

#include "base/log.h"
#include "keeper/keeper.h"
#include "os/passing.h"
#include "rt/loop.h"

namespace belljar {
namespace {

constexpr int kStarter = 3;

struct Start {
  keeper::Streams streams;
  keeper::Plan plan;
  os::Fd lock;
  std::vector<os::Fd> given;
};

/// Nothing when the starter changed its mind.
Result<std::optional<Start>> receive_start() {
  auto message = TRY(os::receive_message(kStarter));
  if (!message) return std::optional<Start>{};
  auto request = TRY(keeper::decode_request(message->bytes));
  auto* wanted = std::get_if<keeper::request::StartJar>(&request);
  constexpr std::size_t kPlanAndLock = 2;
  if (wanted == nullptr || message->fds.size() < kPlanAndLock)
    return Error(ErrorCode::malformed, "the first request is not the start of a jar");
  Start start{.streams = wanted->streams, .plan = {}, .lock = std::move(message->fds[1]), .given = {}};
  auto text = TRY(os::read_all(message->fds[0].get(), keeper::kMaxPlan));
  start.plan = TRY(keeper::decode_plan(as_bytes(text)));
  for (std::size_t n = kPlanAndLock; n < message->fds.size(); ++n)
    start.given.push_back(std::move(message->fds[n]));
  return std::optional(std::move(start));
}

Result<void> keep() {
  // First, so that nothing secret is here yet that the child would get a copy of.
  auto first_process = jar::FirstProcess::begin();
  auto authority = TRY(keeper::AuthorityInTheMaking::start());
  auto start = TRY(receive_start());
  if (!start) return {};
  rt::Loop loop;
  return loop.run([&]() -> Result<void> {
    auto starter = std::make_shared<keeper::Connection>(TRY(io::MessageSocket::open(os::Fd(kStarter))));
    keeper::Keeper keeper(std::move(start->plan), keeper::JarLock(std::move(start->lock)),
                          keeper::Beginnings{std::move(first_process), std::move(authority)}, start->streams,
                          std::move(start->given));
    keeper.run(std::move(starter));
    return {};
  });
}

}  // namespace
}  // namespace belljar

int main() {
  using namespace belljar;
  ::signal(SIGPIPE, SIG_IGN);  // nobody need be left to read what it complains of
  if (::chdir("/") < 0) return 1;
  log::start("keeper");
  auto kept = keep();
  if (kept) return 0;
  auto line = "belljar-keeper: " + kept.error().to_string() + "\n";
  (void)os::write_all(STDERR_FILENO, as_bytes(line));
  return 1;
}
