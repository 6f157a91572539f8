// `check`, `env` and `convert` in front of a submit line.
#include "base/text/text.h"
#include "base/text/words.h"
#include "cli/commands.h"
#include "cli/commands/submit.h"
#include "cli/output/output.h"
#include "options/table/choices.h"
#include "work/create/manifest.h"
#include "work/create/submission.h"

namespace trainctl::cli {

Status print_line(Context& context, const SubmitOptions& options) {
  if (!options.array.axes.empty()) {
    return Error{Code::usage, cat(word_of(options::k_lines, options.line_for), " is for one job"),
                 "leave out --array, and write one value in place of each {name}"};
  }
  work::ManifestSource source = options.source;
  source.ignores_others = true;
  const bool converts = options.line_for == options::LineFor::convert;
  const bool has_format = options.output == options::Format::text ||
                          options.output == options::Format::json ||
                          (converts && options.output == options::Format::yaml);
  if (!has_format) {
    return Error{Code::usage,
                 cat(word_of(options::k_lines, options.line_for), " has no format `",
                     word_of(options::k_all_formats, options.output), "`"),
                 "use -o json, or leave it out"};
  }
  if (options.line_for == options::LineFor::check) {
    return print_check(context, source, options.api, options.if_exists, options.output);
  }
  TRY_ASSIGN(work::Manifest manifest, work::build_manifest(context, source));
  if (converts) return print_conversion(context, manifest, options.output);
  TRY_ASSIGN(const auto choice, work::api_choice(context, options.api.api, options.api.runtime));
  TRY_ASSIGN(const auto submission,
             work::Submission::prepare(context, std::move(manifest), choice, false));
  return print_environment(context, submission.manifest(), "", options.output);
}

}  // namespace trainctl::cli
