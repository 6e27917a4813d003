// Whether a file has changed since a jar started, and its bounded content; by descriptor and through no link.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <time.h>

namespace belljar::jar {

class Changed {
 public:
  explicit Changed(timespec since) : since_(since) {}

  [[nodiscard]] bool is_since(const struct stat& status) const;
  /// The state of an entry, when there is one.
  [[nodiscard]] static std::optional<struct stat> look(int directory, const std::string& name);
  /// Whether the entry exists and has changed.
  [[nodiscard]] bool operator()(int directory, const std::string& name) const;

 private:
  timespec since_;
};

/// Reads files as long as they are not too many: what a jar can make in no time, sparse files without end,
/// must not take hours to read.
class Reading {
 public:
  static constexpr std::size_t kMostOfAFile = 1U << 20;
  static constexpr std::size_t kMost = 256U << 20;

  explicit Reading(std::size_t most = kMost) : left_(most) {}

  /// The beginning of a regular file; empty for anything else, and once too much was read.
  std::string read_some(int directory, const std::string& name);
  /// Whether something was not read for that reason.
  [[nodiscard]] bool is_exhausted() const { return exhausted_; }

 private:
  std::size_t left_;
  bool exhausted_ = false;
};

/// Whether the file is longer than what is read of it.
bool is_longer(int directory, const std::string& name);

/// The names in a directory below, at most so many.
inline constexpr std::size_t kMaxNames = 4096;
std::vector<std::string> names_in(int directory, const std::string& name);

}  // namespace belljar::jar
