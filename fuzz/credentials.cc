// Cleaning a configuration file: the first line is its path. What was cleaned once stays as it is.
#include "jar/root/credentials.h"

#include <cstdint>
#include <string>

#include "base/panic.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string text(reinterpret_cast<const char*>(data), size);
  auto end = text.find('\n');
  auto path = text.substr(0, end);
  auto content = end == std::string::npos ? std::string() : text.substr(end + 1);
  (void)belljar::jar::is_private_name(path);
  auto cleaned = belljar::jar::clean_file(path, content);
  if (!cleaned) return 0;
  CHECK(cleaned->size() <= content.size());
  auto again = belljar::jar::clean_file(path, *cleaned);
  CHECK(again && *again == *cleaned);
  return 0;
}
