#include "bin/init/terminal.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace belljar::init {

Terminal::~Terminal() {
  if (master >= 0) ::close(master);
  if (slave >= 0) ::close(slave);
}

int Terminal::open(std::uint16_t rows, std::uint16_t columns) {
  master = ::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (master < 0) return errno;
  int unlocked = 0;
  if (::ioctl(master, TIOCSPTLCK, &unlocked) < 0) return errno;
  slave = ::ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (slave < 0) return errno;
  // What a terminal emulator sets, and UTF-8 input, so that erasing removes whole characters.
  termios settings{};
  if (::tcgetattr(slave, &settings) == 0) {
    settings.c_iflag |= IUTF8;
    settings.c_cc[VERASE] = 0x7f;
    ::tcsetattr(slave, TCSANOW, &settings);
  }
  winsize size{rows, columns, 0, 0};
  ::ioctl(slave, TIOCSWINSZ, &size);
  return 0;
}

int Terminal::take_master() { return std::exchange(master, -1); }

}  // namespace belljar::init
