// Replays a corpus through a fuzz target without libFuzzer, so that every preset runs it: each file of the
// named directories once, and each cut short at every length of its beginning.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

constexpr std::size_t kMaxCuts = 512;

void replay(const std::vector<std::uint8_t>& input) {
  // A fresh copy of exactly that size, so that a sanitizer sees a read past its end.
  for (std::size_t cut = 0; cut <= input.size() && cut < kMaxCuts; ++cut) {
    std::vector<std::uint8_t> part(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(cut));
    part.shrink_to_fit();
    LLVMFuzzerTestOneInput(part.data(), part.size());
  }
  LLVMFuzzerTestOneInput(input.data(), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t files = 0;
  for (int i = 1; i < argc; ++i)
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      replay({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
      ++files;
    }
  std::printf("%zu inputs\n", files);
  return files == 0 ? 1 : 0;  // an empty corpus tests nothing
}
