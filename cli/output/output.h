// The -o flag: jobs and manifests as data on stdout.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/context.h"
#include "options/table/choices.h"
#include "status/events.h"
#include "work/create/manifest.h"
#include "work/find/find_job.h"

namespace trainctl::cli {

// The name of a file that means stdout.
inline constexpr std::string_view k_stdout = "-";

// Prints indented JSON, or YAML for every other format.
Status print_data(Context& context, options::Format format, const Json& value);

// True for the formats that this file prints; the caller prints text and wide.
bool is_job_format(options::Format format);

// Prints one job's report (with events if requested), or its name or bare object.
Status print_job(Context& context, options::Format format, const job::Kind& kind,
                 const Json& object, const job::JobState& state,
                 const std::vector<job::JobEvent>* events = nullptr);
// The reports of jobs, in their order.
std::vector<Json> job_reports(const std::vector<work::FoundJob>& jobs,
                              const std::vector<job::JobState>& states);
Status print_jobs(Context& context, options::Format format, const std::vector<work::FoundJob>& jobs,
                  const std::vector<job::JobState>& states);

// Prints a manifest as JSON, YAML (the default), or its name.
Status print_manifest(Context& context, options::Format format, const job::Kind& kind,
                      const Json& manifest);

// Prints documents as kubectl reads them: YAML one after another, JSON as a List of several.
Status print_documents(Context& context, options::Format format,
                       const std::vector<Json>& documents);
// Prints a manifest with its config maps, secrets and runtimes in the order of their creation, or
// their names.
Status print_documents(Context& context, options::Format format, const work::Manifest& manifest);

// Prints an existing JobReport, or the name or object in it.
Status print_report(Context& context, options::Format format, const job::Kind& kind,
                    const Json& report);

}  // namespace trainctl::cli
