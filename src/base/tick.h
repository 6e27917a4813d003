#pragma GCC system_header
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
inline void tick(const char* what) {
  static const char* t0 = getenv("T0"); if (!t0) return;
  timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
  char b[128]; int n = snprintf(b, sizeof b, "%8.3f %s\n", t.tv_sec * 1e3 + t.tv_nsec / 1e6 - atof(t0) * 1e3, what);
  (void)!write(9, b, n);
}
