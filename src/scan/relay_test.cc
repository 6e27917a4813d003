#include "scan/relay.h"

#include <gtest/gtest.h>

#include "io/memory.h"
#include "rt/nursery.h"
#include "rt/testing.h"

namespace belljar::scan {
namespace {

using gateway::Body;
using gateway::End;
using gateway::Link;
using gateway::ResponseHead;

rt::Deadline soon() { return rt::Deadline::after(std::chrono::seconds(5)); }

/// A relay between two links whose far ends this test holds.
struct Bench {
  explicit Bench(rt::Nursery& nursery) {
    auto near = io::create_memory_pipe();
    auto far = io::create_memory_pipe();
    proxy.emplace(std::move(near.first));
    egress.emplace(std::move(far.first));
    nursery.start([left = std::make_shared<Link>(std::move(near.second)),
                   right = std::make_shared<Link>(std::move(far.second))]() -> Result<void> {
      relay(*left, *right);
      return {};
    });
  }
  std::optional<Link> proxy;
  std::optional<Link> egress;
};

FIBER_TEST(Relay, FramesPassBothWaysAtOnce) {
  rt::Nursery nursery;
  Bench bench(nursery);
  TRY_OR_FAIL(bench.proxy->send(Body{to_bytes("out")}, soon()));
  TRY_OR_FAIL(bench.egress->send(Body{to_bytes("in")}, soon()));
  EXPECT_EQ(std::get<Body>(bench.egress->receive_frame(soon()).value()).bytes, to_bytes("out"));
  EXPECT_EQ(std::get<Body>(bench.proxy->receive_frame(soon()).value()).bytes, to_bytes("in"));
}

FIBER_TEST(Relay, AnAnswerBeforeTheEndOfTheRequestGetsThrough) {
  rt::Nursery nursery;
  Bench bench(nursery);
  TRY_OR_FAIL(bench.egress->send(ResponseHead{.status = 413, .headers = {}, .body = {}}, soon()));
  TRY_OR_FAIL(bench.egress->send(End{}, soon()));
  bench.egress->close();
  (void)bench.proxy->send(Body{to_bytes("more")}, soon());
  EXPECT_EQ(std::get<ResponseHead>(bench.proxy->receive_frame(soon()).value()).status, 413);
  EXPECT_TRUE(std::holds_alternative<End>(bench.proxy->receive_frame(soon()).value()));
  auto end = bench.proxy->receive(soon());
  EXPECT_TRUE(!end.ok() || !end->has_value());
}

FIBER_TEST(Relay, TheEndOfEitherSideIsTheEndOfTheOther) {
  rt::Nursery nursery;
  Bench first(nursery);
  first.proxy->close();
  auto end = first.egress->receive(soon());
  EXPECT_TRUE(!end.ok() || !end->has_value());
  Bench second(nursery);
  second.egress->close();
  end = second.proxy->receive(soon());
  EXPECT_TRUE(!end.ok() || !end->has_value());
}

/// What a taken-over proxy writes reaches egress only as frames that keep every promise.
FIBER_TEST(Relay, WhatIsNoFrameGoesNoFurther) {
  for (auto bytes : {Bytes{9, 0, 0, 0, 0}, Bytes{3, 0, 1, 0, 0}, Bytes{1, 0, 0, 0, 2, 'x', 'y'},
                     to_bytes("GET / HTTP/1.1\r\n\r\n")}) {
    auto far = io::create_memory_pipe();
    Link proxy(std::make_unique<io::MemoryStream>(bytes));
    Link egress(std::move(far.first));
    Link receiver(std::move(far.second));
    relay(proxy, egress);
    auto got = receiver.receive(soon());
    EXPECT_TRUE(!got.ok() || !got->has_value());
  }
}

}  // namespace
}  // namespace belljar::scan
