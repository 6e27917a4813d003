// How fast a program's output goes through the terminal model and through the output filter, beside plain
// copying:
//
//     bench_screen [FILE…]        (the streams of tests/screen/streams, repeated; text of its own without)
#include "screen/screen.h"

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "screen/output_filter.h"

using belljar::as_bytes;
using belljar::Bytes;
using belljar::BytesView;

namespace {

constexpr std::size_t kPiece = 16 << 10;    // as the keeper reads
constexpr std::size_t kTotal = 64UL << 20;  // bytes a measurement

double megabytes_per_second(const std::string& stream, const std::function<void(BytesView)>& take) {
  auto start = std::chrono::steady_clock::now();
  std::size_t done = 0;
  while (done < kTotal)
    for (std::size_t at = 0; at < stream.size() && done < kTotal; at += kPiece) {
      auto piece = std::string_view(stream).substr(at, kPiece);
      take(as_bytes(piece));
      done += piece.size();
    }
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  return static_cast<double>(done) / 1e6 / seconds.count();
}

void measure(const char* name, const std::string& stream) {
  belljar::screen::Screen screen({.rows = 50, .columns = 120});
  belljar::screen::OutputFilter filter;
  Bytes shown;
  auto model = megabytes_per_second(stream, [&](BytesView piece) {
    screen.feed(piece);
    (void)screen.take_answers();
  });
  auto filtered = megabytes_per_second(stream, [&](BytesView piece) {
    shown.clear();
    filter.feed(piece, shown);
  });
  auto copied = megabytes_per_second(stream, [&](BytesView piece) {
    shown.resize(piece.size());
    std::memcpy(shown.data(), piece.data(), piece.size());
  });
  std::printf("%-24s model %8.1f MB/s   filter %8.1f MB/s   memcpy %8.0f MB/s\n", name, model, filtered,
              copied);
}

}  // namespace

int main(int count, char** arguments) {
  std::string lines;
  for (int n = 0; n < 4000; ++n)
    lines += "src/module/file_" + std::to_string(n) +
             ".cc:120: warning: something is the matter here, of middling length\r\n";
  measure("lines of text", lines);
  std::string wide;
  for (int n = 0; n < 4000; ++n)
    wide += "漢字かな交じり文、罫線 │ ├── and some ASCII\r\n";
  measure("wide text", wide);
  std::string colored;
  for (int n = 0; n < 40000; ++n)
    colored += "\x1b[38;2;" + std::to_string(n % 256) + ";10;200m*" + (n % 100 == 0 ? "\r\n" : "");
  measure("a colour for each cell", colored);
  for (int n = 1; n < count; ++n) {
    std::ifstream file(arguments[n], std::ios::binary);
    std::string stream{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const char* name = std::strrchr(arguments[n], '/');
    if (!stream.empty()) measure(name != nullptr ? name + 1 : arguments[n], stream);
  }
  return 0;
}
