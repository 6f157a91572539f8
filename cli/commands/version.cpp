// `trainctl version`: prints the program's version and the linked libraries, and on request what
// the cluster is.
#include <array>
#include <memory>

#include "base/embedded.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "kube/client/discovery.h"

namespace trainctl::cli {
namespace {

std::string_view fact(std::string_view name) {
  for (const EmbeddedFile& file : program_facts::embedded_files()) {
    if (file.name == name) return trim(file.content);
  }
  return "";
}

// Each line of the list is KIND PACKAGE VERSION LICENCE.
Json linked_libraries() {
  Json list = Json::array();
  for (const std::string& line : written_lines(fact("linked-libraries.txt"))) {
    const std::vector<std::string> row = split(line, ' ');
    if (row.size() < 4) continue;
    list.push_back({{"name", row[1]}, {"version", row[2]}, {"licence", row[3]}});
  }
  return list;
}

Json version_report() {
  Json report = {{"apiVersion", "trainctl/v1"}, {"kind", "Version"}, {"version", TRAINCTL_VERSION}};
  if (const auto commit = fact("commit.txt"); !commit.empty()) report["commit"] = commit;
  // A program that is not static has its libraries from the system, which knows their versions.
  if (Json libraries = linked_libraries(); !libraries.empty()) {
    report["libraries"] = std::move(libraries);
  }
  return report;
}

// The APIs on which it depends what a job becomes and who runs it.
constexpr std::array<std::string_view, 4> k_groups = {"kubeflow.org", "trainer.kubeflow.org",
                                                      "jobset.x-k8s.io", "kueue.x-k8s.io"};

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
  kube::ServedVersions served;
  if (options.cluster) {
    TRY_ASSIGN(kube::Client * client, context.client());
    TRY_ASSIGN(served, kube::served_versions(*client, k_groups));
  }
  if (options.format != options::Format::text) {
    Json report = version_report();
    if (options.cluster) {
      report["cluster"] = {{"kubernetes", served.kubernetes},
                           {"apiVersions", Json(served.api_versions)}};
    }
    return print_data(context, options.format, report);
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
