#include "keeper/socket.h"

#include <sys/stat.h>
#include <unistd.h>

#include "os/named_socket.h"

namespace belljar::keeper {

namespace {
constexpr const char* kName = "keeper.sock";
}

Result<os::Fd> listen_in(const std::string& jar_directory) { return os::listen_at(jar_directory, kName); }

void remove_socket(const std::string& jar_directory) { ::unlink((jar_directory + "/" + kName).c_str()); }

bool has_socket(const std::string& jar_directory) {
  struct stat info {};
  return ::lstat((jar_directory + "/" + kName).c_str(), &info) == 0 && S_ISSOCK(info.st_mode);
}

Result<os::Fd> connect_to(const std::string& jar_directory, bool patient) {
  return os::connect_to(jar_directory, kName, patient);
}

}  // namespace belljar::keeper
