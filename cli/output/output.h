// The -o flag: jobs and manifests as data on stdout.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "cli/jobs/find_job.h"
#include "job/status/events.h"

namespace trainctl::cli {

// Indented JSON, or YAML for every other format.
std::string as_text(const std::string& format, const Json& value);
// The same of what holds a job's words: as JSON none of them is a command to a CI system, while the
// value stays what it is.
std::string report_text(const Context& context, const std::string& format, const Json& value);

// "name", "json", "yaml" and "manifest" print; other formats are the caller's.
bool is_job_format(const std::string& format);

// One job's report (with events, where they were asked for), or its name or bare object.
Status print_job(Context& context, const std::string& format, const job::Kind& kind,
                 const Json& object, const job::JobState& state,
                 const std::vector<job::JobEvent>* events = nullptr);
Status print_jobs(Context& context, const std::string& format, const std::vector<FoundJob>& jobs,
                  const std::vector<job::JobState>& states);

// A manifest as it is: JSON, YAML (the default), or its name.
Status print_manifest(Context& context, const std::string& format, const job::Kind& kind,
                      const Json& manifest);

// A JobReport that was made already, or the name or object in it.
Status print_report(Context& context, const std::string& format, const job::Kind& kind,
                    const Json& report);

}  // namespace trainctl::cli
