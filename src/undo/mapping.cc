#include "undo/mapping.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "os/fd.h"

namespace belljar::undo {

Result<Mapping> Mapping::open(const std::string& path) {
  auto file = TRY(os::open_file(path, O_RDONLY | O_NOFOLLOW));
  struct stat status {};
  if (::fstat(file.get(), &status) < 0) return Error::from_errno(errno, "look at " + path);
  Mapping mapping;
  if (!S_ISREG(status.st_mode)) return Error(ErrorCode::malformed, path + " is no file");
  if (status.st_size == 0) return mapping;
  auto size = static_cast<std::size_t>(status.st_size);
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (at == MAP_FAILED) return Error::from_errno(errno, "map " + path);
  mapping.bytes_ = {static_cast<const std::uint8_t*>(at), size};
  return mapping;
}

Mapping::~Mapping() {
  if (bytes_.empty()) return;
  auto* at = const_cast<std::uint8_t*>(bytes_.data());  // NOLINT: munmap takes no const
  ::munmap(at, bytes_.size());
}

}  // namespace belljar::undo
