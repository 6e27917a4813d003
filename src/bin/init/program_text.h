// The arguments, environment and directory of a program, as belljar wrote them into a sealed file.
#pragma once

#include <cstddef>

#include "jar/init_protocol.h"

namespace belljar::init {

class ProgramText {
 public:
  ProgramText() = default;
  ProgramText(const ProgramText&) = delete;
  ProgramText& operator=(const ProgramText&) = delete;
  ~ProgramText();

  /// 0 or an errno.
  int load(int file);
  /// PATH of the program's own environment.
  [[nodiscard]] const char* search_path() const;

  char** arguments = nullptr;
  char** environment = nullptr;
  char* working_directory = nullptr;

 private:
  bool split(const jar::ProgramTextHead& head, char* text);
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace belljar::init
