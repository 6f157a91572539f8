// Tells the user of a program that the line does not name: of the job to which it attaches,
// and of a stranger's job before it runs again, for which it takes consent.
#pragma once

#include <string>

#include "cli/context.h"
#include "work/create/manifest.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// Tells what the pods of the job would run and may do, and, if it is another run of the stranger's
// job `name`, how that differs from the user's own last run of this name.
void show_program(Context& context, const std::string& name, const work::Manifest& manifest);
// Asks for consent; `yes`: it was given on the command line. Code::usage when nobody can be asked,
// or does not agree.
Status agree_to_program(Context& context, const std::string& name, bool yes);

// Tells what the job is to which the line attaches: its footprint, and how it differs from the job
// that the line would have created. `deletes`: a flag would delete a job of the line's own. Returns
// whether both run the same.
bool tell_of_attached(Context& context, const work::FoundJob& job, const work::Manifest& line,
                      bool deletes);

// Refuses (Code::usage) a manifest that gives its pods rights on nodes, for lines that nobody has
// typed.
Status check_without_rights(const work::Manifest& manifest);

}  // namespace trainctl::cli
