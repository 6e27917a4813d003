// bench_undo_start WORKSPACE [RUNS]: what the checkpoint of a start costs in an unchanged workspace, and in
// one where a file has changed each time; microseconds, in a store below the working directory that is
// deleted again.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

#include "undo/checkpoint.h"

namespace belljar {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds_of(const std::string& jar, const std::string& workspace) {
  auto began = Clock::now();
  auto saved = undo::save_before_start(jar, {.workspace = workspace, .why = "a measurement"});
  if (!saved) {
    std::fprintf(stderr, "%s\n", saved.error().to_string().c_str());
    std::exit(1);
  }
  return std::chrono::duration<double, std::micro>(Clock::now() - began).count();
}

void print(const char* what, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  std::printf("%-20s median %9.1f us, p95 %9.1f us\n", what, times[times.size() / 2],
              times[times.size() * 95 / 100]);
}

int main_of(const std::string& workspace, int runs) {
  std::string jar = "bench-undo-jar";
  std::filesystem::create_directories(jar);
  std::printf("%-20s %16.1f us\n", "first", microseconds_of(jar, workspace));
  ::sleep(3);  // what changed just before it was read is read again
  std::vector<double> same;
  std::vector<double> changed;
  for (int n = 0; n < runs; ++n)
    same.push_back(microseconds_of(jar, workspace));
  auto file = workspace + "/bench-undo-changed";
  for (int n = 0; n < runs / 10 + 1; ++n) {
    { std::ofstream(file) << n; }
    changed.push_back(microseconds_of(jar, workspace));
  }
  std::filesystem::remove(file);
  std::filesystem::remove_all(jar);
  print("unchanged", std::move(same));
  print("one file changed", std::move(changed));
  return 0;
}

}  // namespace
}  // namespace belljar

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return belljar::main_of(std::filesystem::canonical(argv[1]), argc > 2 ? std::atoi(argv[2]) : 200);
}
