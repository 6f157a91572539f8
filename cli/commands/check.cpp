// `trainctl check`: says what would keep a job from running, before it is created.
#include <algorithm>
#include <iterator>
#include <memory>

#include "base/text/text.h"
#include "check/check_report.h"
#include "check/preflight.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/hint.h"
#include "cli/output/output.h"
#include "manifest/footprint.h"
#include "manifest/warnings.h"
#include "work/create/local_manifest.h"
#include "work/create/manifest.h"
#include "work/create/submission.h"

namespace trainctl::cli {
namespace {

struct CheckOptions {
  std::vector<std::string> files;
  std::vector<std::string> flagged;
  options::Format output = options::Format::text;
  bool allow_unchecked = false;
};

// Another job of that name keeps this one from being created, unless the line says what to do.
void add_namesake(const Json& namesake, work::IfExists if_exists, job::Findings& findings) {
  const std::string name = text_at(namesake, "/metadata/name");
  const bool is_expected = if_exists != work::IfExists::fail;
  findings.push_back(
      {is_expected ? job::Severity::passes : job::Severity::fails, cat("name ", name),
       is_expected ? "a job of this name exists, as --if-exists expects"
                   : "a job of this name exists",
       is_expected ? "" : "choose another --name, or --if-exists=replace|attach|skip"});
}

Status run_check(const CheckOptions& options, Context& context) {
  work::ManifestSource source;
  TRY_ASSIGN(source.file, only_manifest("check", options.files, options.flagged));
  source.ignores_others = true;
  return print_check(context, source, {work::Api::v1, ""}, work::IfExists::fail, options.output,
                     options.allow_unchecked);
}

}  // namespace

Status print_check(Context& context, const work::ManifestSource& source,
                   const work::ApiChoice& typed, work::IfExists if_exists, options::Format output,
                   bool allow_unchecked) {
  TRY_ASSIGN(const work::ApiChoice choice, work::api_choice(context, typed.api, typed.runtime));
  TRY_ASSIGN(work::Manifest rendered, work::build_manifest(context, source));
  if (context.embedded) TRY(work::check_runs_here(*rendered.kind, rendered.object, context.files));
  for (const std::string& text : job::manifest_warnings(*rendered.kind, rendered.object)) {
    context.console.warn(text);
  }
  const work::LimitedCalls limited(context);
  TRY_ASSIGN(const auto submission,
             work::Submission::prepare(context, std::move(rendered), choice, true));
  context.console.notice(submission.footprint());
  const work::Manifest& manifest = submission.manifest();
  TRY_ASSIGN(work::Preflight checked, work::preflight(context, manifest, work::Before::decision));
  if (checked.unserved) return *checked.unserved;
  job::Findings findings = std::move(checked.findings);
  if (checked.namesake) add_namesake(*checked.namesake, if_exists, findings);
  view::put_worst_last(findings);
  if (output == options::Format::json) {
    const Json report = view::check_report(viewer_of(context), *manifest.kind, manifest.ns,
                                           manifest.object, findings);
    TRY(print_data(context, output, report));
    return work::outcome_of(findings, allow_unchecked);
  }
  TRY(context.console.out(view::check_text(viewer_of(context), findings)));
  return work::summary_of(findings, allow_unchecked);
}

Runner define_check(const Definition& definition) {
  auto options = std::make_shared<CheckOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "FILE", options->files, 0, 1,
                  "manifest of a job, or a submit line; - is stdin");
  bind("filename", options->flagged);
  bind("output", options->output);
  bind("allow-unchecked", options->allow_unchecked);
  return [options](Context& context) { return run_check(*options, context); };
}

}  // namespace trainctl::cli
