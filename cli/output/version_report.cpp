// The program knows its own version from the build, and asks the server for the rest.
#include "cli/output/version_report.h"

#include <array>
#include <utility>

#include "base/embedded.h"
#include "base/text/text.h"

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

Json own_version() {
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

}  // namespace

Result<kube::ServedVersions> served_apis(Context& context) {
  TRY_ASSIGN(kube::Client * client, context.client());
  return kube::served_versions(*client, k_groups);
}

Result<Json> version_report(Context& context, bool with_cluster) {
  Json report = own_version();
  if (!with_cluster) return report;
  TRY_ASSIGN(const kube::ServedVersions served, served_apis(context));
  report["cluster"] = {{"kubernetes", served.kubernetes},
                       {"apiVersions", Json(served.api_versions)}};
  return report;
}

}  // namespace trainctl::cli
