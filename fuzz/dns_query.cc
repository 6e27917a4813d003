// Any bytes as a query: what is answered is a well-formed answer to the very same question.
#include <cstdint>

#include "base/panic.h"
#include "dns/message.h"
#include "dns/name_pool.h"

using namespace belljar;

namespace {

void check_answer(BytesView query, const Bytes& answer) {
  CHECK(answer.size() >= 12 && answer.size() <= 512);
  CHECK(answer[0] == query[0] && answer[1] == query[1]);
  CHECK((answer[2] & 0x80) != 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  BytesView input(data, size);
  auto outcome = dns::parse_query(input);
  if (auto* rejected = std::get_if<dns::Rejected>(&outcome)) {
    CHECK(!rejected->reason.empty());
    if (rejected->reply) check_answer(input, *rejected->reply);
  } else {
    const auto& query = std::get<dns::Query>(outcome);
    dns::NamePool pool;
    auto assigned = pool.assign(query.name, {});
    CHECK(std::holds_alternative<std::uint32_t>(assigned));
    check_answer(input,
                 dns::answer_address(query, std::get<std::uint32_t>(assigned), 60, dns::Transport::udp));
    check_answer(input, dns::answer_no_data(query, 60, dns::Transport::udp));
    check_answer(input, dns::answer_no_such_name(query, 60, dns::Transport::udp));
    check_answer(input, dns::answer_code(query, dns::Rcode::refused, dns::Transport::udp));
    CHECK(dns::NamePool::load(pool.save()).value().size() == 1);
  }
  (void)dns::NamePool::load(input).ok();
  return 0;
}
