#include "jar/root/discard.h"

#include <cstdio>

#include <ftw.h>
#include <sys/stat.h>

namespace belljar::jar {

void discard_tree(const std::string& path) {
  // Overlays leave a directory of mode 0 in their work directory, which lists nothing until it is opened up.
  ::nftw(
      path.c_str(),
      [](const char* name, const struct stat*, int kind, FTW*) {
        if (kind == FTW_DNR) ::chmod(name, 0700);
        return 0;
      },
      16, FTW_PHYS);
  ::nftw(
      path.c_str(), [](const char* name, const struct stat*, int, FTW*) { return ::remove(name), 0; }, 16,
      FTW_DEPTH | FTW_PHYS);
}

}  // namespace belljar::jar
