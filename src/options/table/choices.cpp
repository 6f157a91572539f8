// Finds the kind that was typed.
#include "options/table/choices.h"

#include <string>
#include <vector>

#include "base/text/text.h"

namespace trainctl::options {

Result<const job::Kind*> kind_flag(const std::string& text) {
  if (text.empty()) return static_cast<const job::Kind*>(nullptr);
  if (const job::Kind* kind = job::find_kind(text)) return kind;
  std::vector<std::string> aliases;
  for (const job::Kind* kind : job::first_versions()) aliases.emplace_back(kind->alias);
  return Error{Code::usage, cat("there is no kind `", text, "`"),
               cat("the kinds are ", join(aliases, ", "))};
}

}  // namespace trainctl::options
