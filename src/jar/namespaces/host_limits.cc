#include "jar/namespaces/host_limits.h"

#include <cerrno>

#include <fmt/core.h>

#include "os/fd.h"

namespace belljar::jar {

namespace {

/// The value of a setting, -1 when this kernel doesn't have it.
long setting(const std::string& path) {
  auto text = os::read_file(path, 64);
  if (!text || text->empty()) return -1;
  char* end = nullptr;
  auto value = std::strtol(text->c_str(), &end, 10);
  return end == text->c_str() ? -1 : value;
}

}  // namespace

std::string userns_restriction(const std::string& proc_sys) {
  if (setting(proc_sys + "/kernel/apparmor_restrict_unprivileged_userns") != 1) return {};
  return "AppArmor takes every right from user namespaces of programs without a profile "
         "(kernel.apparmor_restrict_unprivileged_userns = 1)";
}

Error explain_refusal(int saved_errno, const std::string& proc_sys) {
  auto error = Error::from_errno(saved_errno, kCreateNamespaces);
  if (saved_errno == ENOSPC || saved_errno == EUSERS) {
    for (const auto* kind : {"user", "mnt", "pid", "net", "ipc", "uts", "cgroup"}) {
      auto name = fmt::format("user.max_{}_namespaces", kind);
      if (setting(fmt::format("{}/user/max_{}_namespaces", proc_sys, kind)) != 0) continue;
      return std::move(error)
          .context(name + " is 0 on this host")
          .with_hint(fmt::format("sudo sysctl -w {}=10000", name));
    }
    return std::move(error).context("this user has used up its namespaces, or they are nested too deeply");
  }
  if (saved_errno == EPERM && setting(proc_sys + "/kernel/unprivileged_userns_clone") == 0)
    return std::move(error)
        .context("kernel.unprivileged_userns_clone is 0 on this host")
        .with_hint("sudo sysctl -w kernel.unprivileged_userns_clone=1");
  if (saved_errno == EPERM || saved_errno == EACCES)
    if (auto why = userns_restriction(proc_sys); !why.empty())
      return std::move(error).context(why).with_hint(
          "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0");
  if (saved_errno == EINVAL)
    return std::move(error).context(
        "this kernel lacks one of the namespaces (user, mount, pid, net, ipc, uts)");
  return std::move(error).with_hint("belljar doctor");
}

}  // namespace belljar::jar
