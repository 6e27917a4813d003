// A stamp over files and directories whose change tells of more: a directory changes when something in it is
// added, removed or renamed, packages change their databases.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace belljar::jar {

class WitnessStamp {
 public:
  void add(std::uint64_t number) { stamp_ = (stamp_ ^ number) * 0x9e3779b97f4a7c15ULL + (stamp_ >> 31); }
  void add(std::string_view text);
  /// What is at this path, through links, by one system call; that nothing is there counts, too.
  void add_witness(const char* path);

  /// 16 hexadecimal digits.
  [[nodiscard]] std::string text() const;

 private:
  std::uint64_t stamp_ = 0xcbf29ce484222325ULL;
};

}  // namespace belljar::jar
