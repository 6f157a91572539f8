// `trainctl version`: prints the program's version and the linked libraries, without asking a
// cluster.
#include <memory>

#include "base/embedded.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/flags.h"
#include "cli/output/output.h"

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

}  // namespace

Runner define_version(const Definition& definition) {
  struct Options {
    bool client_only = false;  // kubectl asks its cluster unless this flag is given
    Format format = Format::text;
  };
  auto options = std::make_shared<Options>();
  const OptionBinder bind(definition.app, definition.name);
  bind("client", options->client_only);
  bind("output", options->format);
  return [options](Context& context) {
    if (options->format != Format::text) {
      return print_data(context, options->format, version_report());
    }
    return context.console.out(cat("trainctl ", TRAINCTL_VERSION, "\n"));
  };
}

}  // namespace trainctl::cli
