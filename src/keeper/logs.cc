#include "keeper/logs.h"

#include <fmt/core.h>

#include "keeper/keeper.h"
#include "rt/loop.h"

namespace belljar::keeper {

namespace {

constexpr auto kLookAgain = std::chrono::milliseconds(100);

Result<void> send_text(Connection& connection, std::string_view text) {
  for (; !text.empty(); text.remove_prefix(std::min(text.size(), kMaxPiece)))
    TRY(connection.send(answer::Output{to_bytes(text.substr(0, kMaxPiece))}));
  return {};
}

/// Lines from this position on; it moves behind them.
Result<void> send_scrolled(Connection& connection, const screen::Scrollback& scrollback,
                           std::uint64_t& position) {
  while (position < scrollback.end()) {
    auto from = std::max(position, scrollback.begin());
    auto lines = scrollback.read(from, kMaxPiece);
    if (lines.empty()) break;
    position = from + lines.size();
    TRY(send_text(connection, screen::plain_text(lines)));
  }
  return {};
}

}  // namespace

Error no_terminal(const Keeper& keeper) {
  const auto& name = keeper.plan().spec.name;
  return Error(
             ErrorCode::unsupported,
             fmt::format("the program of jar '{}' has no terminal: its output is where it was started", name))
      .with_hint("belljar shell " + name);
}

Result<void> serve_logs(Keeper& keeper, Connection& connection, const request::Logs& wanted) {
  auto* terminal = keeper.terminal();
  if (terminal == nullptr) return no_terminal(keeper);
  const auto& scrollback = terminal->screen().scrollback();
  std::uint64_t position = 0;
  TRY(send_scrolled(connection, scrollback, position));
  while (wanted.follow && !keeper.finished().is_set()) {
    auto ended = keeper.finished().wait(rt::Deadline::after(kLookAgain));
    if (!ended && ended.error().code() != ErrorCode::timed_out) return ended;
    TRY(send_scrolled(connection, scrollback, position));
  }
  TRY(send_text(connection, terminal->screen().text()));
  return connection.send(answer::Done{});
}

}  // namespace belljar::keeper
