// What `rerun` does with a job that somebody else may have written: its user sees what would run as
// him, and agrees.
#pragma once

#include <string>

#include "cli/context.h"
#include "work/create/manifest.h"

namespace trainctl::cli {

// Tells what the pods of the job would run and may do, and, if it is another run of the stranger's
// job `name`, how that differs from the user's own last run of this name.
void show_program(Context& context, const std::string& name, const work::Manifest& manifest);
// Asks for consent; `yes`: it was given on the command line. Code::usage when nobody can be asked,
// or does not agree.
Status agree_to_program(Context& context, const std::string& name, bool yes);

// Refuses (Code::usage) a manifest that gives its pods rights on nodes, for lines that nobody has
// typed.
Status check_without_rights(const work::Manifest& manifest);

}  // namespace trainctl::cli
