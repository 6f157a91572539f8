// Completes commands in hints so that they can be typed unchanged.
#pragma once

#include <string>

#include "cli/context.h"
#include "view/viewer.h"

namespace trainctl::cli {

// Inserts the flags that chose cluster and namespace behind each `trainctl COMMAND` in `text` that
// reads or deletes a job, so that the command applies to the same job. Secrets are omitted. If the
// embedded cluster is too small, says what to do about this machine.
std::string with_place(const std::string& text, const Context& context);

// The user of this command, now. The context must outlive it.
view::Viewer viewer_of(const Context& context);

}  // namespace trainctl::cli
