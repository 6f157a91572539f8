// `check`, `env` and `convert` in front of a submit line.
#include "base/text/text.h"
#include "base/text/words.h"
#include "cli/commands.h"
#include "cli/commands/submit.h"
#include "cli/output/output.h"
#include "options/table/choices.h"
#include "work/create/manifest.h"

namespace trainctl::cli {

Status print_line(Context& context, const SubmitOptions& options) {
  if (!options.array.axes.empty()) {
    return Error{Code::usage, cat(word_of(options::k_lines, options.line_for), " is for one job"),
                 "leave out --array, and write one value in place of each {name}"};
  }
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
    return print_check(context, options.source, options.api, options.if_exists, options.output);
  }
  TRY_ASSIGN(work::Manifest manifest, work::build_manifest(context, options.source));
  if (converts) return print_conversion(context, manifest, options.output);
  return print_environment(context, std::move(manifest), "", options.output);
}

}  // namespace trainctl::cli
