#include "jar/root/host_stamp.h"

#include "jar/root/witness_stamp.h"

namespace belljar::jar {

namespace {

/// Of /etc what follows packages or makes a difference to a jar, as the rest changes with every network.
constexpr const char* kWitnesses[] = {"/usr/bin",
                                      "/usr/sbin",
                                      "/usr/lib",
                                      "/usr/share",
                                      "/usr/local",
                                      "/usr/local/bin",
                                      "/usr/local/lib",
                                      "/var/lib/dpkg/status",
                                      "/var/lib/rpm",
                                      "/var/lib/pacman/local",
                                      "/etc/alternatives",
                                      "/etc/apt",
                                      "/etc/apt/sources.list.d",
                                      "/etc/ssl/certs",
                                      "/etc/ld.so.cache",
                                      "/etc/localtime",
                                      "/etc/gitconfig",
                                      "/etc/npmrc",
                                      "/etc/pip.conf",
                                      "/etc/environment"};

}  // namespace

std::string host_stamp(const std::vector<std::string>& directories, const std::string& salt) {
  WitnessStamp stamp;
  stamp.add(salt);
  for (const auto* path : kWitnesses)
    stamp.add_witness(path);
  for (const auto& directory : directories)
    stamp.add_witness(directory.c_str());
  return stamp.text();
}

}  // namespace belljar::jar
