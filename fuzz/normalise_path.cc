#include "policy/path.h"
#include "policy/policy.h"

using namespace belljar;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  auto text = as_text(BytesView(bytes, size));
  auto line = text.find('\n');  // a path, and after the first newline a glob
  auto path = policy::normalise_path(text.substr(0, line));
  if (!path) return 0;
  auto again = policy::normalise_path(*path);
  CHECK(again.ok() && *again == *path);
  auto readings = policy::readings_of(*path);
  CHECK((readings.decoded + "/").find("/../") == std::string::npos);
  CHECK((readings.bare + "/").find("/../") == std::string::npos);
  auto glob = policy::PathGlob::parse(line == std::string_view::npos ? text : text.substr(line + 1));
  if (!glob) return 0;
  CHECK(!glob->matches_every(readings) || glob->matches_any(readings));
  if (line == std::string_view::npos) CHECK(glob->matches_every(readings));
  return 0;
}
