// Our reader against llhttp (the parser of Node), on a few hundred thousand damaged requests: whatever ours
// accepts, and whatever it then writes, must mean the same to the other: method, target, fields, body and
// where it ends. A difference is how requests are smuggled.
#include <array>
#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "http/body.h"
#include "http/reader.h"
#include "http/writer.h"
#include "io/memory.h"

#ifdef BELLJAR_LLHTTP
#include <llhttp.h>
#endif

namespace belljar::http {
namespace {

#ifdef BELLJAR_LLHTTP

/// One message as either parser understands it.
struct Meaning {
  std::string method;
  std::string target;
  std::string fields;  // "name: value\n" each, the framing fields and Host left out
  std::string host;
  std::string body;
  std::size_t length = 0;  // bytes of the message
  bool operator==(const Meaning&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Meaning& meaning) {
  return out << meaning.method << ' ' << meaning.target << " [" << meaning.host << "]\n"
             << meaning.fields << "body: " << meaning.body << "\nlength: " << meaning.length;
}

struct Oracle {
  Meaning meaning;
  std::string name, value;
  bool in_trailers = false;
  bool complete = false;

  static Oracle& of(llhttp_t* parser) { return *static_cast<Oracle*>(parser->data); }

  // Fields of the head only: of trailers ours keeps a few, and they change nothing.
  void end_field() {
    if (in_trailers) return;
    std::string lower = lower_case(name);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\t'))
      value.pop_back();
    if (lower == "host") {
      meaning.host = lower_case(value);
    } else if (lower != "content-length" && lower != "transfer-encoding" && lower != "expect") {
      meaning.fields += lower + ": " + value + "\n";
    }
    name.clear();
    value.clear();
  }
};

struct Verdict {
  Oracle oracle;
  llhttp_errno_t error = HPE_OK;
  std::string reason;
};

Verdict ask_llhttp(const std::string& text) {
  Verdict verdict;
  llhttp_settings_t settings;
  llhttp_settings_init(&settings);
  settings.on_url = [](llhttp_t* parser, const char* at, std::size_t size) {
    Oracle::of(parser).meaning.target.append(at, size);
    return 0;
  };
  settings.on_header_field = [](llhttp_t* parser, const char* at, std::size_t size) {
    Oracle::of(parser).name.append(at, size);
    return 0;
  };
  settings.on_header_value = [](llhttp_t* parser, const char* at, std::size_t size) {
    Oracle::of(parser).value.append(at, size);
    return 0;
  };
  settings.on_header_value_complete = [](llhttp_t* parser) {
    Oracle::of(parser).end_field();
    return 0;
  };
  settings.on_headers_complete = [](llhttp_t* parser) {
    Oracle::of(parser).in_trailers = true;
    return 0;
  };
  settings.on_body = [](llhttp_t* parser, const char* at, std::size_t size) {
    Oracle::of(parser).meaning.body.append(at, size);
    return 0;
  };
  settings.on_message_complete = [](llhttp_t* parser) {
    Oracle::of(parser).complete = true;
    return static_cast<int>(HPE_PAUSED);
  };
  llhttp_t parser;
  llhttp_init(&parser, HTTP_REQUEST, &settings);
  parser.data = &verdict.oracle;
  verdict.error = llhttp_execute(&parser, text.data(), text.size());
  verdict.reason = llhttp_get_error_reason(&parser) == nullptr ? "" : llhttp_get_error_reason(&parser);
  verdict.oracle.meaning.method = llhttp_method_name(static_cast<llhttp_method_t>(parser.method));
  const char* end = llhttp_get_error_pos(&parser);
  if (end != nullptr) verdict.oracle.meaning.length = static_cast<std::size_t>(end - text.data());
  return verdict;
}

struct Ours {
  Request request;
  Meaning meaning;
};

std::optional<Ours> ask_ours(const std::string& text) {
  io::MemoryStream stream(to_bytes(text));
  io::BufferedReader reader(stream, kReaderLimit);
  auto outcome = read_request_head(reader);
  if (!outcome.ok() || !std::holds_alternative<Request>(*outcome)) return std::nullopt;
  Ours ours{.request = std::get<Request>(*outcome), .meaning = {}};
  BodyReader body(reader, ours.request.framing);
  Bytes buffer(4096);
  for (;;) {
    auto count = body.read_some(buffer);
    if (!count.ok()) return std::nullopt;
    if (*count == 0) break;
    ours.meaning.body += as_text(BytesView(buffer).first(*count));
  }
  ours.meaning.method = ours.request.method;
  ours.meaning.target = ours.request.target();
  ours.meaning.host = ours.request.authority();
  for (const Header& field : ours.request.headers)
    ours.meaning.fields += field.name + ": " + field.value + "\n";
  std::size_t rest = reader.buffered().size();
  while (auto count = stream.read_some(buffer).value())
    rest += count;
  ours.meaning.length = text.size() - rest;
  return ours;
}

const std::array<std::string, 8> kSeeds = {
    "GET /a/b?c=d HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\nX-Long: one, two;q=\"3\"\r\n\r\n",
    "POST /p HTTP/1.1\r\nHost: a.example:81\r\nContent-Length: 11\r\n\r\nhello worldGET / HTTP/1.1\r\n",
    "POST /p HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: "
    "chunked\r\n\r\n5\r\nhello\r\n1;x=\"y\"\r\n!\r\n0\r\n\r\nGET",
    "PUT /p HTTP/1.1\r\nTransfer-Encoding: chunked\r\nHost: a.example\r\nTrailer: "
    "X-T\r\n\r\n3\r\nabc\r\n0\r\nX-T: 1\r\n\r\n",
    "DELETE / HTTP/1.0\r\nHost: a.example\r\nConnection: keep-alive, x\r\nX: y\r\nContent-Length: 0\r\n\r\n",
    "GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\nCookie: a=b; c=d\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: a.example\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"};

const std::array<std::string, 24> kPieces = {"\r\n",
                                             "\n",
                                             "\r",
                                             " ",
                                             "\t",
                                             ":",
                                             ",",
                                             "0",
                                             "1",
                                             "a",
                                             "\x0b",
                                             "\x7f",
                                             std::string(1, '\0'),
                                             "\xff",
                                             ";",
                                             "\"",
                                             "Content-Length: 5\r\n",
                                             "Transfer-Encoding: chunked\r\n",
                                             "Transfer-Encoding: identity\r\n",
                                             "Host: b.example\r\n",
                                             "\r\n\r\n",
                                             "chunked",
                                             "+",
                                             "\r\n "};

std::string damage(std::mt19937& random, std::string text) {
  auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
    const std::size_t at = below(text.size() + 1);
    switch (below(5)) {
      case 0:
        text.insert(at, kPieces[below(kPieces.size())]);
        break;
      case 1:
        text.erase(at, 1 + below(3));
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 3:
        if (at < text.size()) text.replace(at, 1, kPieces[below(kPieces.size())]);
        break;
      default: {
        const std::string& other = kSeeds[below(kSeeds.size())];
        text.insert(at, other.substr(below(other.size()), below(40)));
      }
    }
    if (text.empty()) text = "G";
  }
  return text;
}

// Where llhttp knows less than the specification (its list of methods, a tab after the number of
// Content-Length) or stops on purpose (upgrades).
bool is_comparable(const Verdict& verdict, const Ours& ours) {
  return verdict.error != HPE_INVALID_METHOD && verdict.error != HPE_PAUSED_UPGRADE &&
         verdict.reason != "Invalid character in Content-Length" &&
         ours.request.target_kind != TargetKind::connect;
}

void expect_same(const std::string& text, const Ours& ours, const Verdict& verdict) {
  ASSERT_TRUE(verdict.oracle.complete) << "accepted by us only: " << verdict.reason << "\n" << text;
  EXPECT_EQ(ours.meaning, verdict.oracle.meaning) << text;
}

TEST(AgainstLlhttp, WhatWeAcceptMeansTheSame) {
  std::mt19937 random(20260101);
  int accepted = 0;
  for (int i = 0; i < 300000 && !testing::Test::HasFailure(); ++i) {
    std::string text = damage(random, kSeeds[static_cast<std::size_t>(i) % kSeeds.size()]);
    std::optional<Ours> ours = ask_ours(text);
    if (!ours) continue;
    Verdict verdict = ask_llhttp(text);
    if (!is_comparable(verdict, *ours)) continue;
    // Absolute-form is ours to turn round, so the target differs, and is compared in the written form below.
    if (!ours->request.scheme.empty()) ours->meaning.target = verdict.oracle.meaning.target;
    expect_same(text, *ours, verdict);
    ++accepted;
  }
  EXPECT_GT(accepted, 10000) << "the comparison compares next to nothing";
}

TEST(AgainstLlhttp, WhatWeWriteMeansTheSame) {
  std::mt19937 random(20260102);
  int written = 0;
  for (int i = 0; i < 100000 && !testing::Test::HasFailure(); ++i) {
    std::string text = damage(random, kSeeds[static_cast<std::size_t>(i) % kSeeds.size()]);
    std::optional<Ours> ours = ask_ours(text);
    if (!ours) continue;
    remove_hop_by_hop(ours->request.headers);
    ours->request.keep_alive = true;  // no field of ours among those that are compared
    io::MemoryStream out;
    ASSERT_TRUE(write_head(out, ours->request).ok());
    BodyWriter body(out, ours->request.framing);
    ASSERT_TRUE(io::write_text(body, ours->meaning.body).ok() && body.close_write().ok());

    std::string canonical(as_text(out.written()));
    Verdict verdict = ask_llhttp(canonical);
    if (!is_comparable(verdict, *ours)) continue;
    ours->meaning.fields.clear();
    for (const Header& field : ours->request.headers)
      ours->meaning.fields += field.name + ": " + field.value + "\n";
    ours->meaning.length = canonical.size();
    expect_same(canonical, *ours, verdict);
    ++written;
  }
  EXPECT_GT(written, 5000);
}

#else

TEST(AgainstLlhttp, IsSkippedWithoutItsSource) { GTEST_SKIP() << "Debian's node-llhttp is not installed"; }

#endif

}  // namespace
}  // namespace belljar::http
