// bench_jar_start [RUNS]: a jar from nothing to the end of `true` in it and of the jar, in milliseconds.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <poll.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "jar/namespaces/backend.h"

namespace belljar {
namespace {

using Clock = std::chrono::steady_clock;
double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Times {
  double start = 0, exec = 0, total = 0;
};

Result<Times> run_once(jar::Backend& backend, const jar::JarSpec& spec) {
  Times times;
  auto began = Clock::now();
  auto jar = TRY(backend.start(spec));
  times.start = milliseconds_since(began);
  (void)TRY(
      jar->exec({.arguments = {"true"}, .environment = {"PATH=/usr/bin:/bin"}, .working_directory = "/"}));
  while (!TRY(jar->next_exit())) {
    pollfd event{jar->events_fd(), POLLIN, 0};
    ::poll(&event, 1, 1000);
  }
  times.exec = milliseconds_since(began);
  TRY(jar->stop());
  times.total = milliseconds_since(began);
  return times;
}

/// Milliseconds of CPU that this process and its ended children have used.
std::pair<double, double> cpu_times() {
  auto of = [](int whose) {
    rusage use{};
    ::getrusage(whose, &use);
    auto milliseconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
    };
    return milliseconds(use.ru_utime) + milliseconds(use.ru_stime);
  };
  return {of(RUSAGE_SELF), of(RUSAGE_CHILDREN)};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int run(int runs) {
  char root[] = "/var/tmp/belljar-bench-XXXXXX";
  if (::mkdtemp(root) == nullptr) return 1;
  std::string base = root;
  std::string own(4096, 0);
  auto length = ::readlink("/proc/self/exe", own.data(), own.size());
  own.resize(static_cast<std::size_t>(length));
  jar::NamespaceBackend backend(own.substr(0, own.rfind('/')) + "/belljar-init");
  jar::JarSpec spec;
  spec.name = "bench";
  spec.state_directory = base + "/state";
  spec.cache_directory = base + "/cache";
  spec.home = "/home/bench";
  spec.user_name = "bench";
  spec.workspace = base + "/project";
  if (std::system(("mkdir -p " + spec.workspace).c_str()) != 0) return 1;
  std::vector<double> start, exec, total;
  std::pair<double, double> first_cpu;
  for (int i = 0; i < runs + 1; ++i) {
    auto times = run_once(backend, spec);
    if (!times) return std::fprintf(stderr, "%s\n", times.error().to_string().c_str()), 1;
    if (i == 0) {
      first_cpu = cpu_times();
      std::printf("first start %.2f ms, total %.2f ms\n", times->start, times->total);
      continue;
    }
    start.push_back(times->start);
    exec.push_back(times->exec);
    total.push_back(times->total);
  }
  auto last_cpu = cpu_times();
  std::printf("median of %d: start %.2f ms, exit of true %.2f ms, torn down %.2f ms\n", runs, median(start),
              median(exec), median(total));
  std::printf("fastest: start %.2f ms, exit of true %.2f ms, torn down %.2f ms\n",
              *std::min_element(start.begin(), start.end()), *std::min_element(exec.begin(), exec.end()),
              *std::min_element(total.begin(), total.end()));
  std::printf("CPU a start: %.2f ms outside, %.2f ms inside\n", (last_cpu.first - first_cpu.first) / runs,
              (last_cpu.second - first_cpu.second) / runs);
  return std::system(("rm -rf " + base).c_str()) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace belljar

int main(int argc, char** argv) { return belljar::run(argc > 1 ? std::atoi(argv[1]) : 50); }
