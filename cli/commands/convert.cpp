// `trainctl convert`: a job of the v1 operator as a TrainJob of Kubeflow Trainer v2.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "manifest/flags/values.h"
#include "options/table/choices.h"
#include "trainer/conversion.h"
#include "work/create/manifest.h"

namespace trainctl::cli {
namespace {

struct ConvertOptions {
  std::vector<std::string> files;
  std::vector<std::string> flagged;
  options::Format output = options::Format::text;
};

void warn_of_losses(Console& console, const std::vector<job::Loss>& losses) {
  for (const job::Loss& loss : losses) {
    console.warn(cat(loss.pointer, " is not carried over: ", loss.why,
                     loss.instead.empty() ? "" : cat("; ", loss.instead)));
  }
}

// A job of the cluster has a manifest, but is no file.
Status check_file(Context& context, const std::string& word) {
  const bool is_name = job::check_object_name(word) && word.find('.') == std::string::npos;
  if (!is_name || context.files.exists(word)) return {};
  return Error{Code::usage, cat("there is no file ", word),
               cat("to convert a job: trainctl get ", word, " -o manifest | trainctl convert -")};
}

Status run_convert(const ConvertOptions& options, Context& context) {
  work::ManifestSource source;
  TRY_ASSIGN(source.file, only_manifest("convert", options.files, options.flagged));
  source.ignores_others = true;
  TRY(check_file(context, source.file));
  TRY_ASSIGN(const work::Manifest manifest, work::build_manifest(context, source));
  return print_conversion(context, manifest, options.output);
}

}  // namespace

Status print_conversion(Context& context, const work::Manifest& manifest, options::Format output) {
  TRY_ASSIGN(const job::Conversion result, job::convert(*manifest.kind, manifest.object, {}));
  warn_of_losses(context.console, result.losses);
  if (!result.warning.empty()) context.console.warn(result.warning);
  if (result.runtime) {
    context.console.notice(
        "the TrainingRuntime holds fields that a TrainJob cannot have: create both");
  }
  std::vector<Json> documents;
  for (const job::DependentObject& companion : manifest.companions)
    documents.push_back(companion.object);
  if (result.runtime) documents.push_back(*result.runtime);
  documents.push_back(result.job);
  return print_documents(context, output, documents);
}

Runner define_convert(const Definition& definition) {
  auto options = std::make_shared<ConvertOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "FILE", options->files, 0, 1,
                  "manifest of a job, or a submit line; - is stdin");
  bind("filename", options->flagged);
  bind("output", options->output);
  return [options](Context& context) { return run_convert(*options, context); };
}

}  // namespace trainctl::cli
