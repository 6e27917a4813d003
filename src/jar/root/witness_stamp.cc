#include "jar/root/witness_stamp.h"

#include <fmt/core.h>
#include <sys/stat.h>

namespace belljar::jar {

void WitnessStamp::add(std::string_view text) {
  for (char c : text)
    add(static_cast<unsigned char>(c));
}

void WitnessStamp::add_witness(const char* path) {
  struct stat status {};
  if (::stat(path, &status) < 0) return add(std::uint64_t{0});
  add(status.st_ino);
  add(static_cast<std::uint64_t>(status.st_ctim.tv_sec) << 30 ^
      static_cast<std::uint64_t>(status.st_ctim.tv_nsec));
}

std::string WitnessStamp::text() const { return fmt::format("{:016x}", stamp_); }

}  // namespace belljar::jar
