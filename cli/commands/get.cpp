// `trainctl get`: how jobs stand, as a table or as data, once or at every change.
#include <algorithm>
#include <map>
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/commands/get_watch.h"
#include "cli/options/bind.h"
#include "cli/output/first_error.h"
#include "cli/output/output.h"
#include "follow/report.h"
#include "manifest/array.h"
#include "view/columns.h"
#include "view/job_table.h"
#include "work/find/job_progress.h"
#include "work/find/lineage.h"

namespace trainctl::cli {
namespace {

constexpr std::string_view k_jsonpath = "jsonpath=";
constexpr std::string_view k_columns = "custom-columns=";

struct GetOptions {
  std::vector<std::string> jobs, status;
  std::string kind, labels, output, sort_by;
  bool all_namespaces = false;
  bool watch = false;
  bool no_headers = false;
};

struct Request {
  const job::Kind* kind = nullptr;
  options::Format format = options::Format::text;  // text for a JSONPath or columns, too
  std::vector<job::Phase> phases;                  // empty = all
  std::optional<view::JsonPath> path;
  std::vector<view::Column> columns;
  std::optional<view::FieldPath> order;
};

constexpr Word<options::Format> k_formats[] = {{"wide", options::Format::wide},
                                               {"json", options::Format::json},
                                               {"yaml", options::Format::yaml},
                                               {"name", options::Format::name},
                                               {"manifest", options::Format::manifest}};

template <typename Value>
std::string fault_of(const Result<Value>& read) {
  if (read) return "";
  return cat(read.error().message, read.error().hint.empty() ? "" : "; ", read.error().hint);
}

std::string format_fault(const std::string& format) {
  if (value_of(k_formats, format)) return "";
  if (format.starts_with(k_jsonpath))
    return fault_of(view::parse_jsonpath(format.substr(k_jsonpath.size())));
  if (format.starts_with(k_columns))
    return fault_of(view::parse_columns(format.substr(k_columns.size())));
  return cat("there is no format `", format,
             "`; the formats are wide, json, yaml, name, manifest, jsonpath={.phase} and "
             "custom-columns=NAME:.name");
}

std::string phase_fault(const std::string& phases) {
  for (const std::string& word : split(phases, ',')) {
    if (job::parse_phase(word)) continue;
    return cat("there is no phase `", word,
               "`; phases are those of the PHASE column: Running, Failed, Succeeded, ...");
  }
  return "";
}

Result<Request> check_get(const GetOptions& options) {
  Request request;
  TRY_ASSIGN(request.kind, options::kind_flag(options.kind));
  for (const std::string& text : options.status) {
    for (const std::string& word : split(text, ',')) {
      if (const auto phase = job::parse_phase(word)) request.phases.push_back(*phase);
    }
  }
  if (!options.sort_by.empty()) {
    TRY_ASSIGN(request.order, view::parse_sort_field(options.sort_by));
  }
  const std::string& output = options.output;
  request.format = value_of(k_formats, output).value_or(options::Format::text);
  if (output.starts_with(k_jsonpath)) {
    TRY_ASSIGN(request.path, view::parse_jsonpath(output.substr(k_jsonpath.size())));
  } else if (output.starts_with(k_columns)) {
    TRY_ASSIGN(request.columns, view::parse_columns(output.substr(k_columns.size())));
  }
  if (!options.jobs.empty() && (options.all_namespaces || !options.labels.empty())) {
    return Error{Code::usage, "jobs are chosen by name, or by -A and -l, not by both",
                 "leave out the names, or -A and -l"};
  }
  if (options.watch && request.order) {
    return Error{Code::usage, "-w shows changes as they come and cannot sort them",
                 "leave out --sort-by, or -w"};
  }
  if (options.watch &&
      (request.path || !request.columns.empty() || request.format == options::Format::manifest)) {
    return Error{Code::usage, cat("-w cannot print ", output), "use -w -o json"};
  }
  return request;
}

// True when nothing is printed, nor sorted by, that a report's `object` holds.
bool prints_rows_only(const Request& request) {
  const bool is_table = request.format == options::Format::text ||
                        request.format == options::Format::wide ||
                        request.format == options::Format::name;
  return is_table && !request.path && request.columns.empty() && !request.order;
}

// A job that is not there does not hide the others: it is noted.
Result<std::vector<work::FoundJob>> wanted_jobs(Context& context, const GetOptions& options,
                                                const Request& request, work::JobListings* around,
                                                FirstError& missing) {
  TRY(context.client());  // which knows the namespace
  if (options.jobs.empty()) {
    const std::string ns = options.all_namespaces ? "" : context.ns();
    if (around != nullptr) *around = work::listings_for(ns, "", request.kind);
    const auto extent = prints_rows_only(request) ? work::JobExtent::rows : work::JobExtent::whole;
    return work::list_jobs(context, {request.kind, options.all_namespaces, options.labels, extent},
                           around);
  }
  std::vector<work::FoundJob> jobs;
  for (const std::string& text : options.jobs) {
    TRY_ASSIGN(const job::JobRef ref, work::job_ref(text, request.kind));
    const bool only = options.jobs.size() == 1;
    if (around != nullptr && only) *around = work::listings_for(context.ns(), ref.name, ref.kind);
    auto found = work::find_jobs(context, ref, only ? around : nullptr);
    if (!found && (only || found.error().code != Code::not_found)) return std::move(found).error();
    if (!found) {
      missing.note(std::move(found).error());
      continue;
    }
    for (work::FoundJob& job : *found) {
      const auto attempts = work::attempts_after(context, job);
      if (!attempts.empty() && around != nullptr) *around = {};
      jobs.push_back(std::move(job));
      jobs.insert(jobs.end(), attempts.begin(), attempts.end());
    }
  }
  return jobs;
}

bool has_phase(const Request& request, job::Phase phase) {
  return request.phases.empty() || std::ranges::find(request.phases, phase) != request.phases.end();
}

void keep_phases(const Request& request, std::vector<work::FoundJob>& jobs,
                 std::vector<job::JobState>& states) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!has_phase(request, states[i].phase)) continue;
    std::swap(jobs[kept], jobs[i]);
    std::swap(states[kept], states[i]);
    ++kept;
  }
  jobs.resize(kept);
  states.resize(kept);
}

Status print_table(Context& context, const GetOptions& options, options::Format format,
                   std::vector<work::FoundJob> jobs, const std::vector<job::JobState>& states) {
  if (jobs.empty()) {
    context.console.notice(options.all_namespaces ? "no jobs in any namespace"
                                                  : "no jobs in namespace " + context.ns());
    return {};
  }
  // Scripts count the columns of a pipe.
  const bool is_wide = format == options::Format::wide;
  const bool has_values = (is_wide || context.console.out_is_tty) &&
                          std::ranges::any_of(jobs, [](const work::FoundJob& job) {
                            return !job::member_values(job.object).empty();
                          });
  const view::TableShape shape{options.all_namespaces, is_wide, has_values};
  std::vector<std::string> names;
  auto metrics = work::kept_metrics(context, options.all_namespaces ? "" : context.ns());
  Table table(view::job_header(shape));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    table.add(view::job_row(*jobs[i].kind, jobs[i].object, states[i], shape, context.loop.now(),
                            metrics[jobs[i].uid()]));
    names.push_back(jobs[i].name());
    jobs[i].object = nullptr;  // the rows of ten thousand jobs take its place
  }
  table.fit(context.console);
  table.may_drop(view::less_needed_columns());
  TRY(context.console.out(table.text(context.console, !options.no_headers)));
  if (!shape.wide || options.jobs.empty()) return {};
  for (std::size_t i = 0; i < states.size(); ++i) {
    const std::string heading = states.size() > 1 ? cat(names[i], ":\n") : "";
    TRY(context.console.out(
        cat('\n', heading, view::replica_table(states[i], context.console, context.loop.now()))));
  }
  return {};
}

void sort_jobs(const view::FieldPath& order, std::vector<work::FoundJob>& jobs,
               std::vector<job::JobState>& states) {
  std::vector<work::FoundJob> sorted_jobs;
  std::vector<job::JobState> sorted_states;
  for (const std::size_t i : view::sorted_by(order, job_reports(jobs, states))) {
    sorted_jobs.push_back(std::move(jobs[i]));
    sorted_states.push_back(std::move(states[i]));
  }
  jobs = std::move(sorted_jobs);
  states = std::move(sorted_states);
}

Status print_columns(Context& context, const GetOptions& options,
                     const std::vector<view::Column>& columns, const std::vector<Json>& reports) {
  std::vector<std::string> header;
  for (const view::Column& column : columns) header.push_back(column.header);
  Table table(std::move(header));
  for (const Json& report : reports) {
    std::vector<Cell> row;
    for (const view::Column& column : columns) row.push_back({column.field.of(report)});
    table.add(std::move(row));
  }
  table.fit(context.console);
  return context.console.out(table.text(context.console, !options.no_headers));
}

Status print_path(Context& context, const view::JsonPath& path, bool one,
                  const std::vector<work::FoundJob>& jobs,
                  const std::vector<job::JobState>& states) {
  std::vector<Json> reports = job_reports(jobs, states);
  return context.console.out(
      path.text(one ? reports.front() : job::job_report_list(std::move(reports))));
}

Status watch(Context& context, const GetOptions& options, const Request& request) {
  job::WantedJobs wanted;
  if (options.jobs.empty()) {
    TRY_ASSIGN(wanted.kinds, work::installed_kinds(context, request.kind, options.all_namespaces));
  }
  if (!options.jobs.empty()) {
    FirstError missing(context.console);
    TRY_ASSIGN(const auto named, wanted_jobs(context, options, request, nullptr, missing));
    TRY(std::move(missing).outcome());
    for (const work::FoundJob& job : named) {
      wanted.names.emplace_back(job.kind, job.name());
      if (std::ranges::find(wanted.kinds, job.kind) == wanted.kinds.end()) {
        wanted.kinds.push_back(job.kind);
      }
    }
  }
  wanted.ns = options.all_namespaces ? "" : context.ns();
  wanted.labels = options.labels;
  return watch_jobs(context, {std::move(wanted), request.format,
                              [&request](job::Phase phase) { return has_phase(request, phase); }});
}

Status show(const GetOptions& options, Context& context, const Request& request,
            FirstError& missing) {
  const bool bare =
      request.format == options::Format::name || request.format == options::Format::manifest;
  const bool judged = !bare || !request.phases.empty() || request.order;
  work::JobListings around;
  TRY_ASSIGN(auto jobs,
             wanted_jobs(context, options, request, judged ? &around : nullptr, missing));
  if (jobs.empty() && !options.jobs.empty()) return {};
  if (!judged) return print_jobs(context, request.format, jobs, {});
  TRY_ASSIGN(auto states, work::judge_jobs(context, jobs, std::move(around)));
  keep_phases(request, jobs, states);
  if (request.order) sort_jobs(*request.order, jobs, states);
  if (!request.columns.empty()) {
    return print_columns(context, options, request.columns, job_reports(jobs, states));
  }
  const bool one = options.jobs.size() == 1 && jobs.size() == 1;
  if (request.path) return print_path(context, *request.path, one, jobs, states);
  if (!is_job_format(request.format)) {
    return print_table(context, options, request.format, std::move(jobs), states);
  }
  if (one) {
    return print_job(context, request.format, *jobs[0].kind, jobs[0].object, states[0]);
  }
  return print_jobs(context, request.format, jobs, states);
}

Status run_get(const GetOptions& options, Context& context) {
  TRY_ASSIGN(const Request request, check_get(options));
  if (options.watch) return watch(context, options, request);
  FirstError missing(context.console);
  TRY(show(options, context, request, missing));
  return std::move(missing).outcome();
}

}  // namespace

Runner define_get(const Definition& definition) {
  auto options = std::make_shared<GetOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB...", options->jobs, 0, k_any_number,
                  "jobs to show; all by default");
  bind("all-namespaces", options->all_namespaces);
  bind("selector", options->labels);
  check_values(bind("status", options->status), phase_fault);
  add_kind_flag(bind, options->kind);
  check_values(bind("output", options->output), format_fault);
  check_values(bind("sort-by", options->sort_by),
               [](const std::string& text) { return fault_of(view::parse_sort_field(text)); });
  bind("watch", options->watch);
  bind("no-headers", options->no_headers);
  return [options](Context& context) { return run_get(*options, context); };
}

}  // namespace trainctl::cli
