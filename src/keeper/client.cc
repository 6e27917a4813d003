#include "keeper/client.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>
#include <signal.h>

#include "keeper/either.h"
#include "keeper/exec.h"
#include "keeper/keeper.h"
#include "keeper/logs.h"

namespace belljar::keeper {

namespace {

constexpr std::size_t kTrapsTold = 20;
/// What a command says first must not be waited for long.
constexpr auto kFirstRequest = std::chrono::seconds(10);

Result<void> tell_outcome(Keeper& keeper, Connection& connection) {
  TRY(keeper.finished().wait(rt::Deadline::never()));
  const auto& outcome = keeper.outcome();
  if (outcome.failure) return connection.send(*outcome.failure);
  for (const auto& reason : outcome.reasons)
    TRY(connection.send(answer::Told{reason}));
  for (std::size_t n = 0; n < outcome.traps.size() && n < kTrapsTold; ++n)
    TRY(connection.send(answer::LeftBehind{outcome.traps[n].path, outcome.traps[n].why}));
  return connection.send(answer::Ended{outcome.exit_code, static_cast<std::uint32_t>(outcome.traps.size())});
}

/// The starter's requests; returns when it is gone.
Result<void> hear_starter(Keeper& keeper, Connection& connection) {
  while (auto received = TRY(connection.receive())) {
    auto view = keeper.starter_view();
    if (const auto* input = std::get_if<request::Input>(&received->request)) {
      if (view) view->type(input->bytes);
    } else if (const auto* resize = std::get_if<request::Resize>(&received->request)) {
      if (view) view->resize(resize->size);
    } else if (std::get_if<request::Detach>(&received->request) != nullptr) {
      if (view && keeper.plan().outlives_command) view->send_away("");
    } else if (std::get_if<request::Proceed>(&received->request) != nullptr) {
      keeper.proceed();
    } else if (const auto* signal = std::get_if<request::Signal>(&received->request)) {
      keeper.pass_signal(signal->number);
    }
  }
  return {};
}

Result<void> answer_starter(Keeper& keeper, Connection& connection) {
  TRY(keeper.started().wait(rt::Deadline::never()));
  if (!keeper.finished().is_set()) TRY(connection.send(answer::Started{}));
  if (auto view = keeper.starter_view()) {
    TRY(show(connection, *view));
    if (view->is_sent_away()) return connection.send(answer::Detached{view->why()});
  }
  return tell_outcome(keeper, connection);
}

}  // namespace

void serve_starter(Keeper& keeper, Connection& connection) {
  {
    Keeper::Audience audience(keeper);
    run_either([&] { return hear_starter(keeper, connection); },
               [&] { return answer_starter(keeper, connection); });
  }
  if (auto view = keeper.starter_view()) view->leave();
  // Its user is gone, and its pipes are dead; or it has not saved what there was to save.
  bool needed = !keeper.plan().outlives_command || !keeper.may_proceed();
  if (needed && !keeper.finished().is_set()) keeper.pass_signal(SIGTERM);
}

Result<void> show(Connection& connection, Viewer& viewer) {
  while (auto bytes = TRY(viewer.next()))
    TRY(connection.send(answer::Output{std::move(*bytes)}));
  return {};
}

namespace {

Result<void> serve_attach(Keeper& keeper, Connection& connection, const request::Attach& wanted) {
  auto* terminal = keeper.terminal();
  if (terminal == nullptr) return no_terminal(keeper);
  if (wanted.take_over) {
    // Where the jar ends with the command that started it, that one stays.
    auto kept = keeper.plan().outlives_command ? nullptr : keeper.starter_view();
    terminal->send_others_away(kept.get(), "taken over by another terminal");
  }
  Keeper::Audience audience(keeper);
  auto view = terminal->attach(wanted.size, false);
  if (!wanted.read_only) view->resize(wanted.size);
  auto hear = [&]() -> Result<void> {
    while (auto received = TRY(connection.receive())) {
      if (std::get_if<request::Detach>(&received->request) != nullptr) view->send_away("");
      if (wanted.read_only) continue;
      if (const auto* input = std::get_if<request::Input>(&received->request))
        view->type(input->bytes);
      else if (const auto* resize = std::get_if<request::Resize>(&received->request))
        view->resize(resize->size);
    }
    return {};
  };
  auto answer = [&]() -> Result<void> {
    TRY(connection.send(answer::Started{}));
    TRY(show(connection, *view));
    if (view->is_sent_away()) return connection.send(answer::Detached{view->why()});
    return tell_outcome(keeper, connection);
  };
  run_either(hear, answer);
  view->leave();
  return {};
}

Result<void> serve_stop(Keeper& keeper, Connection& connection, const request::Stop& wanted) {
  constexpr std::uint32_t kLongest = 3600;
  keeper.stop(std::chrono::seconds(std::min(wanted.grace, kLongest)));
  TRY(keeper.finished().wait(rt::Deadline::never()));
  return connection.send(answer::Done{});
}

/// Who watches is not waited for, and is nobody who is told of traps.
Result<void> serve_watch(Keeper& keeper, Connection& connection) {
  auto hear = [&]() -> Result<void> {
    while (auto received = TRY(connection.receive())) {
      if (std::get_if<request::Status>(&received->request) == nullptr)
        return Error(ErrorCode::unsupported, "a request that can't come here");
      TRY(connection.send(keeper.status()));
    }
    return {};
  };
  auto tell = [&]() -> Result<void> {
    for (std::string told; !keeper.finished().is_set();) {
      auto state = keeper.state();
      if (state == told) {
        TRY(keeper.changes().wait(rt::Deadline::never()));
        continue;
      }
      TRY(connection.send(answer::Changed{state}));
      told = std::move(state);
    }
    const auto& outcome = keeper.outcome();
    if (outcome.failure) return connection.send(*outcome.failure);
    return connection.send(
        answer::Ended{outcome.exit_code, static_cast<std::uint32_t>(outcome.traps.size())});
  };
  run_either(hear, tell);
  return {};
}

Result<void> serve_pause(Keeper& keeper, Connection& connection) {
  TRY(keeper.pause());
  return connection.send(answer::Done{});
}

Result<void> serve_resume(Keeper& keeper, Connection& connection) {
  keeper.resume();
  return connection.send(answer::Done{});
}

/// One connection after another, as many as the command asks for.
Result<void> serve_connect(Keeper& keeper, Connection& connection, request::Connect wanted) {
  while (true) {
    auto connected = keeper.connect(wanted.port);
    if (connected) {
      std::array<int, 1> fds = {connected->get()};
      TRY(connection.send(answer::Connected{}, fds));
    } else {
      TRY(connection.send(answer::Failed{125, connected.error().to_string(), ""}));
    }
    auto next = TRY(connection.receive());
    if (!next) return {};
    const auto* again = std::get_if<request::Connect>(&next->request);
    if (again == nullptr) return Error(ErrorCode::unsupported, "a request that can't come here");
    wanted = *again;
  }
}

/// Nothing of a jar that is starting or ending can be had.
Result<void> check_running(Keeper& keeper) {
  if (keeper.finished().is_set()) return Error(ErrorCode::closed, "the jar is just ending");
  if (keeper.programs() == nullptr) return Error(ErrorCode::closed, "the jar is just starting");
  return {};
}

Result<void> serve(Keeper& keeper, Connection& connection, Received received) {
  auto& request = received.request;
  if (const auto* stop = std::get_if<request::Stop>(&request)) return serve_stop(keeper, connection, *stop);
  if (std::get_if<request::Status>(&request) != nullptr) return connection.send(keeper.status());
  if (std::get_if<request::Watch>(&request) != nullptr) return serve_watch(keeper, connection);
  TRY(check_running(keeper));
  if (const auto* attach = std::get_if<request::Attach>(&request))
    return serve_attach(keeper, connection, *attach);
  if (std::get_if<request::Pause>(&request) != nullptr) return serve_pause(keeper, connection);
  if (std::get_if<request::Resume>(&request) != nullptr) return serve_resume(keeper, connection);
  if (const auto* logs = std::get_if<request::Logs>(&request)) return serve_logs(keeper, connection, *logs);
  if (keeper.is_paused())
    return Error(ErrorCode::unsupported, fmt::format("jar '{}' is paused", keeper.plan().spec.name))
        .with_hint("belljar resume " + keeper.plan().spec.name);
  if (const auto* connect = std::get_if<request::Connect>(&request))
    return serve_connect(keeper, connection, *connect);
  if (std::get_if<request::Exec>(&request) != nullptr)
    return serve_exec(keeper, connection, std::move(received));
  return Error(ErrorCode::unsupported, "a request that can't come first");
}

}  // namespace

void serve_command(Keeper& keeper, Connection& connection) {
  auto received = connection.receive(rt::Deadline::after(kFirstRequest));
  if (received && !*received) return;
  auto served = received ? serve(keeper, connection, std::move(**received)) : std::move(received).error();
  if (served || served.error().code() == ErrorCode::cancelled) return;
  (void)connection.send(answer::Failed{125, served.error().to_string(), served.error().hint()}, {},
                        rt::Deadline::after(kFirstRequest));
}

}  // namespace belljar::keeper
