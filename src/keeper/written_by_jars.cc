#include "keeper/written_by_jars.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "keeper/jars.h"

namespace belljar::keeper {

config::WrittenByJars written_by_jars(std::string jars_directory) {
  auto known = std::make_shared<std::optional<std::vector<std::string>>>();
  return [known, directory = std::move(jars_directory)]() -> Result<std::vector<std::string>> {
    if (*known) return **known;
    auto jars = TRY(Jars::open(directory));
    auto places = TRY(jars.workspaces());
    places.push_back(directory);
    *known = std::move(places);
    return **known;
  };
}

}  // namespace belljar::keeper
