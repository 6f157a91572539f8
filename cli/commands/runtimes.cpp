// `trainctl runtimes`: the runtimes of Kubeflow Trainer that a job of this namespace can name.
#include "work/find/runtimes.h"

#include <algorithm>
#include <memory>

#include "base/text/table.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "options/table/choices.h"

namespace trainctl::cli {
namespace {

struct RuntimesOptions {
  options::RuntimeOrder sort_by = options::RuntimeOrder::scope_then_name;
  options::Format output = options::Format::text;
  bool no_headers = false;
};

struct Row {
  job::RuntimeFacts facts;
  Json object;
};

std::string_view scope_of(const job::RuntimeFacts& facts) {
  return facts.ns.empty() ? "cluster" : "namespace";
}

std::string key_of(const Row& row, options::RuntimeOrder order) {
  if (order == options::RuntimeOrder::framework) return row.facts.framework;
  if (order == options::RuntimeOrder::scope) return std::string(scope_of(row.facts));
  return row.facts.name;
}

// As kubectl names and reads it.
std::string resource_of(const job::RuntimeFacts& facts) {
  return cat(lower(facts.kind), '.', job::k_training_runtimes.group, '/',
             printable_line(facts.name));
}

Json report_of(const Row& row) {
  const job::RuntimeFacts& facts = row.facts;
  Json report = {{"name", facts.name}, {"scope", scope_of(facts)}};
  if (!facts.ns.empty()) report["namespace"] = facts.ns;
  if (!facts.framework.empty()) report["framework"] = facts.framework;
  if (facts.nodes) report["nodes"] = *facts.nodes;
  if (!facts.image.empty()) report["image"] = facts.image;
  if (!facts.command.empty()) report["command"] = facts.command;
  report["gpusPerNode"] = facts.gpus;
  report["steps"] = facts.steps;
  report["program"] = facts.job;
  report["deprecated"] = facts.deprecated;
  report["object"] = row.object;
  return report;
}

Status print_table(Context& context, const RuntimesOptions& options, const std::vector<Row>& rows) {
  Table table({"NAME", "SCOPE", "FRAMEWORK", "NODES", "IMAGE", "STEPS"});
  for (const Row& row : rows) {
    const job::RuntimeFacts& facts = row.facts;
    table.add({{printable_line(facts.name)},
               {std::string(scope_of(facts))},
               {cat(printable_line(facts.framework), facts.deprecated ? " (deprecated)" : "")},
               {facts.nodes ? std::to_string(*facts.nodes) : ""},
               {printable_line(facts.image)},
               {printable_line(join(facts.steps, ","))}});
  }
  return context.console.out(table.text(context.console, !options.no_headers));
}

Status print(Context& context, const RuntimesOptions& options, const std::vector<Row>& rows) {
  if (options.output == options::Format::name) {
    std::string names;
    for (const Row& row : rows) names += resource_of(row.facts) + '\n';
    return context.console.out(names);
  }
  if (options.output == options::Format::text) return print_table(context, options, rows);
  Json items = Json::array();
  for (const Row& row : rows) items.push_back(report_of(row));
  return print_data(
      context, options.output,
      {{"apiVersion", "trainctl/v1"}, {"kind", "RuntimeReportList"}, {"items", std::move(items)}});
}

Status run_runtimes(const RuntimesOptions& options, Context& context) {
  TRY_ASSIGN(work::Runtimes found, work::list_runtimes(context, context.ns()));
  for (const std::string& plural : found.unlisted) {
    context.console.warn(cat("not permitted to list ", plural, ": they are left out"));
  }
  std::vector<Row> rows;
  for (Json& object : found.objects)
    rows.push_back({job::runtime_facts(object), std::move(object)});
  if (options.sort_by != options::RuntimeOrder::scope_then_name) {
    std::ranges::stable_sort(rows, [&](const Row& a, const Row& b) {
      if (options.sort_by == options::RuntimeOrder::nodes) return a.facts.nodes < b.facts.nodes;
      return key_of(a, options.sort_by) < key_of(b, options.sort_by);
    });
  }
  if (rows.empty() && options.output == options::Format::text) {
    context.console.notice(
        "no runtimes; trainctl template eject --runtime pytorch prints one for kubectl apply");
    return {};
  }
  return print(context, options, rows);
}

}  // namespace

Runner define_runtimes(const Definition& definition) {
  auto options = std::make_shared<RuntimesOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind("output", options->output);
  bind("sort-by", options->sort_by);
  bind("no-headers", options->no_headers);
  return [options](Context& context) { return run_runtimes(*options, context); };
}

}  // namespace trainctl::cli
