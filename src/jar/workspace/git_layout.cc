#include "jar/workspace/git_layout.h"

#include <fcntl.h>
#include <sys/stat.h>

namespace belljar::jar {

bool is_git_layout(int directory) {
  struct stat status {};
  auto exists = [&](const char* name) {
    return ::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
  };
  return exists("commondir") || (exists("objects") && exists("refs"));
}

}  // namespace belljar::jar
