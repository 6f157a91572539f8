// `trainctl template`: the manifests that submit-KIND starts from.
#include <memory>

#include "base/text/table.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "manifest/templates.h"
#include "trainer/conversion.h"

namespace trainctl::cli {
namespace {

struct TemplateOptions {
  std::vector<std::string> words;  // ACTION [KIND]
  bool force = false;
  bool runtime = false;
};

Status list(Context& context) {
  Table table({"KIND", "ORIGIN", "MAKES"});
  for (const job::Kind& kind : job::operator_kinds()) {
    TRY_ASSIGN(const auto found, job::find_template(context.files, context.environment, kind));
    const auto manifest = job::read_template(found, kind);
    if (!manifest) context.console.warn(manifest.error().message);
    table.add({{std::string(kind.alias)},
               {found.origin},
               {manifest ? std::string(kind.summary) : "nothing: invalid template"}});
  }
  for (const std::string& path : job::stray_templates(context.files, context.environment)) {
    context.console.warn(cat(path, " matches no kind: name it after one, as in pytorchjob.yaml"));
  }
  return context.console.out(table.text(context.console));
}

Status show(Context& context, const job::Kind& kind) {
  TRY_ASSIGN(const auto found, job::find_template(context.files, context.environment, kind));
  context.console.notice(found.origin);
  return context.console.out(found.text);
}

Status eject(Context& context, const job::Kind& kind, bool force) {
  const std::string path = cat(job::template_directories(context.environment).front(), "/",
                               job::template_file_name(kind));
  if (context.files.exists(path) && !force) {
    return Error{Code::usage, path + " already exists", "--force overwrites it"};
  }
  const std::string_view text = job::embedded_template(kind);
  TRY(context.files.write(path, text, Readers::owner_if_new));
  context.console.notice("submit-" + std::string(kind.alias) + " now starts from this file");
  return context.console.out(path + '\n');
}

// For a cluster whose Trainer has no runtime that fits: jobs name it with --runtime.
Status eject_runtime(Context& context, const job::Kind& kind) {
  TRY_ASSIGN(const auto found, job::find_template(context.files, context.environment, kind));
  TRY_ASSIGN(const Json manifest, job::read_template(found, kind));
  TRY_ASSIGN(const Json runtime, job::make_template_runtime(kind, manifest));
  context.console.notice(cat("apply the runtime with kubectl; jobs name it with --runtime ",
                             text_at(runtime, "/metadata/name")));
  return print_data(context, options::Format::yaml, runtime);
}

Status run_template(const TemplateOptions& options, Context& context) {
  const std::string& action = options.words.front();
  if (action == "list" && options.words.size() == 1) return list(context);
  if (action != "show" && action != "eject") {
    return Error{Code::usage, cat("template has no action `", join(options.words, " "), "`"),
                 "trainctl template list, show KIND or eject KIND"};
  }
  if (options.words.size() != 2) {
    return Error{Code::usage, "no kind given", cat("trainctl template ", action, " pytorch")};
  }
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.words[1]));
  if (job::embedded_template(*kind).empty()) {
    return Error{Code::usage, cat(kind->resource.kind, "s are not made from a template"),
                 "trainctl template list shows the kinds with a template"};
  }
  if (options.runtime && action == "show") {
    return Error{Code::usage, "--runtime works with eject, not with show",
                 cat("trainctl template eject --runtime ", kind->alias)};
  }
  if (options.runtime) return eject_runtime(context, *kind);
  return action == "show" ? show(context, *kind) : eject(context, *kind, options.force);
}

}  // namespace

Runner define_template(const Definition& definition) {
  auto options = std::make_shared<TemplateOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Templates", "list|show|eject [KIND]", options->words, 1, 2, "what to do");
  bind("force", options->force);
  bind("runtime", options->runtime);
  return [options](Context& context) { return run_template(*options, context); };
}

}  // namespace trainctl::cli
