// Makes set-user-id files by every system call that takes a mode. set_id PREFIX
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int count, char** arguments) {
  if (count != 2) return 2;
  char path[9][64];
  for (int i = 0; i < 9; ++i) snprintf(path[i], sizeof path[i], "%.50s-%d", arguments[1], i);
  umask(0);
  close(open(path[0], O_CREAT | O_WRONLY, 06755));
  close(openat(AT_FDCWD, path[1], O_CREAT | O_WRONLY | O_EXCL, 06755));
  close(creat(path[2], 06755));
  struct open_how how = {.flags = O_CREAT | O_WRONLY, .mode = 06755};
  close((int)syscall(SYS_openat2, AT_FDCWD, path[3], &how, sizeof how));
  mknod(path[4], S_IFREG | 06755, 0);
  int file = open(path[5], O_CREAT | O_RDWR, 0755);
  fchmod(file, 06755);
  close(open(path[6], O_CREAT | O_RDWR, 0755));
  fchmodat(AT_FDCWD, path[6], 06755, 0);
  close(open(path[7], O_CREAT | O_RDWR, 0755));
  syscall(452 /* fchmodat2 */, AT_FDCWD, path[7], 06755, AT_SYMLINK_NOFOLLOW);
  file = open(".", O_TMPFILE | O_RDWR, 06755);
  char self[64];
  snprintf(self, sizeof self, "/proc/self/fd/%d", file);
  linkat(AT_FDCWD, self, AT_FDCWD, path[8], AT_SYMLINK_FOLLOW);
  return 0;
}
