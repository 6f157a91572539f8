// Recognises manifests that are templates of another program, such as Helm or envsubst.
#pragma once

#include <string_view>

#include "base/result.h"
#include "base/value/json.h"

namespace trainctl::job {

// Refuses a file with {{ … }}, ${NAME} or $NAME in a name, image, count or amount of its job, or in
// place of any value where it is not YAML (`job` is then null). A program's words may hold them.
Status check_no_template(std::string_view text, std::string_view file, const Json& job);

}  // namespace trainctl::job
