#include "proxy/forward.h"

#include <fmt/core.h>
#include <poll.h>

#include "base/log.h"
#include "gateway/canonical.h"
#include "http/body.h"
#include "http/writer.h"
#include "proxy/answer.h"
#include "rt/nursery.h"

namespace belljar::proxy {

namespace {

using gateway::Frame;

ledger::Event denial(const gateway::RequestHead& head, std::string reason) {
  ledger::Event event;
  event.kind = ledger::Kind::request;
  event.exchange = head.exchange;
  event.verdict = "deny";
  event.scheme = policy::name_of(head.scheme);
  event.host = head.host;
  event.port = head.port;
  event.method = head.method;
  event.path = head.path;
  event.reason = std::move(reason);
  event.status = 503;
  return event;
}

/// The next process is gone: denied, and said so.
gateway::Refusal refuse_without_gateway(Context& context, const gateway::RequestHead& head) {
  gateway::Refusal refusal{
      .status = 503,
      .reason = "the gateway lost its scan or egress process: nothing leaves without them",
      .how = "the jar must be started again",
      .origin = {}};
  auto recorded = context.recorder.record(denial(head, refusal.reason), ledger::Durability::durable);
  if (!recorded.ok()) log::warning("a denial was not recorded: {}", recorded.error().to_string());
  return refusal;
}

/// One exchange while it runs: three fibers (upload, download, watch) that share this.
class Forwarding {
 public:
  Forwarding(Context& context, Client& client, gateway::Link& link, const http::Request& request,
             const gateway::RequestHead& head)
      : context_(context), client_(client), link_(link), request_(request), head_(head) {}

  After run();

 private:
  Result<void> upload();
  Result<void> download();
  Result<void> relay_answer(const gateway::ResponseHead& answer);
  Result<void> watch();
  After finish();
  After refuse(const gateway::Refusal& refusal);
  rt::Deadline stall() const { return rt::Deadline::after(context_.patience.stall); }

  Context& context_;
  Client& client_;
  gateway::Link& link_;
  const http::Request& request_;
  const gateway::RequestHead& head_;
  rt::Nursery* nursery_ = nullptr;
  bool uploaded_ = false;
  bool answer_begun_ = false;
  bool answered_ = false;
  bool keep_alive_ = true;
  bool client_gone_ = false;
  std::optional<gateway::Refusal> refusal_;
};

Result<void> Forwarding::upload() {
  http::BodyReader body(client_.reader, request_.framing);
  Bytes buffer(gateway::kMaxChunk);
  while (true) {
    client_.stream.set_read_deadline(stall());
    auto count = body.read_some(buffer);
    if (!count.ok()) {
      if (count.error().code() == ErrorCode::malformed)
        refusal_ =
            gateway::Refusal{.status = 400, .reason = count.error().message(), .how = {}, .origin = {}};
      else
        client_gone_ = true;
      return std::move(count).error();
    }
    if (*count == 0) break;
    // Where the other side takes no more, it has answered already or is gone: download() tells which.
    if (!link_.send_body(BytesView(buffer).first(*count), stall()).ok()) return {};
  }
  uploaded_ = link_.send(gateway::End{}, stall()).ok();
  return {};
}

Result<void> Forwarding::download() {
  auto frame = TRY(link_.receive_frame(stall()));
  if (auto* refusal = std::get_if<gateway::Refusal>(&frame)) {
    refusal_ = std::move(*refusal);
  } else if (auto* answer = std::get_if<gateway::ResponseHead>(&frame)) {
    TRY(relay_answer(*answer));
    answered_ = true;
  } else {
    return Error(ErrorCode::malformed, "an answer that begins with neither head nor refusal");
  }
  nursery_->cancel();  // what is still being uploaded or watched is of no further use
  return {};
}

Result<void> Forwarding::relay_answer(const gateway::ResponseHead& answer) {
  auto response = gateway::downstream_response(answer, head_.method, request_.minor_version);
  if (!request_.keep_alive || request_.minor_version == 0) response.keep_alive = false;
  keep_alive_ = response.keep_alive;
  answer_begun_ = true;
  client_.stream.set_write_deadline(stall());
  TRY(http::write_head(client_.stream, response));
  http::BodyWriter body(client_.stream, response.framing);
  if (answer.body.kind == gateway::BodySize::Kind::streamed) TRY(client_.stream.flush());
  while (true) {
    auto frame = TRY(link_.receive_frame(stall()));
    client_.stream.set_write_deadline(stall());
    if (auto* part = std::get_if<gateway::Body>(&frame)) {
      auto written = body.write(part->bytes);
      if (!written.ok()) client_gone_ = true;
      TRY(std::move(written));
    } else if (std::get_if<gateway::End>(&frame) != nullptr) {
      TRY(body.close_write());
      return client_.stream.flush();
    } else if (auto* abort = std::get_if<gateway::Abort>(&frame)) {
      return Error(ErrorCode::closed, abort->reason);
    } else {
      return Error(ErrorCode::malformed, "a frame that has no place in an answer");
    }
  }
}

/// A client that gave up must not keep its request alive at the server: while nothing is read from it, only
/// the state of its socket tells. On a plain connection a half-close is a client's right.
Result<void> Forwarding::watch() {
  while (true) {
    TRY(rt::sleep(std::chrono::seconds(1)));
    pollfd socket{.fd = client_.socket, .events = POLLRDHUP, .revents = 0};
    ::poll(&socket, 1, 0);
    int gone = POLLERR | POLLHUP | (client_.tls ? POLLRDHUP : 0);
    if ((socket.revents & gone) == 0) continue;
    client_gone_ = true;
    return Error(ErrorCode::closed, "the client has gone");
  }
}

After Forwarding::run() {
  rt::Nursery nursery;
  nursery_ = &nursery;
  nursery.start([this] { return upload(); });
  nursery.start([this] { return download(); });
  nursery.start([this] { return watch(); });
  auto ended = nursery.join();
  if (!ended.ok()) log::debug("exchange {}: {}", head_.exchange, ended.error().to_string());
  return finish();
}

After Forwarding::finish() {
  if (answered_) return keep_alive_ && uploaded_ ? After::keep : After::close;
  if (answer_begun_) return After::drop;
  if (client_gone_) return After::drop;
  if (refusal_) return refuse(*refusal_);
  return refuse(refuse_without_gateway(context_, head_));
}

After Forwarding::refuse(const gateway::Refusal& refusal) {
  bool keep = uploaded_ && request_.keep_alive && request_.minor_version > 0;
  client_.stream.set_write_deadline(rt::Deadline::after(context_.patience.head));
  if (!write_refusal(client_.stream, refusal, head_.method, keep).ok()) return After::drop;
  return keep ? After::keep : After::close;
}

}  // namespace

After forward(Context& context, Client& client, const http::Request& request, gateway::RequestHead head,
              std::unique_ptr<gateway::Link>& link) {
  auto sent = [&]() -> Result<void> {
    if (!link) link = TRY(context.scan.open());
    return link->send(head, rt::Deadline::after(context.patience.stall));
  }();
  if (!sent.ok()) {
    log::warning("no link to scan: {}", sent.error().to_string());
    link.reset();
    auto refusal = refuse_without_gateway(context, head);
    client.stream.set_write_deadline(rt::Deadline::after(context.patience.head));
    return write_refusal(client.stream, refusal, head.method, false).ok() ? After::close : After::drop;
  }
  client.stream.set_write_deadline(rt::Deadline::after(context.patience.head));
  if (request.expects_continue && !http::write_continue(client.stream).ok()) {
    link.reset();
    return After::drop;
  }
  auto after = Forwarding(context, client, *link, request, head).run();
  if (after != After::keep) link.reset();
  return after;
}

}  // namespace belljar::proxy
