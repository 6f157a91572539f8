// Server-side Table answers: the columns kubectl prints (Accept: application/json;as=Table).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/text/time.h"
#include "base/value/json.h"
#include "local/resources.h"

namespace trainctl::local {

// A meta.k8s.io/v1 Table. `include_object` is None, Metadata (default) or Object; columnDefinitions
// are present only if `with_columns` (a watch sends them once).
Json table_of(const ServedResource& resource,
              const std::vector<std::shared_ptr<const Json>>& objects, Time now,
              std::string_view include_object, bool with_columns);

}  // namespace trainctl::local
