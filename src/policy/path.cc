#include "policy/path.h"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "policy/policy.h"

namespace belljar::policy {

namespace {

constexpr std::string_view kHexDigits = "0123456789ABCDEF";
constexpr int kMaxDecodings = 8;
constexpr char kMarkedStar = '\x01';  // no normalised path decodes to it

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// The byte that "%XY" at `position` stands for, or -1.
int encoded_at(std::string_view text, std::size_t position) {
  if (text[position] != '%' || position + 2 >= text.size()) return -1;
  int high = hex_value(text[position + 1]);
  int low = hex_value(text[position + 2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

bool is_unreserved(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

/// Characters that RFC 3986 gives no place in a path but that clients send; they are compared encoded.
bool is_lenient(char c) { return std::string_view("\"<>^`{|}").find(c) != std::string_view::npos; }

void append_encoded(std::string& out, int byte) {
  out += '%';
  out += kHexDigits[static_cast<std::size_t>(byte) >> 4];
  out += kHexDigits[static_cast<std::size_t>(byte) & 15];
}

Error malformed(std::string_view why) {
  return Error(ErrorCode::malformed, fmt::format("the path has {}", why));
}

Result<std::string> normalise_characters(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      int byte = encoded_at(text, i);
      if (byte < 0) return malformed("a percent sign that encodes nothing");
      if (byte < 0x20 || byte == 0x7f) return malformed("an encoded control character");
      if (byte == '\\') return malformed("a backslash");
      if (is_unreserved(byte))
        out += static_cast<char>(byte);
      else
        append_encoded(out, byte);
      i += 2;
    } else if (c == '\\') {
      return malformed("a backslash");
    } else if (c == '?' || c == '#') {
      return malformed("a query or fragment in it");
    } else if (c <= 0x20 || c == 0x7f) {  // char is signed here: bytes from 0x80 are below 0
      return malformed("a character that must be encoded");
    } else if (is_lenient(c)) {
      append_encoded(out, c);
    } else {
      out += c;
    }
  }
  return out;
}

std::string decode_once(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    int byte = encoded_at(text, i);
    if (byte >= 0) i += 2;
    char c = byte >= 0 ? static_cast<char>(byte) : text[i];
    out += c == '\\' ? '/' : c;
  }
  return out;
}

/// Decoded until nothing changes; nothing when that takes more than kMaxDecodings.
std::optional<std::string> decode_fully(std::string_view text) {
  std::string current(text);
  for (int i = 0; i < kMaxDecodings; ++i) {
    auto next = decode_once(current);
    if (next == current) return current;
    current = std::move(next);
  }
  return {};
}

std::string without_parameters(std::string_view path) {
  std::string out;
  bool in_parameters = false;
  for (char c : path) {
    if (c == '/') in_parameters = false;
    if (c == ';') in_parameters = true;
    if (!in_parameters) out += c;
  }
  return out;
}

bool has_dot_segment(std::string_view path) {
  while (!path.empty()) {
    auto slash = path.find('/');
    auto segment = path.substr(0, slash);
    segment = segment.substr(0, segment.find(';'));  // "..;" climbs too on servers with path parameters
    if (segment == "." || segment == "..") return true;
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return false;
}

}  // namespace

Result<std::string> normalise_path(std::string_view target) {
  if (target.empty() || target.front() != '/') return malformed("no leading slash");
  if (target.size() > kMaxPath) return malformed("more than 16 KiB");
  auto path = TRY(normalise_characters(target));
  if (path.find("//") != std::string::npos) return malformed("an empty segment");
  auto decoded = decode_fully(path);
  if (!decoded) return malformed("nested encodings without end");
  if (std::any_of(decoded->begin(), decoded->end(), is_control))
    return malformed("an encoded control character");
  if (has_dot_segment(*decoded)) return malformed("a dot segment");
  return path;
}

PathReadings readings_of(std::string_view path) {
  auto decoded = decode_fully(path).value_or(std::string());
  auto bare = without_parameters(decoded);
  return {.literal = path, .decoded = std::move(decoded), .bare = std::move(bare)};
}

Result<PathGlob> PathGlob::parse(std::string_view text) {
  if (text.size() > kMaxGlob)
    return Error(ErrorCode::invalid_argument, "a path pattern of more than 1024 characters");
  auto normalised = normalise_path(text);
  if (!normalised)
    return Error(ErrorCode::invalid_argument, fmt::format("the path pattern \"{}\" is refused as a path: {}",
                                                          text, normalised.error().message()))
        .with_hint("patterns look like /repos/acme/**");
  PathGlob glob;
  glob.text_ = std::move(normalised).value();
  for (auto at = glob.text_.find("/**/**"); at != std::string::npos; at = glob.text_.find("/**/**"))
    glob.text_.erase(at, 3);  // says the same
  glob.tokens_ = compile(glob.text_, '*');
  // While the glob is decoded, its stars must stay apart from an encoded "*".
  auto marked = glob.text_;
  std::replace(marked.begin(), marked.end(), '*', kMarkedStar);
  glob.decoded_tokens_ = compile(decode_fully(marked).value_or(marked), kMarkedStar);
  return glob;
}

PathGlob::Tokens PathGlob::compile(std::string_view text, char star) {
  Tokens tokens;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != star) {
      tokens.push_back({.literal = text[i++]});
      continue;
    }
    auto end = std::min(text.find_first_not_of(star, i), text.size());
    tokens.push_back({.kind = end - i > 1 ? Kind::across : Kind::within});
    i = end;
  }
  auto is_slash = [&](std::size_t i) {
    return i < tokens.size() && tokens[i].kind == Kind::literal && tokens[i].literal == '/';
  };
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i].kind != Kind::across || !is_slash(i - 1)) continue;
    tokens[i - 1].may_leap = is_slash(i + 1);
    tokens[i - 1].may_end = i + 1 == tokens.size() && i > 1;
  }
  return tokens;
}

/// Marks a state and those reached from it without reading a character.
void PathGlob::enter(const Tokens& tokens, std::vector<bool>& states, std::size_t state) {
  for (; !states[state]; ++state) {
    states[state] = true;
    if (state == tokens.size()) return;
    if (tokens[state].may_end) states[tokens.size()] = true;
    if (tokens[state].kind == Kind::literal) return;  // only a star may match nothing
  }
}

bool PathGlob::matches(const Tokens& tokens, std::string_view path) {
  std::vector<bool> states(tokens.size() + 1);
  std::vector<bool> next(tokens.size() + 1);
  enter(tokens, states, 0);
  for (char c : path) {
    std::fill(next.begin(), next.end(), false);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (!states[i]) continue;
      const auto& token = tokens[i];
      if (token.kind == Kind::literal && token.literal == c) {
        enter(tokens, next, i + 1);
        if (token.may_leap) enter(tokens, next, i + 3);
      } else if (token.kind == Kind::across || (token.kind == Kind::within && c != '/')) {
        enter(tokens, next, i);
      }
    }
    states.swap(next);
  }
  return states[tokens.size()];
}

bool PathGlob::matches_every(const PathReadings& path) const {
  return matches(tokens_, path.literal) && matches(decoded_tokens_, path.decoded);
}

bool PathGlob::matches_any(const PathReadings& path) const {
  return matches(tokens_, path.literal) || matches(decoded_tokens_, path.decoded) ||
         matches(decoded_tokens_, path.bare);
}

}  // namespace belljar::policy
