// `trainctl version`: prints the program's version and the linked libraries, and on request what
// the cluster is.
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "cli/output/version_report.h"

namespace trainctl::cli {
namespace {

struct VersionOptions {
  bool client_only = false;  // kubectl asks its cluster unless this flag is given
  bool cluster = false;
  options::Format format = options::Format::text;
};

Status print_version(const VersionOptions& options, Context& context) {
  if (options.client_only && options.cluster) {
    return Error{Code::usage, "--client contacts no cluster, but --cluster-version does",
                 "leave out one of them"};
  }
  if (options.format != options::Format::text) {
    TRY_ASSIGN(const Json report, version_report(context, options.cluster));
    return print_data(context, options.format, report);
  }
  kube::ServedVersions served;
  if (options.cluster) {
    TRY_ASSIGN(served, served_apis(context));
  }
  TRY(context.console.out(cat("trainctl ", TRAINCTL_VERSION, "\n")));
  if (!options.cluster) return {};
  const std::string apis = join(served.api_versions, ", ");
  return context.console.out(cat("Kubernetes ", printable_line(served.kubernetes), " with ",
                                 apis.empty() ? "no API of training jobs" : printable_line(apis),
                                 "\n"));
}

}  // namespace

Runner define_version(const Definition& definition) {
  auto options = std::make_shared<VersionOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind("client", options->client_only);
  bind("output", options->format);
  bind("cluster-version", options->cluster);
  return [options](Context& context) { return print_version(*options, context); };
}

}  // namespace trainctl::cli
