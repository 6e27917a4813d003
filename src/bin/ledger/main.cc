// belljar-ledger: the process that keeps the record.
#include <signal.h>

#include "base/log.h"
#include "ledger/server.h"

int main() {
  using namespace belljar;
  ::signal(SIGPIPE, SIG_IGN);  // nobody need be left to read what it complains of
  log::start("ledger");
  auto served = ledger::serve(os::Fd(3));
  if (served) return 0;
  log::warning("{}", served.error().to_string());
  return 1;
}
