#include "screen/output_filter.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "screen/base64.h"
#include "screen/modes.h"
#include "screen/parser.h"
#include "screen/payload.h"
#include "screen/utf8.h"

namespace belljar::screen {

namespace {

constexpr std::size_t kMostTitle = 256;
constexpr std::size_t kMostTitles = 10;

bool is_known_private_mode(std::uint16_t number) {
  auto has_number = [number](const NamedMode& mode) { return mode.number == number; };
  if (std::any_of(kNamedModes.begin(), kNamedModes.end(), has_number)) return true;
  return is_mouse_mode(number) || is_mouse_coding(number) || number == 6 || number == 47 || number == 1047 ||
         number == 1048 || number == 1049;
}

std::size_t most_payload(const OutputPolicy& policy) {
  return std::max(kMostPayload, policy.clipboard_bytes / 3 * 4 + 32);
}

}  // namespace

class OutputFilter::Sieve final : public ParserEvents {
 public:
  explicit Sieve(const OutputPolicy& policy) : policy_(policy), parser_(most_payload(policy)) {}

  void feed(BytesView output, Bytes& shown) {
    shown_ = &shown;
    parser_.feed(output, *this);
    shown_ = nullptr;
  }
  Bytes take_clipboard() { return std::exchange(clipboard_, {}); }

 private:
  void ascii(std::string_view text) override {
    pass(text);
    after_text_ = true;
  }
  void character(char32_t code_point) override {
    std::string text;
    append_utf8(text, code_point);
    pass(text);
    after_text_ = true;
  }
  void control(std::uint8_t code) override;
  void escape(char intermediate, char final) override;
  void sequence(const Sequence& sequence) override;
  void command(std::string_view payload) override;
  void device_control(std::string_view) override { drop(); }

  void pass(std::string_view text) {
    shown_->insert(shown_->end(), text.begin(), text.end());
    after_text_ = false;
  }
  /// What is dropped still parts what stands before and after it: a terminal must not take them for one.
  void drop() {
    if (after_text_) pass(std::string_view("\0", 1));
  }
  void pass_sequence(const Sequence& sequence);
  void pass_command(const std::string& payload) { pass("\x1b]" + payload + "\x1b\\"); }
  void switch_modes(const Sequence& sequence);
  void window_operation(const Sequence& sequence);
  void set_title(std::string title);
  void set_colors(std::string_view number, std::string_view values);
  void set_palette(std::string_view pairs);
  void reset_palette(std::string_view indexes);
  void set_clipboard(std::string_view rest);
  void notify(std::string_view number, std::string_view rest);
  [[nodiscard]] bool is_bounded() const { return policy_.lines_only || policy_.styles_only; }

  OutputPolicy policy_;
  Parser parser_;
  Bytes* shown_ = nullptr;
  Bytes clipboard_;
  bool after_text_ = false;  ///< the last that passed is text
  std::string title_;
  std::vector<std::string> titles_;
};

void OutputFilter::Sieve::control(std::uint8_t code) {
  bool is_shift = code == 0x0E || code == 0x0F;
  if (policy_.styles_only && code != '\n' && code != '\r') return drop();
  bool passes = (code >= 0x08 && code <= 0x0F && !(is_shift && policy_.lines_only)) ||
                (code == 0x07 && policy_.notifications);
  if (!passes) return drop();
  char character = static_cast<char>(code);
  pass({&character, 1});
}

void OutputFilter::Sieve::escape(char intermediate, char final) {
  if (is_bounded()) return drop();
  if (intermediate == '(' || intermediate == ')')
    return pass(std::string("\x1b") + intermediate + (final == '0' ? '0' : 'B'));
  if (intermediate == '#' && final == '8') return pass("\x1b#8");
  if (intermediate != 0 || std::string_view("78=>DEHMc").find(final) == std::string_view::npos) return drop();
  pass(std::string("\x1b") + final);
}

void OutputFilter::Sieve::pass_sequence(const Sequence& sequence) {
  std::string text = "\x1b[";
  if (sequence.prefix != 0) text += sequence.prefix;
  for (std::size_t n = 0; n < sequence.count; ++n) {
    if (n > 0) text += sequence.is_sub(n) ? ':' : ';';
    if (sequence.is_given(n)) text += std::to_string(sequence.values[n]);
  }
  if (sequence.intermediate != 0) text += sequence.intermediate;
  pass(text + sequence.final);
}

void OutputFilter::Sieve::sequence(const Sequence& sequence) {
  auto first = sequence.value(0);
  bool passes = false;
  bool within_line = sequence.signature() == signature(0, 0, sequence.final) &&
                     std::string_view("mKGCD").find(sequence.final) != std::string_view::npos;
  if (policy_.lines_only && !within_line) return drop();
  if (policy_.styles_only && sequence.signature() != signature(0, 0, 'm')) return drop();
  switch (sequence.signature()) {
    case signature(0, 0, 'h'):
    case signature(0, 0, 'l'):
    case signature('?', 0, 'h'):
    case signature('?', 0, 'l'):
      return switch_modes(sequence);
    case signature(0, 0, 't'):
      return window_operation(sequence);
    case signature(0, 0, 'b'):
      if (!after_text_) return drop();
      pass("\x1b[" + std::to_string(std::min<std::size_t>(sequence.times(), kMostRepeats)) + "b");
      after_text_ = true;  // it can be repeated again
      return;
    case signature('>', 0, 'm'):
      if (sequence.value(0, 4) != 4) return drop();
      return pass("\x1b[>4;" + std::to_string(std::min<int>(sequence.value(1), 2)) + "m");
    case signature(0, 0, 'J'):
      passes = first <= 3;
      break;
    case signature(0, 0, 'K'):
      passes = first <= 2;
      break;
    case signature(0, 0, 'g'):
      passes = first == 0 || first == 3;
      break;
    case signature(0, 0, 'T'):
      passes = sequence.count <= 1;
      break;
    case signature(0, ' ', 'q'):
      passes = first <= 6;
      break;
    case signature(0, '!', 'p'):
    case signature('>', 0, 'u'):
    case signature('<', 0, 'u'):
    case signature('=', 0, 'u'):
      passes = true;
      break;
    default:
      passes = sequence.prefix == 0 && sequence.intermediate == 0 &&
               std::string_view("ABCDEFGHILMPSXZ@`adefmrsu").find(sequence.final) != std::string_view::npos;
  }
  if (!passes) return drop();
  pass_sequence(sequence);
}

/// Only the modes that the model has. The two old names of the alternate screen become one, with which it is
/// empty each time.
void OutputFilter::Sieve::switch_modes(const Sequence& sequence) {
  Sequence known = sequence;
  known.count = 0;
  known.given = known.sub = 0;
  for (std::size_t n = 0; n < sequence.count; ++n) {
    auto number = sequence.value(n);
    bool passes = sequence.prefix == '?' ? is_known_private_mode(number) : number == 4 || number == 20;
    if (!passes) continue;
    known.given |= 1U << known.count;
    known.values[known.count++] = number == 47 ? std::uint16_t{1047} : number;
  }
  if (known.count == 0) return drop();
  pass_sequence(known);
}

/// Titles are pushed and popped here: the stack of the host's terminal is the user's.
void OutputFilter::Sieve::window_operation(const Sequence& sequence) {
  auto what = sequence.value(1);
  drop();
  if (what != 0 && what != 2) return;
  if (sequence.value(0) == 22) {
    titles_.push_back(title_);
    if (titles_.size() > kMostTitles) titles_.erase(titles_.begin());
  } else if (sequence.value(0) == 23 && !titles_.empty()) {
    set_title(std::exchange(titles_.back(), {}));
    titles_.pop_back();
  }
}

void OutputFilter::Sieve::set_title(std::string title) {
  title_ = std::move(title);
  if (!policy_.titles) return drop();
  pass_command("2;" + title_);
}

void OutputFilter::Sieve::command(std::string_view payload) {
  auto end = payload.find(';');
  auto number = payload.substr(0, end);
  auto rest = end == std::string_view::npos ? std::string_view() : payload.substr(end + 1);
  drop();  // in most cases; what passes follows
  if (is_bounded()) return;
  if (number == "52") return set_clipboard(rest);
  if (payload.size() > kMostPayload) return;
  if (number == "0" || number == "2") return set_title(clean_title(rest, kMostTitle));
  if (number == "4") return set_palette(rest);
  if (number == "10" || number == "11" || number == "12") return set_colors(number, rest);
  if (number == "104") return reset_palette(rest);
  if (number == "110" || number == "111" || number == "112") return pass_command(std::string(number));
  if (number == "9" || number == "99" || number == "777") return notify(number, rest);
}

void OutputFilter::Sieve::set_colors(std::string_view number, std::string_view values) {
  int which = number[1] - '0';
  for_each_field(values, [&](std::string_view value) {
    auto color = parse_color(value);
    if (color && which < kDynamicColorCount)
      pass_command(std::to_string(10 + which) + ";" + color_text(*color));
    ++which;
  });
}

void OutputFilter::Sieve::set_palette(std::string_view pairs) {
  std::optional<std::uint16_t> index;
  bool is_index = true;
  for_each_field(pairs, [&](std::string_view field) {
    if (is_index)
      index = parse_index(field);
    else if (auto color = parse_color(field); color && index)
      pass_command("4;" + std::to_string(*index) + ";" + color_text(*color));
    is_index = !is_index;
  });
}

void OutputFilter::Sieve::reset_palette(std::string_view indexes) {
  if (indexes.empty()) return pass_command("104");
  for_each_field(indexes, [this](std::string_view field) {
    if (auto index = parse_index(field)) pass_command("104;" + std::to_string(*index));
  });
}

/// Text only: no control characters that a shell, or a program that trusts the end of a marked paste, would
/// obey; and no end of a line behind it, at which a shell that doesn't know marked pastes runs it.
void OutputFilter::Sieve::set_clipboard(std::string_view rest) {
  auto end = rest.find(';');
  if (end == std::string_view::npos || policy_.clipboard == Clipboard::off) return;
  auto where = rest.substr(0, end);
  bool primary = where.find('p') != std::string_view::npos && where.find('c') == std::string_view::npos;
  auto text = decode_base64(rest.substr(end + 1));
  if (!text || text->empty() || text->size() > policy_.clipboard_bytes || !is_clean_utf8(*text, "\t\n\r"))
    return;
  std::erase(*text, '\r');
  text->erase(text->find_last_not_of('\n') + 1);
  if (text->empty()) return;
  auto payload = std::string("52;") + (primary ? 'p' : 'c') + ";" + encode_base64(*text);
  if (policy_.clipboard == Clipboard::on) return pass_command(payload);
  auto whole = "\x1b]" + payload + "\x1b\\";
  clipboard_.insert(clipboard_.end(), whole.begin(), whole.end());
}

/// iTerm2's and others' OSC 9 (a text, or 4;…: progress), kitty's 99, rxvt's 777;notify. ConEmu's other
/// numbers under 9 run macros and programs.
void OutputFilter::Sieve::notify(std::string_view number, std::string_view rest) {
  if (!policy_.notifications) return;
  auto text = clean_title(rest, kMostTitle);
  bool is_digit = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (number == "9" && (!is_digit || text.substr(0, 2) == "4;")) return pass_command("9;" + text);
  if (number == "777" && text.substr(0, 7) == "notify;") return pass_command("777;" + text);
  if (number != "99") return;
  auto metadata = text.substr(0, text.find(';'));
  // Which one, whether it is whole, title or body; nothing that makes the terminal report a click.
  bool harmless = true;
  while (!metadata.empty()) {
    auto key = metadata.substr(0, metadata.find(':'));
    auto name = key.substr(0, 2);
    harmless = harmless && (name == "i=" || name == "d=" || key == "p=title" || key == "p=body");
    metadata.erase(0, key.size() + 1);
  }
  if (harmless && text.find(';') != std::string::npos) pass_command("99;" + text);
}

OutputFilter::OutputFilter(OutputPolicy policy) : sieve_(std::make_unique<Sieve>(policy)) {}
OutputFilter::OutputFilter(OutputFilter&&) noexcept = default;
OutputFilter& OutputFilter::operator=(OutputFilter&&) noexcept = default;
OutputFilter::~OutputFilter() = default;

void OutputFilter::feed(BytesView output, Bytes& shown) { sieve_->feed(output, shown); }
Bytes OutputFilter::take_clipboard() { return sieve_->take_clipboard(); }

}  // namespace belljar::screen
