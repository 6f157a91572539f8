// Finds a world by its name.
#include "cases/worlds.h"

#include <fstream>
#include <iterator>

#include "base/text.h"

namespace trainctl::testing {

Result<std::vector<Exchange>> read_world(const std::string& name) {
  const std::string path = cat(TRAINCTL_CASES, "/worlds/", name, ".yaml");
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{Code::usage, cat("there is no world called ", name), ""};
  return read_exchanges(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

}  // namespace trainctl::testing
