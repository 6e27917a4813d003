#include "cli/question.h"

#include <cstdio>
#include <iostream>

#include <fmt/core.h>
#include <unistd.h>

namespace belljar::cli {

bool can_ask() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

bool ask_yes(const std::string& question) {
  fmt::print(stderr, "{}", question);
  std::fflush(stderr);
  std::string line;
  if (!std::getline(std::cin, line)) return false;
  return line == "y" || line == "Y" || line == "yes" || line == "Yes";
}

}  // namespace belljar::cli
