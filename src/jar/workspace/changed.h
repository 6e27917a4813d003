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

/// The content of a regular file, at most `limit` bytes of it; empty for anything else.
std::string read_some(int directory, const std::string& name, std::size_t limit = 1U << 20);

/// Whether the file is longer than read_some() reads.
bool is_longer(int directory, const std::string& name, std::size_t limit = 1U << 20);

/// The names in a directory below, at most `limit`.
std::vector<std::string> names_in(int directory, const std::string& name, std::size_t limit = 4096);

}  // namespace belljar::jar
