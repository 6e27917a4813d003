#include "egress/answer.h"

#include <fmt/core.h>

#include "base/log.h"
#include "egress/failure.h"
#include "gateway/canonical.h"
#include "gateway/judge.h"
#include "http/body.h"
#include "http/writer.h"
#include "rt/channel.h"
#include "rt/nursery.h"

namespace belljar::egress {

namespace {

using gateway::Refusal;

constexpr auto kEndOfRequest = std::chrono::seconds(5);
constexpr std::size_t kChunksAhead = 4;  // of a request's body, between the link and the server

/// Whether a request may be sent twice when the first connection turned out to be dead (RFC 9110 9.2.2).
bool may_repeat(const gateway::RequestHead& head) {
  bool safe = head.method == "GET" || head.method == "HEAD" || head.method == "OPTIONS";
  return safe && head.body.kind == gateway::BodySize::Kind::none;
}

/// One exchange while it runs: one fiber reads the link, one answers, one sends the body to the server.
class Exchange {
 public:
  Exchange(Context& context, gateway::Link& link, gateway::RequestHead head)
      : context_(context), link_(link), head_(std::move(head)), body_(kChunksAhead) {}

  /// The frame that came after this exchange where one did already; nothing when the link is of no further
  /// use.
  struct Outcome {
    bool link_usable = false;
    std::optional<gateway::RequestHead> next;
  };
  Outcome run();

 private:
  Result<void> feed();
  Result<void> answer();
  /// Why it is not even tried, if so.
  std::optional<Refusal> judge(policy::Judgement& judgement);
  Result<void> refuse(Refusal refusal);
  Result<void> forbid(const Forbidden& forbidden);
  Result<void> carry_out();
  Result<std::variant<std::unique_ptr<Upstream>, Forbidden>> connection(bool fresh);
  Result<void> send_request(Upstream& upstream);
  Result<http::Response> receive_head(Upstream& upstream);
  Result<void> relay(Upstream& upstream, http::Response response);
  ledger::Event event(ledger::Kind kind) const;
  void record_end(std::uint16_t status, std::string reason);
  rt::Deadline stall() const { return rt::Deadline::after(context_.stall); }

  Context& context_;
  gateway::Link& link_;
  gateway::RequestHead head_;
  rt::Channel<Bytes> body_;
  bool fed_ = false;       // the whole request came over the link
  rt::Event whole_;        // set with it
  bool sent_ = false;      // and went to the server
  bool answered_ = false;  // a whole answer or a refusal is on the link
  bool recorded_ = false;  // as allowed, and its end not yet
  bool keep_ = false;      // the server's connection, for the next request
  std::uint64_t bytes_out_ = 0;
  std::uint64_t bytes_in_ = 0;
  std::uint16_t status_ = 0;
  std::optional<gateway::RequestHead> next_;
};

Exchange::Outcome Exchange::run() {
  {
    rt::Nursery nursery;
    nursery.start([this] { return feed(); });
    nursery.start([this, &nursery] {
      auto done = answer();
      // The end of a request without a body is on its way, even if the answer was faster.
      if (done.ok() && head_.body.kind == gateway::BodySize::Kind::none)
        done = whole_.wait(rt::Deadline::after(kEndOfRequest));
      nursery.cancel();
      return done;
    });
    auto ended = nursery.join();
    if (!ended.ok()) log::debug("exchange {}: {}", head_.exchange, ended.error().to_string());
  }
  record_end(status_, "cut: the client went away");
  return {.link_usable = fed_ && answered_, .next = std::move(next_)};
}

/// Reads on after the request, too: the end of the link is how a client that gave up is noticed.
Result<void> Exchange::feed() {
  std::uint64_t total = 0;
  while (true) {
    auto frame = TRY(link_.receive(rt::Deadline::never()));
    if (!frame) return Error(ErrorCode::closed, "the asking side closed the link");
    if (auto* part = std::get_if<gateway::Body>(&*frame); part != nullptr && !fed_) {
      total += part->bytes.size();
      if (head_.body.kind == gateway::BodySize::Kind::none)
        return Error(ErrorCode::malformed, "a body too many");
      TRY(body_.send(std::move(part->bytes), rt::Deadline::never()));
    } else if (std::get_if<gateway::End>(&*frame) != nullptr && !fed_) {
      if (head_.body.kind == gateway::BodySize::Kind::sized && total != head_.body.length)
        return Error(ErrorCode::malformed, "a body of another length than announced");
      fed_ = true;
      whole_.set();
      body_.close();
    } else if (auto* head = std::get_if<gateway::RequestHead>(&*frame);
               head != nullptr && fed_ && answered_) {
      next_ = std::move(*head);
      return {};
    } else {
      return Error(ErrorCode::malformed, "a frame that has no place in a request");
    }
  }
}

Result<void> Exchange::answer() {
  policy::Judgement judgement;
  if (auto refusal = judge(judgement)) return refuse(std::move(*refusal));
  auto allowed = event(ledger::Kind::request);
  allowed.verdict = "allow";
  allowed.reason = judgement.reason;
  allowed.origin = judgement.origin;
  if (auto recorded = context_.recorder.record(allowed, ledger::Durability::accepted); !recorded.ok()) {
    log::warning("an allow was not recorded: {}", recorded.error().to_string());
    return refuse(
        {.status = 503,
         .reason = "this can't be recorded in the ledger, and nothing leaves without that",
         .how = "on the host: belljar doctor says what is wrong with the ledger; then start the jar again",
         .origin = {}});
  }
  recorded_ = true;
  auto done = carry_out();
  if (done.ok() || done.error().code() == ErrorCode::cancelled) return done;
  if (status_ != 0) {  // the head is on its way: the answer can only be cut
    record_end(status_, done.error().to_string());
    TRY(link_.send(gateway::Abort{done.error().to_string()}, stall()));
    return done;
  }
  auto refusal = refusal_for_failure(done.error(), {head_.scheme, head_.host, head_.port});
  record_end(refusal.status, refusal.reason);
  return refuse(std::move(refusal));
}

std::optional<Refusal> Exchange::judge(policy::Judgement& judgement) {
  auto judged = gateway::judge(context_.policy, head_);
  if (judged.ok())
    judgement = std::move(*judged);
  else
    judgement.reason = judged.error().to_string();
  if (judgement.verdict == policy::Verdict::allow) return {};
  auto denied = event(ledger::Kind::request);
  denied.verdict = "deny";
  denied.reason = judgement.reason;
  denied.origin = judgement.origin;
  denied.status = 403;
  auto recorded = context_.recorder.record(denied, ledger::Durability::durable);
  if (!recorded.ok()) log::warning("a denial was not recorded: {}", recorded.error().to_string());
  return Refusal{.status = 403, .reason = judgement.reason, .how = {}, .origin = judgement.origin};
}

Result<void> Exchange::refuse(Refusal refusal) {
  answered_ = true;
  return link_.send(std::move(refusal), stall());
}

Result<void> Exchange::forbid(const Forbidden& forbidden) {
  auto denied = event(ledger::Kind::request);
  denied.verdict = "deny";
  denied.reason = forbidden.reason;
  denied.origin = forbidden.origin;
  denied.status = 403;
  TRY(context_.recorder.record(denied, ledger::Durability::durable));
  recorded_ = false;  // the denial is its end
  return refuse({.status = 403,
                 .reason = forbidden.reason,
                 .how = "only public addresses can be reached, and what the user names",
                 .origin = forbidden.origin});
}

Result<std::variant<std::unique_ptr<Upstream>, Forbidden>> Exchange::connection(bool fresh) {
  Origin origin{head_.scheme, head_.host, head_.port};
  if (!fresh)
    if (auto kept = context_.pool.take(origin)) return {std::move(kept)};
  return context_.dialer.dial(origin);
}

Result<void> Exchange::carry_out() {
  for (bool fresh : {false, true}) {
    auto connected = TRY(connection(fresh));
    if (auto* forbidden = std::get_if<Forbidden>(&connected)) return forbid(*forbidden);
    auto& upstream = std::get<std::unique_ptr<Upstream>>(connected);
    std::optional<Error> dead;
    {
      rt::Nursery sending;
      sending.start([&]() -> Result<void> {
        auto sent = send_request(*upstream);
        sent_ = sent.ok();
        // A server may refuse the rest of a body and still answer: only the answer decides.
        if (!sent.ok()) log::debug("sending to {}: {}", head_.host, sent.error().to_string());
        return {};
      });
      auto first = [&]() -> Result<bool> {
        upstream->stream().set_read_deadline(stall());
        return !TRY(upstream->reader->peek(1)).empty();
      }();
      if (first.ok() && *first) {
        auto response = TRY(receive_head(*upstream));
        TRY(relay(*upstream, std::move(response)));
      } else {
        dead = first.ok() ? Error(ErrorCode::closed, "the server closed the connection without an answer")
                          : std::move(first).error();
      }
    }
    if (!dead) {
      if (keep_ && sent_) context_.pool.put(std::move(upstream));
      return {};
    }
    bool repeat = upstream->reused && may_repeat(head_) && dead->code() == ErrorCode::closed;
    if (!repeat) return std::move(*dead);
  }
  return Error(ErrorCode::closed, "the server closed the connection without an answer");
}

Result<void> Exchange::send_request(Upstream& upstream) {
  auto request = gateway::upstream_request(head_);
  auto& stream = upstream.stream();
  stream.set_write_deadline(stall());
  TRY(http::write_head(stream, request));
  http::BodyWriter writer(stream, request.framing);
  while (request.framing.kind != http::BodyKind::none) {
    auto part = TRY(body_.receive(rt::Deadline::never()));
    stream.set_write_deadline(stall());
    if (!part) break;
    TRY(writer.write(*part));
    bytes_out_ += part->size();
  }
  if (request.framing.kind != http::BodyKind::none) TRY(writer.close_write());
  return stream.flush();
}

Result<http::Response> Exchange::receive_head(Upstream& upstream) {
  constexpr int kMaxInterim = 16;
  for (int i = 0; i < kMaxInterim; ++i) {
    upstream.stream().set_read_deadline(stall());
    auto response = TRY(http::read_response_head(*upstream.reader, head_.method));
    if (http::is_interim(response.status)) continue;
    if (response.status == 101) return Error(ErrorCode::malformed, "the server switches protocols unasked");
    return response;
  }
  return Error(ErrorCode::limit_exceeded, "the server sends interim responses without end");
}

Result<void> Exchange::relay(Upstream& upstream, http::Response response) {
  auto framing = response.framing;
  keep_ = response.keep_alive && framing.kind != http::BodyKind::until_close;
  auto head = TRY(gateway::response_head(std::move(response), head_.method));
  status_ = head.status;
  TRY(link_.send(head, stall()));
  http::BodyReader body(*upstream.reader, framing);
  Bytes buffer(gateway::kMaxChunk);
  while (framing.kind != http::BodyKind::none) {
    upstream.stream().set_read_deadline(stall());
    auto count = TRY(body.read_some(buffer));
    if (count == 0) break;
    bytes_in_ += count;
    TRY(link_.send_body(BytesView(buffer).first(count), stall()));
  }
  if (framing.kind == http::BodyKind::until_close && upstream.tls && upstream.tls->truncated())
    return Error(ErrorCode::closed, "the server cut its answer");
  record_end(status_, {});
  answered_ = true;  // before it is sent: the next request may come while we wait
  return link_.send(gateway::End{}, stall());
}

ledger::Event Exchange::event(ledger::Kind kind) const {
  ledger::Event event;
  event.kind = kind;
  event.exchange = head_.exchange;
  event.scheme = policy::name_of(head_.scheme);
  event.host = head_.host;
  event.port = head_.port;
  event.method = head_.method;
  event.path = head_.path;
  return event;
}

void Exchange::record_end(std::uint16_t status, std::string reason) {
  if (!std::exchange(recorded_, false)) return;
  auto ended = event(ledger::Kind::response);
  ended.status = status;
  ended.reason = std::move(reason);
  ended.bytes_out = bytes_out_;
  ended.bytes_in = bytes_in_;
  auto recorded = context_.recorder.record(ended, ledger::Durability::none);
  if (!recorded.ok())
    log::warning("the end of an exchange was not recorded: {}", recorded.error().to_string());
}

}  // namespace

void serve_link(Context& context, gateway::Link& link) {
  std::optional<gateway::RequestHead> head;
  while (true) {
    if (!head) {
      auto frame = link.receive(rt::Deadline::never());
      if (!frame.ok()) return log::debug("a link: {}", frame.error().to_string());
      if (!*frame || std::get_if<gateway::RequestHead>(&**frame) == nullptr) return;
      head = std::move(std::get<gateway::RequestHead>(**frame));
    }
    auto outcome = Exchange(context, link, std::move(*head)).run();
    if (!outcome.link_usable) return;
    head = std::move(outcome.next);
  }
}

}  // namespace belljar::egress
