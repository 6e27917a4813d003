#include "dns/message.h"

#include <string>

#include <gtest/gtest.h>

#include "io/memory.h"

namespace belljar::dns {
namespace {

using namespace std::string_literals;

// id 1234, RD; one question.
std::string header(std::string_view counts = std::string_view("\0\1\0\0\0\0\0\0", 8),
                   std::string flags = "\x01\x00"s) {
  return "\x12\x34" + flags + std::string(counts);
}

const std::string kName = "\3aPi\7example\3com\0"s;
const std::string kTail = "\0\1\0\1"s;  // A, IN

std::string one_question(const std::string& name) { return header() + name + kTail; }

Query parsed(const std::string& message) {
  auto outcome = parse_query(as_bytes(message));
  EXPECT_TRUE(std::holds_alternative<Query>(outcome));
  return std::holds_alternative<Query>(outcome) ? std::get<Query>(outcome) : Query{};
}

Rejected rejected(const std::string& message) {
  auto outcome = parse_query(as_bytes(message));
  EXPECT_TRUE(std::holds_alternative<Rejected>(outcome)) << to_hex(as_bytes(message));
  return std::holds_alternative<Rejected>(outcome) ? std::get<Rejected>(outcome) : Rejected{};
}

int rcode_of(const Rejected& outcome) { return outcome.reply ? (*outcome.reply)[3] & 0xF : -1; }

TEST(DnsQuery, ReadsTheQuestion) {
  Query query = parsed(one_question(kName));
  EXPECT_EQ(query.id, 0x1234);
  EXPECT_EQ(query.name, "api.example.com");
  EXPECT_EQ(query.type, kA);
  EXPECT_TRUE(query.recursion_desired);
  EXPECT_FALSE(query.edns);
  EXPECT_EQ(as_text(query.question), kName + kTail);
  EXPECT_EQ(parsed(one_question("\0"s)).name, ".");
  EXPECT_EQ(parsed(one_question("\4_dmy\1a\0"s)).name, "_dmy.a");
}

TEST(DnsQuery, ReadsEdns) {
  std::string opt = "\0\0\x29\x10\0\0\0\x80\0\0\4\0\1\0\0"s;
  Query query = parsed(header("\0\1\0\0\0\0\0\1"s) + kName + kTail + opt);
  ASSERT_TRUE(query.edns);
  EXPECT_EQ(query.edns->udp_size, 4096);
  EXPECT_TRUE(query.edns->dnssec_ok);
}

TEST(DnsQuery, DropsWhatMustNotBeAnswered) {
  EXPECT_EQ(rcode_of(rejected("")), -1);
  EXPECT_EQ(rcode_of(rejected(header().substr(0, 11))), -1);
  EXPECT_EQ(rcode_of(rejected(header("\0\1\0\0\0\0\0\0"s, "\x81\x80"s) + kName + kTail)), -1) << "an answer";
}

TEST(DnsQuery, RejectsWithTheRightCode) {
  const int format_error = 1, not_implemented = 4, refused = 5, no_such_name = 3;
  const std::string sixty_three = "\x3f" + std::string(63, 'a');
  EXPECT_EQ(rcode_of(rejected(header("\0\0\0\0\0\0\0\0"s))), format_error);
  EXPECT_EQ(rcode_of(rejected(header("\0\2\0\0\0\0\0\0"s) + kName + kTail + kName + kTail)), format_error);
  EXPECT_EQ(rcode_of(rejected(header("\0\1\0\1\0\0\0\0"s) + kName + kTail)), format_error);
  EXPECT_EQ(rcode_of(rejected(header("\0\1\0\0\0\0\0\0"s, "\x28\x00"s) + kName + kTail)), not_implemented)
      << "UPDATE";
  EXPECT_EQ(rcode_of(rejected(one_question("\xc0\x0c"s))), format_error) << "a pointer to itself";
  EXPECT_EQ(rcode_of(rejected(one_question("\x40" + std::string(64, 'a') + "\0"s))), format_error)
      << "label of 64";
  EXPECT_EQ(rcode_of(rejected(header() + "\3ab")), format_error) << "cut";
  EXPECT_EQ(rcode_of(rejected(header() + kName + "\0\1"s)), format_error) << "cut after the name";
  EXPECT_EQ(rcode_of(rejected(one_question(sixty_three + sixty_three + sixty_three + sixty_three + "\0"s))),
            format_error);
  EXPECT_EQ(rcode_of(rejected(one_question(kName) + "x")), format_error) << "bytes after the question";
  EXPECT_EQ(rcode_of(rejected(header() + kName + "\0\1\0\3"s)), refused) << "CHAOS";
  EXPECT_EQ(rcode_of(rejected(one_question("\3a b\0"s))), no_such_name);
  EXPECT_EQ(rcode_of(rejected(one_question("\3a.b\0"s))), no_such_name)
      << "a dot within a label is not two labels";
  EXPECT_EQ(rcode_of(rejected(one_question("\3a\0b\0"s))), no_such_name);
  EXPECT_EQ(rcode_of(rejected(one_question("\2\xc3\xa4\0"s))), no_such_name);
}

TEST(DnsQuery, AcceptsTheLongestName) {
  const std::string sixty_three = "\x3f" + std::string(63, 'a');
  Query query =
      parsed(one_question(sixty_three + sixty_three + sixty_three + "\x3d" + std::string(61, 'a') + "\0"s));
  EXPECT_EQ(query.name.size(), 253U);
}

TEST(DnsQuery, RejectsOptTwiceOrElsewhereOrNewer) {
  std::string opt = "\0\0\x29\x10\0\0\0\0\0\0\0"s;
  EXPECT_EQ(rcode_of(rejected(header("\0\1\0\0\0\0\0\2"s) + kName + kTail + opt + opt)), 1);
  EXPECT_EQ(rcode_of(rejected(header("\0\1\0\0\0\0\0\1"s) + kName + kTail + "\1a" + opt)), 1);
  std::string newer = "\0\0\x29\x10\0\0\1\0\0\0\0"s;
  Rejected version = rejected(header("\0\1\0\0\0\0\0\1"s) + kName + kTail + newer);
  EXPECT_EQ(to_hex(BytesView(*version.reply).last(11)),
            "00"
            "0029"
            "04d0"
            "01000000"
            "0000")
      << "BADVERS";
}

TEST(DnsAnswer, CarriesTheAddressAndEchoesTheQuestion) {
  Bytes answer = answer_address(parsed(one_question(kName)), 0xC6120107, 60, Transport::udp);
  EXPECT_EQ(to_hex(answer), to_hex(as_bytes("\x12\x34\x81\x80\0\1\0\1\0\0\0\0"s + kName + kTail +
                                            "\xc0\x0c\0\1\0\1\0\0\0\x3c\0\4\xc6\x12\1\7"s)));
}

TEST(DnsAnswer, NegativeOnesCanBeCached) {
  Query query = parsed(one_question(kName));
  std::string soa = "\0\0\6\0\1\0\0\0\x1e\0\x16\0\0\0\0\0\1\0\0\x0e\x10\0\0\2\x58\0\1\x51\x80\0\0\0\x1e"s;
  EXPECT_EQ(to_hex(answer_no_data(query, 30, Transport::udp)),
            to_hex(as_bytes("\x12\x34\x81\x80\0\1\0\0\0\1\0\0"s + kName + kTail + soa)));
  EXPECT_EQ(to_hex(answer_no_such_name(query, 30, Transport::udp)),
            to_hex(as_bytes("\x12\x34\x81\x83\0\1\0\0\0\1\0\0"s + kName + kTail + soa)));
}

TEST(DnsAnswer, EchoesEdns) {
  std::string opt = "\0\0\x29\x10\0\0\0\x80\0\0\0"s;
  Query query = parsed(header("\0\1\0\0\0\0\0\1"s) + kName + kTail + opt);
  EXPECT_EQ(to_hex(answer_code(query, Rcode::refused, Transport::udp)),
            to_hex(as_bytes("\x12\x34\x81\x85\0\1\0\0\0\0\0\1"s + kName + kTail +
                            "\0\0\x29\4\xd0\0\0\x80\0\0\0"s)));
}

TEST(DnsAnswer, IsTruncatedWhereItDoesNotFit) {
  Query query = parsed(one_question(kName));
  query.question.resize(505);
  Bytes udp = answer_address(query, 1, 60, Transport::udp);
  EXPECT_EQ(udp[2] & 0x02, 0x02) << "TC";
  EXPECT_EQ(udp[7], 0) << "no answer";
  EXPECT_EQ(answer_address(query, 1, 60, Transport::tcp)[7], 1);
}

TEST(DnsFraming, ReadsMessagesOneByOne) {
  io::MemoryStream stream(to_bytes("\0\3abc\0\1d\0"s), 1);
  io::BufferedReader reader(stream);
  EXPECT_EQ(as_text(*read_framed(reader).value()), "abc");
  EXPECT_EQ(as_text(*read_framed(reader).value()), "d");
  EXPECT_EQ(read_framed(reader).error().code(), ErrorCode::closed);
  io::MemoryStream nothing;
  io::BufferedReader empty(nothing);
  EXPECT_FALSE(read_framed(empty).value());
  io::MemoryStream large(to_bytes("\x10\x01"s));
  io::BufferedReader large_reader(large);
  EXPECT_EQ(read_framed(large_reader).error().code(), ErrorCode::limit_exceeded);
  ASSERT_TRUE(write_framed(stream, as_bytes("xyz")).ok());
  EXPECT_EQ(as_text(stream.written()), "\0\3xyz"s);
}

}  // namespace
}  // namespace belljar::dns
