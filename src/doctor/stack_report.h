// Shows what the processes of a silent job wait for, on one screen and as data.
#pragma once

#include <string>

#include "base/value/json.h"
#include "doctor/diagnosis.h"
#include "doctor/probe_processes.h"
#include "view/viewer.h"

namespace trainctl::view {

// The verdict, a line for each suspect, a line for each group of the others, the next command.
std::string inside_screen(const work::InsideLook& look, const job::Diagnosis& diagnosis,
                          const Viewer& viewer);
Json inside_report(const work::InsideLook& look, const job::Diagnosis& diagnosis);
// The same in at most 64 KiB, for a report of which it is a part: leaves out stacks, those of the
// suspects last, then members. Its "doubt" says so.
Json bounded_inside_report(const work::InsideLook& look, const job::Diagnosis& diagnosis);

}  // namespace trainctl::view
