// Paths as rules see them: every reading that a server could give a normalised path, and the globs of rules.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace belljar::policy {

inline constexpr std::size_t kMaxPath = 16U << 10;
inline constexpr std::size_t kMaxGlob = 1024;

/// How servers may read one normalised path. A server that decodes %2F (again, or twice) sees other segments
/// than one that doesn't, so an allow rule with paths must match every reading and a deny rule matches any.
struct PathReadings {
  std::string_view literal;  ///< borrowed
  std::string decoded;       ///< percent-decoding repeated until nothing changes, "\" as "/"
  std::string bare;          ///< decoded, without the ";parameters" of its segments
};
PathReadings readings_of(std::string_view normalised_path);

/// A glob over paths: "*" is any text within a segment, "**" any text across segments; "/**/" is also "/" and
/// a
/// "/**" at the end is also nothing, so that "/repos/acme/**" covers "/repos/acme" itself. Matching takes
/// time linear in the path for a given glob: no backtracking.
class PathGlob {
 public:
  /// Takes a glob in any spelling that normalise_path takes; invalid_argument otherwise.
  static Result<PathGlob> parse(std::string_view text);
  [[nodiscard]] bool matches_literally(std::string_view path) const { return matches(tokens_, path); }
  /// However a server reads the path, the glob covers it: what an allow rule asks.
  [[nodiscard]] bool matches_every(const PathReadings& path) const;
  /// Some server could read a path here that the glob covers: what a deny rule asks.
  [[nodiscard]] bool matches_any(const PathReadings& path) const;
  /// The normalised glob, as Rule::paths holds it.
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  enum class Kind : unsigned char { literal, within, across };
  struct Token {
    Kind kind = Kind::literal;
    char literal = 0;
    bool may_end = false;   ///< a path may end before this token, the "/" of a last "/**"
    bool may_leap = false;  ///< having read this "/", the "**/" after it may be left out
  };
  using Tokens = std::vector<Token>;
  static Tokens compile(std::string_view text, char star);
  static void enter(const Tokens& tokens, std::vector<bool>& states, std::size_t state);
  static bool matches(const Tokens& tokens, std::string_view path);

  std::string text_;
  Tokens tokens_;
  Tokens decoded_tokens_;  ///< for readings that are decoded
};

}  // namespace belljar::policy
