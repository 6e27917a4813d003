// Headers: the fields of a message in the order they came. RFC 9110 section 5.
//
// What is in here is canonical: names lower case, values without surrounding white space, no control
// characters. Parsers see to it; code that adds a field checks with is_token and is_field_value where the
// text is not its own.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace belljar::http {

struct Header {
  std::string name;  ///< lower case
  std::string value;
  bool operator==(const Header&) const = default;
};

class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> fields);

  /// Appends; the name is lower-cased.
  void add(std::string_view name, std::string_view value);
  /// Replaces every field of that name by one.
  void set(std::string_view name, std::string_view value);
  /// Removes every field of that name; how many there were.
  std::size_t remove(std::string_view name);

  [[nodiscard]] bool has(std::string_view name) const { return count(name) > 0; }
  [[nodiscard]] std::size_t count(std::string_view name) const;
  /// The first value of that name; nullptr when there is none. Borrowed until the next change.
  [[nodiscard]] const std::string* find(std::string_view name) const;
  /// All elements of the comma-separated list that the fields of that name make up, trimmed, in order, empty
  /// ones left out. Commas inside quoted strings do not separate.
  [[nodiscard]] std::vector<std::string> elements(std::string_view name) const;
  /// Whether such a list contains the token, compared without case.
  [[nodiscard]] bool lists(std::string_view name, std::string_view token) const;

  [[nodiscard]] const std::vector<Header>& fields() const { return fields_; }
  [[nodiscard]] std::size_t size() const { return fields_.size(); }
  [[nodiscard]] bool empty() const { return fields_.empty(); }
  [[nodiscard]] auto begin() const { return fields_.begin(); }
  [[nodiscard]] auto end() const { return fields_.end(); }
  bool operator==(const Headers&) const = default;

 private:
  std::vector<Header> fields_;
};

/// Removes what concerns one connection only: Connection and every field it names, Keep-Alive,
/// Proxy-Connection, Proxy-Authenticate, Proxy-Authorization, TE, Trailer, Transfer-Encoding, Upgrade,
/// HTTP2-Settings. RFC 9110 section 7.6.1. Fields that a message needs (Host, Content-*, Cookie,
/// Authorization) stay even when named by Connection: a sender must not be able to make us drop them.
void remove_hop_by_hop(Headers& headers);

bool is_token(std::string_view text);        ///< RFC 9110 section 5.6.2, not empty
bool is_field_value(std::string_view text);  ///< visible, space, tab and 0x80–0xFF; RFC 9110 section 5.5
bool equals_ignoring_case(std::string_view left, std::string_view right);  ///< ASCII
std::string lower_case(std::string_view text);                             ///< ASCII

}  // namespace belljar::http
