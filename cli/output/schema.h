// JSON Schemas of what trainctl prints and of its configuration files, for editors and pipelines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/value/json.h"
#include "options/settings/settings.h"

namespace trainctl::cli {

// The names of all schemas: report, log-line, …, config.
std::vector<std::string> schema_names();

// The schema of that name (JSON Schema, draft 2020-12); nullopt when there is none. Fields may be
// added to reports, so that a schema of them takes unknown ones; that of a configuration, whose
// keys are those of `keys`, does not.
std::optional<Json> schema_of(const std::string& name, options::Keys& keys);

}  // namespace trainctl::cli
