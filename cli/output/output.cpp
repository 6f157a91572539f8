// Prints reports and manifests in the requested format.
#include "cli/output/output.h"

#include "base/value/yaml.h"
#include "follow/report.h"

namespace trainctl::cli {
namespace {

// A manifest with a generated name has only the prefix.
std::string name_of(const Json& object) {
  return text_at(object, "/metadata/name", text_at(object, "/metadata/generateName"));
}

}  // namespace

Status print_data(Context& context, options::Format format, const Json& value) {
  constexpr int k_indent = 2;
  return context.console.out_json(format == options::Format::json ? dump(value, k_indent) + '\n'
                                                                  : to_yaml(value));
}

bool is_job_format(options::Format format) {
  return format == options::Format::name || format == options::Format::json ||
         format == options::Format::yaml || format == options::Format::manifest;
}

Status print_job(Context& context, options::Format format, const job::Kind& kind,
                 const Json& object, const job::JobState& state,
                 const std::vector<job::JobEvent>* events) {
  return print_report(context, format, kind,
                      job::job_report(kind, object, state, {nullptr, events}));
}

Status print_report(Context& context, options::Format format, const job::Kind& kind,
                    const Json& report) {
  if (format == options::Format::name || format == options::Format::manifest) {
    return print_manifest(context, format, kind, *find(report, "/object"));
  }
  return print_data(context, format, report);
}

std::vector<Json> job_reports(const std::vector<work::FoundJob>& jobs,
                              const std::vector<job::JobState>& states) {
  std::vector<Json> reports;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    reports.push_back(job::job_report(*jobs[i].kind, jobs[i].object, states[i]));
  }
  return reports;
}

Status print_jobs(Context& context, options::Format format, const std::vector<work::FoundJob>& jobs,
                  const std::vector<job::JobState>& states) {
  if (format == options::Format::json || format == options::Format::yaml) {
    return print_data(context, format, job::job_report_list(job_reports(jobs, states)));
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (format == options::Format::manifest && i > 0) TRY(context.console.out("---\n"));
    TRY(print_manifest(context, format, *jobs[i].kind, jobs[i].object));
  }
  return {};
}

Status print_manifest(Context& context, options::Format format, const job::Kind& kind,
                      const Json& manifest) {
  if (format == options::Format::name) {
    return context.console.out(work::resource_name(kind, name_of(manifest)) + '\n');
  }
  return print_data(context, format, manifest);
}

Status print_documents(Context& context, options::Format format,
                       const std::vector<Json>& documents) {
  if (format == options::Format::json && documents.size() > 1) {
    return print_data(context, format,
                      {{"apiVersion", "v1"}, {"kind", "List"}, {"items", Json(documents)}});
  }
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (i > 0) TRY(context.console.out("---\n"));
    TRY(print_data(context, format, documents[i]));
  }
  return {};
}

Status print_documents(Context& context, options::Format format, const work::Manifest& manifest) {
  if (format == options::Format::name) {
    for (const job::DependentObject& companion : manifest.companions) {
      TRY(context.console.out(companion.title() + '\n'));
    }
    return print_manifest(context, format, *manifest.kind, manifest.object);
  }
  std::vector<Json> documents;
  for (const job::DependentObject& companion : manifest.companions)
    documents.push_back(companion.object);
  documents.push_back(manifest.object);
  return print_documents(context, format, documents);
}

}  // namespace trainctl::cli
