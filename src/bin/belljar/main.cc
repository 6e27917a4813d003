// belljar: the command line.
#include "base/log.h"
#include "cli/commands.h"

int main(int argc, char** argv) {
  belljar::log::start("belljar");
  return belljar::cli::run_cli(argc, argv);
}
