#include "cli/host_checks.h"

#include <cstdio>
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fd.h"

namespace belljar::cli {

namespace {

using State = Check::State;

constexpr std::size_t kMost = 8U << 20;  // modules.dep is the longest

std::optional<std::string> read(const Host& host, const std::string& path) {
  auto text = os::read_file(host.root + path, kMost);
  if (!text) return std::nullopt;
  return std::move(*text);
}

bool is_there(const Host& host, const std::string& path) {
  return ::access((host.root + path).c_str(), F_OK) == 0;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// A number in /proc/sys; nothing where the kernel has no such switch.
std::optional<long> kernel_switch(const Host& host, const std::string& name) {
  auto text = read(host, "/proc/sys/" + name);
  if (!text) return std::nullopt;
  return std::strtol(text->c_str(), nullptr, 10);
}

/// For good, and at once.
std::string set_switch(const std::string& setting) {
  return fmt::format("echo {} | sudo tee -a /etc/sysctl.d/60-belljar.conf && sudo sysctl --system", setting);
}

/// On the kernel's command line, from the next boot on.
std::string boot_with(const Host& host, const std::string& words) {
  if (!is_there(host, "/etc/default/grub"))
    return fmt::format("add {} to the kernel's command line in your boot loader, and reboot", words);
  return fmt::format(
      R"(sudo sed -i 's/^GRUB_CMDLINE_LINUX="/&{} /' /etc/default/grub && sudo update-grub && sudo reboot)",
      words);
}

std::string distribution_of(const Host& host) {
  auto text = read(host, "/etc/os-release").value_or("");
  std::string all;
  for (const char* key : {"ID=", "ID_LIKE="})
    for (std::size_t at = 0; at < text.size();) {
      auto end = std::min(text.find('\n', at), text.size());
      auto line = text.substr(at, end - at);
      at = end + 1;
      if (line.starts_with(key)) all += " " + line.substr(std::string(key).size());
    }
  return all;
}

std::string newer_kernel(const Host& host) {
  auto name = distribution_of(host);
  if (name.find("ubuntu") != std::string::npos)
    return "sudo apt-get install --install-recommends linux-generic-hwe-$(. /etc/os-release; echo "
           "$VERSION_ID) && "
           "sudo reboot";
  if (name.find("debian") != std::string::npos)
    return "sudo apt-get install linux-image-$(dpkg --print-architecture) && sudo reboot";
  if (name.find("fedora") != std::string::npos || name.find("rhel") != std::string::npos)
    return "sudo dnf upgrade kernel && sudo reboot";
  if (name.find("arch") != std::string::npos) return "sudo pacman -Syu linux && sudo reboot";
  if (name.find("suse") != std::string::npos) return "sudo zypper install kernel-default && sudo reboot";
  return "install a newer kernel of your distribution and boot it";
}

Check check_kernel(const Host& host) {
  auto release = first_line(read(host, "/proc/sys/kernel/osrelease").value_or(""));
  int major = 0;
  int minor = 0;
  bool known = std::sscanf(release.c_str(), "%d.%d", &major, &minor) == 2;
  if (known && (major > 5 || (major == 5 && minor >= 15))) return {State::good, "kernel", release, ""};
  return {State::bad, "kernel",
          known ? release + "; 5.15 or newer is needed" : "its release can't be read from /proc",
          known ? newer_kernel(host) : "sudo mount -t proc proc /proc"};
}

/// The switches by which distributions turn user namespaces off.
Check check_switches(const Host& host) {
  for (const char* kind : {"user", "net", "mnt", "pid", "ipc", "uts"}) {
    auto name = fmt::format("user/max_{}_namespaces", kind);
    if (kernel_switch(host, name) == 0)
      return {State::bad, "namespaces", name + " is 0",
              set_switch(fmt::format("user.max_{}_namespaces=10000", kind))};
  }
  if (!is_there(host, "/proc/self/ns/user"))
    return {State::bad, "namespaces", "this kernel has no user namespaces", newer_kernel(host)};
  if (host.privileged) return {State::good, "namespaces", "allowed", ""};
  if (kernel_switch(host, "kernel/unprivileged_userns_clone") == 0)
    return {State::bad, "namespaces", "kernel.unprivileged_userns_clone is 0: only root may make them",
            set_switch("kernel.unprivileged_userns_clone=1")};
  if (kernel_switch(host, "kernel/apparmor_restrict_unprivileged_userns") == 1)
    return {State::weak, "namespaces",
            "AppArmor takes the capabilities of unprivileged user namespaces from programs without a profile",
            set_switch("kernel.apparmor_restrict_unprivileged_userns=0")};
  return {State::good, "namespaces", "allowed", ""};
}

/// Whether a module is in the kernel, loaded, or there to be loaded. Nothing where that can't be told.
std::optional<bool> has_module(const Host& host, const std::string& name) {
  auto loaded = read(host, "/proc/modules");
  if (loaded && ("\n" + *loaded).find("\n" + name + " ") != std::string::npos) return true;
  auto release = first_line(read(host, "/proc/sys/kernel/osrelease").value_or(""));
  auto places = "/lib/modules/" + release;
  auto builtin = read(host, places + "/modules.builtin");
  if (!builtin) return std::nullopt;
  if (builtin->find("/" + name + ".ko") != std::string::npos) return true;
  auto loadable = read(host, places + "/modules.dep");
  if (!loadable) return std::nullopt;
  return loadable->find("/" + name + ".ko") != std::string::npos &&
         kernel_switch(host, "kernel/modules_disabled").value_or(0) == 0;
}

std::string load_module(const Host& host, const std::string& names) {
  if (kernel_switch(host, "kernel/modules_disabled") == 1)
    return fmt::format("printf '%s\\n' {} | sudo tee /etc/modules-load.d/belljar.conf && sudo reboot", names);
  if (distribution_of(host).find("ubuntu") != std::string::npos)
    return fmt::format("sudo apt-get install linux-modules-extra-$(uname -r) && sudo modprobe -a {}", names);
  return newer_kernel(host);
}

/// The door: without the redirection nothing of a jar reaches it, and no jar is started.
Check check_firewall(const Host& host) {
  for (const char* name : {"nf_tables", "nft_redir"})
    if (has_module(host, name) == false)
      return {State::bad, "firewall", fmt::format("this kernel has no {}: a jar's door can't be made", name),
              load_module(host, "nf_tables nft_redir")};
  return {State::good, "firewall", "nf_tables", ""};
}

Check check_overlay(const Host& host) {
  auto known = read(host, "/proc/filesystems").value_or("");
  if (known.find("\toverlay\n") != std::string::npos || has_module(host, "overlay") != false)
    return {State::good, "overlay", "there for a writable system", ""};
  return {State::weak, "overlay", "this kernel has none: a jar's system is read-only",
          load_module(host, "overlay")};
}

Check check_landlock(const Host& host) {
  auto listed = first_line(read(host, "/sys/kernel/security/lsm").value_or(""));
  // It goes into a command line that is offered.
  if (listed.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_,") != std::string::npos) listed.clear();
  if (host.root.empty()) {
    auto version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version >= 1) return {State::good, "landlock", fmt::format("version {}", version), ""};
  } else if (listed.find("landlock") != std::string::npos) {
    return {State::good, "landlock", "on", ""};
  }
  return {State::weak, "landlock",
          "off in this kernel: belljar's own processes are confined by seccomp alone",
          boot_with(host, "lsm=landlock" + (listed.empty() ? std::string(",lockdown,yama,integrity,apparmor")
                                                           : "," + listed))};
}

/// Of version 2, in the group that this process is in.
Check check_control_groups(const Host& host) {
  if (!is_there(host, "/sys/fs/cgroup/cgroup.controllers")) {
    if (is_there(host, "/sys/fs/cgroup/memory") || is_there(host, "/sys/fs/cgroup/unified"))
      return {host.privileged ? State::good : State::weak, "control groups",
              host.privileged ? "version 1" : "version 1: limits of memory and processors need root",
              host.privileged ? "" : boot_with(host, "systemd.unified_cgroup_hierarchy=1")};
    return {State::weak, "control groups", "not mounted: limits of memory and processors can't be held",
            "sudo mount -t cgroup2 none /sys/fs/cgroup"};
  }
  if (host.privileged) return {State::good, "control groups", "version 2", ""};
  auto own = read(host, "/proc/self/cgroup").value_or("");
  auto at = own.find("0::");
  auto group = at == std::string::npos ? std::string() : first_line(own.substr(at + 3));
  // What a user's service manager was given, its groups below have.
  auto manager = group.find(".service/");
  auto place = "/sys/fs/cgroup" + group.substr(0, manager == std::string::npos ? group.size() : manager + 8);
  auto given = " " + first_line(read(host, place + "/cgroup.controllers").value_or("")) + " ";
  std::string missing;
  for (const char* name : {"cpu", "memory", "pids"})
    if (given.find(fmt::format(" {} ", name)) == std::string::npos) missing += fmt::format(" {}", name);
  if (missing.empty()) return {State::good, "control groups", "delegated to this user", ""};
  return {State::weak, "control groups", "not delegated to this user:" + missing,
          "sudo mkdir -p /etc/systemd/system/user@.service.d && printf '[Service]\\nDelegate=cpu cpuset io "
          "memory "
          "pids\\n' | sudo tee /etc/systemd/system/user@.service.d/delegate.conf && sudo systemctl "
          "daemon-reload && "
          "sudo systemctl restart user@$(id -u)   (ends your session's programs; then log in anew)"};
}

}  // namespace

std::string install_command(const Host& host, const std::string& packages) {
  auto name = distribution_of(host);
  if (name.find("debian") != std::string::npos || name.find("ubuntu") != std::string::npos)
    return "sudo apt-get install " + packages;
  if (name.find("fedora") != std::string::npos || name.find("rhel") != std::string::npos)
    return "sudo dnf install " + packages;
  if (name.find("arch") != std::string::npos) return "sudo pacman -S " + packages;
  if (name.find("suse") != std::string::npos) return "sudo zypper install " + packages;
  return "";
}

std::string missing_npm() {
  auto command = install_command({}, "npm");
  return command.empty() ? "install npm with your distribution's packages" : command;
}

std::vector<Check> check_host(const Host& host) {
  return {check_kernel(host),  check_switches(host), check_firewall(host),
          check_overlay(host), check_landlock(host), check_control_groups(host)};
}

}  // namespace belljar::cli
