// `trainctl top`: what jobs, the replicas of a job, or nodes request and use.
#include <memory>
#include <set>

#include "base/console/raw_terminal.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/output.h"
#include "cli/output/watching.h"
#include "view/usage_table.h"
#include "work/find/job_progress.h"
#include "work/find/usage.h"

namespace trainctl::cli {
namespace {

constexpr Duration k_interval = std::chrono::seconds(5);  // metrics change every 15 s or so

struct TopOptions {
  std::vector<std::string> jobs;  // one, or it is refused
  std::string kind, labels;
  view::UsageOrder sort_by = view::UsageOrder::trouble;
  options::Format output = options::Format::text;
  bool all_namespaces = false;
  bool nodes = false;
  bool watch = false;
  bool no_headers = false;
};

Status check_top(const TopOptions& options) {
  if (options.jobs.size() > 1) {
    return Error{Code::usage,
                 cat("top shows the replicas of one job, and ", options.jobs.size(), " are named"),
                 cat("trainctl top ", shell_quoted(options.jobs.front()),
                     " shows one, trainctl top all jobs beside each other")};
  }
  const bool chooses = options.all_namespaces || !options.labels.empty();
  if (!options.jobs.empty() && chooses) {
    return Error{Code::usage, "jobs are chosen by name, or by -A and -l, not by both",
                 "leave out the name, or -A and -l"};
  }
  const bool is_of_jobs = !options.labels.empty() || !options.jobs.empty() || !options.kind.empty();
  if (options.nodes && is_of_jobs) {
    return Error{Code::usage, "--nodes shows all nodes of the cluster, and no jobs",
                 "trainctl top --nodes"};
  }
  if (options.watch && options.output == options::Format::yaml) {
    return Error{Code::usage, "-w cannot print yaml", "use -w -o json"};
  }
  return {};
}

// One picture of the cluster, or one after another.
class Top {
 public:
  Top(Context& context, const TopOptions& options, const job::Kind* kind)
      : context_(context), options_(options), kind_(kind) {}

  Status show() { return options_.nodes ? show_nodes() : show_jobs(); }

  // A cluster that does not answer for a while keeps its last picture.
  Status watch() {
    TRY(show_within_limit());
    const auto keys = is_in_place() ? quiet_keys(context_.console) : nullptr;
    context_.patient = false;  // warnings of the first picture are not repeated
    for (;;) {
      TRY_ASSIGN(const bool quits, pause_or_quit(context_, k_interval));
      if (quits) return {};
      const Status shown = show_within_limit();
      if (shown) continue;
      if (shown.error().code != Code::unreachable) return shown;
      say({.warnings = {cat("not up to date: ", shown.error().message)}});
    }
  }

 private:
  Status show_within_limit() {
    const work::LimitedCalls limited(context_);
    return show();
  }

  Status show_nodes() {
    TRY_ASSIGN(work::NodesUsage usage, work::node_usage(context_));
    say(usage.gaps);
    view::sort_usage(usage.nodes, options_.sort_by);
    if (options_.output != options::Format::text) return put_data(view::node_usage_report(usage));
    if (usage.nodes.empty()) return put_nothing("no nodes");
    return put(view::node_usage_table(usage.nodes, shape(), context_.console));
  }

  Status show_jobs() {
    TRY_ASSIGN(work::JobsUsage usage, asked_usage());
    say(usage.gaps);
    view::sort_usage(usage.jobs, options_.sort_by);
    if (options_.output != options::Format::text) return put_data(view::job_usage_report(usage));
    if (usage.jobs.empty()) {
      return put_nothing(options_.all_namespaces ? "no jobs in any namespace"
                                                 : "no jobs in namespace " + context_.ns());
    }
    if (!options_.jobs.empty() && usage.jobs.size() == 1) {
      return put(view::replica_usage_table(usage.jobs.front(), options_.sort_by, shape(),
                                           context_.console));
    }
    TRY(work::add_metrics(context_, usage.jobs));
    view::sort_usage(usage.jobs, options_.sort_by);  // the metrics say which of them lag
    return put(view::job_usage_table(usage.jobs, shape(), context_.console, context_.loop.now()));
  }

  Result<work::JobsUsage> asked_usage() {
    if (options_.jobs.empty()) {
      return work::list_usage(context_, {kind_, options_.all_namespaces, options_.labels});
    }
    const std::string& text = options_.jobs.front();
    TRY_ASSIGN(const job::JobRef ref, work::job_ref(text, kind_));
    TRY_ASSIGN(work::JobsUsage usage, work::find_usage(context_, ref));
    if (usage.jobs.front().job.replica.empty()) return usage;
    return Error{Code::usage, cat(text, " is a replica, but top shows whole jobs"),
                 cat("trainctl top ", usage.jobs.front().job.name())};
  }

  bool is_in_place() const { return options_.watch && context_.console.puts_rows(); }

  view::UsageShape shape() {
    view::UsageShape shape{options_.all_namespaces, !options_.no_headers};
    if (is_in_place()) shape.room = context_.console.row_room();
    return shape;
  }

  // In a pipe, a blank line precedes each picture but the first.
  Status put(const std::string& table) {
    if (is_in_place()) return context_.console.put_rows(table);
    const bool is_first = !std::exchange(has_shown_, true);
    return context_.console.out(is_first ? table : "\n" + table);
  }

  Status put_data(const Json& report) {
    if (options_.watch) return context_.console.out_json(dump(report) + '\n');
    return print_data(context_, options_.output, report);
  }

  Status put_nothing(const std::string& notice) {
    say({.notices = {notice}});
    return is_in_place() ? context_.console.put_rows("") : Status{};
  }

  // Says each thing once, however often the picture is repeated.
  void say(const work::UsageGaps& gaps) {
    for (const std::string& text : gaps.notices) {
      if (said_.insert(text).second) context_.console.notice(text);
    }
    for (const std::string& text : gaps.warnings) {
      if (said_.insert(text).second) context_.console.warn(text);
    }
  }

  Context& context_;
  const TopOptions& options_;
  const job::Kind* kind_;
  std::set<std::string> said_;
  bool has_shown_ = false;
};

Status run_top(const TopOptions& options, Context& context) {
  TRY(check_top(options));
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  Top top(context, options, kind);
  return options.watch ? top.watch() : top.show();
}

}  // namespace

Runner define_top(const Definition& definition) {
  auto options = std::make_shared<TopOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB", options->jobs, 0, k_any_number,
                  "job whose replicas to show; all jobs by default");
  bind("all-namespaces", options->all_namespaces);
  bind("selector", options->labels);
  add_kind_flag(bind, options->kind);
  bind("nodes", options->nodes);
  bind("output", options->output);
  bind("sort-by", options->sort_by);
  bind("watch", options->watch);
  bind("no-headers", options->no_headers);
  return [options](Context& context) { return run_top(*options, context); };
}

}  // namespace trainctl::cli
