// x86-64 kernels take system calls in two more ways, x32 numbers and int 0x80, with other numbers: a filter that knows only
// the first lets everything through by them. Makes FILE-… for each that was carried out, and FILE at last.  other_abis FILE
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __x86_64__
static long call_i386(long number, const void* first, long second, long third) {
  long result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(third) : "memory");
  return result;
}

enum { i386_open = 5, i386_unshare = 310, new_user = 0x10000000, x32 = 0x40000000 };

static void attempt(int way, char* low, const char* name) {
  pid_t child = fork();
  if (child != 0) {
    waitpid(child, NULL, 0);
    return;
  }
  const char* words[] = {"i386", "i386-unshared", "x32", "x32-unshared"};
  snprintf(low, 4096, "%s-%s", name, words[way]);
  long result = way == 0   ? call_i386(i386_open, low, O_CREAT | O_WRONLY, 0644)
                : way == 1 ? call_i386(i386_unshare, (void*)new_user, 0, 0)
                : way == 2 ? syscall(x32 + SYS_open, low, O_CREAT | O_WRONLY, 0644)
                           : syscall(x32 + SYS_unshare, new_user);
  if (result >= 0) close(open(low, O_CREAT | O_WRONLY, 0644));
  _exit(0);
}
#endif

int main(int count, char** arguments) {
  if (count != 2) return 2;
#ifdef __x86_64__
  char* low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (low == MAP_FAILED) return 1;
  for (int way = 0; way < 4; ++way) attempt(way, low, arguments[1]);
#endif
  close(open(arguments[1], O_CREAT | O_WRONLY, 0644));
  return 0;
}
