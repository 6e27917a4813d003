// Reading a git configuration file without git: git itself must not be run on what a jar wrote. The syntax is
// that of git-config(1), "CONFIGURATION FILE"; where it is broken, reading goes on at the next line, as it is
// better to report too much than to stop at a planted error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belljar::jar {

struct GitSetting {
  std::string name;   ///< section and key in lower case, the subsection as it is: "filter.LFS.clean"
  std::string value;  ///< "true" for a key alone
};

/// At most the first megabyte is read.
std::vector<GitSetting> parse_git_config(std::string_view text);

/// Why this setting makes git run a program or read another file; empty when it doesn't.
std::string executes(const GitSetting& setting);

}  // namespace belljar::jar
