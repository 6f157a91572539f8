// ".." is refused even where it would stay inside: the meaning of a path must not depend on links.
#include "base/file/placed_path.h"

#include <utility>

#include "base/text/text.h"

namespace trainctl {

Error path_refusal(std::string_view path, std::string_view why) {
  return {Code::refused, cat(printable_line(path), ": ", why)};
}

Result<std::vector<std::string>> steps_in(const std::string& path) {
  if (path.starts_with('/')) return path_refusal(path, "it is an absolute path");
  if (path.find('\0') != std::string::npos) return path_refusal(path, "its name holds a NUL");
  std::vector<std::string> names;
  for (std::string& name : split(path, '/')) {
    if (name.empty() || name == ".") continue;
    if (name == "..") return path_refusal(path, "it leads out of the directory");
    names.push_back(std::move(name));
  }
  return names;
}

bool stays_inside(const std::string& target, std::size_t depth) {
  if (target.empty() || target.starts_with('/')) return false;
  bool down = false;
  for (const std::string& name : split(target, '/')) {
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      down = true;
    } else if (down || depth-- == 0) {
      return false;
    }
  }
  return true;
}

}  // namespace trainctl
