#include "keeper/written_by_jars.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "keeper/jars.h"

namespace belljar::keeper {

config::WrittenByJars written_by_jars(std::string jars_directory) {
  return [directory = std::move(jars_directory)]() -> Result<std::vector<std::string>> {
    auto jars = TRY(Jars::open(directory));
    auto places = TRY(jars.written_places());
    places.push_back(directory);
    return places;
  };
}

config::WrittenByJars written_by_jars_now(std::string jars_directory) {
  auto known = std::make_shared<std::optional<std::vector<std::string>>>();
  return [known, ask = written_by_jars(std::move(jars_directory))]() -> Result<std::vector<std::string>> {
    if (!*known) *known = TRY(ask());
    return **known;
  };
}

}  // namespace belljar::keeper
