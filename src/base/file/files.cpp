// Splits and joins paths as text.
#include "base/file/files.h"

namespace trainctl {

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string resolve_path(const std::string& directory, const std::string& path) {
  if (path.empty() || path[0] == '/' || directory.empty() || directory == ".") return path;
  return directory.back() == '/' ? directory + path : directory + '/' + path;
}

}  // namespace trainctl
