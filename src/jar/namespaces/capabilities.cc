#include "jar/namespaces/capabilities.h"

#include <cerrno>

#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::jar {

Result<void> drop_capabilities() {
  for (unsigned capability = 0; capability < 64; ++capability) {
    if ((kJarCapabilities >> capability & 1) != 0) continue;
    if (::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0) {
      if (errno == EINVAL) break;  // past the last one that this kernel knows
      return Error::from_errno(errno, "drop a capability");
    }
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct sets[2] = {};
  constexpr auto kLow = static_cast<std::uint32_t>(kJarCapabilities);
  constexpr auto kHigh = static_cast<std::uint32_t>(kJarCapabilities >> 32);
  sets[0].effective = sets[0].permitted = kLow;
  sets[1].effective = sets[1].permitted = kHigh;
  if (::syscall(SYS_capset, &header, sets) < 0) return Error::from_errno(errno, "set the capabilities");
  return {};
}

Result<void> forbid_new_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return Error::from_errno(errno, "set no_new_privs");
  return {};
}

}  // namespace belljar::jar
