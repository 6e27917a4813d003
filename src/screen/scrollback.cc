#include "screen/scrollback.h"

#include <algorithm>

namespace belljar::screen {

namespace {

constexpr std::size_t kBlock = 16 << 10;  // but for a row that is longer

}  // namespace

void Scrollback::append(std::string_view rendered) {
  if (rendered.empty()) return;
  if (blocks_.empty() || blocks_.back().size() + rendered.size() > kBlock) {
    if (!blocks_.empty()) blocks_.back().shrink_to_fit();
    blocks_.emplace_back();
  }
  blocks_.back() += rendered;
  end_ += rendered.size();
  while (blocks_.size() > 1 && end_ - begin_ > bound_) {
    begin_ += blocks_.front().size();
    blocks_.pop_front();
  }
}

void Scrollback::clear() {
  blocks_.clear();
  begin_ = end_;
}

std::string Scrollback::read(std::uint64_t position, std::size_t most) const {
  position = std::clamp(position, begin_, end_);
  std::string text;
  auto block_begin = begin_;
  for (const auto& block : blocks_) {
    auto block_end = block_begin + block.size();
    if (position < block_end && text.size() < most) {
      auto part = std::string_view(block).substr(static_cast<std::size_t>(position - block_begin));
      text += part.substr(0, most - text.size());
      position = block_end;
    }
    block_begin = block_end;
  }
  bool to_the_end = text.size() < most;
  auto line_end = text.rfind('\n');
  if (!to_the_end && line_end != std::string::npos) text.resize(line_end + 1);
  return text;
}

std::string Scrollback::tail(std::size_t most) const {
  auto count = std::min<std::uint64_t>(most, end_ - begin_);
  auto text = read(end_ - count, static_cast<std::size_t>(count) + 1);
  if (count == end_ - begin_ && begin_ == 0) return text;
  auto line_end = text.find('\n');
  return line_end == std::string::npos ? std::string() : text.substr(line_end + 1);
}

std::size_t Scrollback::memory() const {
  std::size_t bytes = 0;
  for (const auto& block : blocks_)
    bytes += block.capacity() + sizeof(std::string);
  return bytes;
}

std::string plain_text(std::string_view rendered) {
  std::string text;
  while (!rendered.empty()) {
    auto escape = rendered.find('\x1b');
    text += rendered.substr(0, escape);
    if (escape == std::string_view::npos) break;
    auto end = rendered.find('m', escape);
    rendered.remove_prefix(end == std::string_view::npos ? rendered.size() : end + 1);
  }
  return text;
}

}  // namespace belljar::screen
