// `trainctl events`: shows what happened to a job and its replicas, so far or as it happens.
#include <algorithm>
#include <map>
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/watching.h"
#include "kube/watch/watch.h"
#include "options/table/choices.h"
#include "view/description.h"
#include "work/find/default_job.h"
#include "work/find/job_lists.h"

namespace trainctl::cli {
namespace {

struct EventsOptions {
  std::vector<std::string> jobs;
  std::string kind;
  options::Format output = options::Format::text;
  bool watch = false;
  bool no_headers = false;
};

bool is_wanted(const job::JobEvent& event, const std::string& replica) {
  return replica.empty() || event.subject == replica;
}

// Fixed widths keep rows that come one at a time aligned with those before.
std::vector<int> steady_widths(const work::FoundJob& job) {
  constexpr int k_time = 20, k_type = 7, k_reason = 24, k_count = 5;
  int subject = 0;
  for (const job::ReplicaId& replica : job::expected_replicas(*job.kind, job.object)) {
    subject = std::max(subject, display_width(replica.name()));
  }
  return {k_time, k_type, subject, k_reason, k_count};
}

Status print(Context& context, const EventsOptions& options, std::vector<job::JobEvent> events) {
  events = job::merged(std::move(events));
  if (options.output == options::Format::json) {
    std::string lines;
    for (const job::JobEvent& event : events) lines += dump(job::event_report(event)) + '\n';
    return context.console.out_json(std::move(lines));
  }
  if (events.empty()) {
    context.console.notice("no events: a cluster usually keeps them for an hour");
    return {};
  }
  const view::EventTimes times =
      context.console.out_is_tty ? view::EventTimes::ages : view::EventTimes::absolute;
  Table table = view::event_table(events, times, context.loop.now());
  table.wrap(context.console);
  return context.console.out(table.text(context.console, !options.no_headers));
}

class EventWatch {
 public:
  EventWatch(Context& context, const EventsOptions& options, const work::JobSnapshot& snapshot,
             std::string replica)
      : context_(context),
        options_(options),
        filter_(*snapshot.job.kind, snapshot.job.object, snapshot.pods),
        ns_(snapshot.job.ns()),
        replica_(std::move(replica)),
        widths_(steady_widths(snapshot.job)),
        with_header_(!options.no_headers) {}

  Status run(kube::Client& client) {
    kube::WatchHandlers handlers;
    handlers.on_change = [this](const Json& event) { take(event); };
    handlers.on_gone = [this](const Json& event) { seen_.erase(text_at(event, "/metadata/uid")); };
    handlers.on_listed = [this] { show_listed(); };
    handlers.on_trouble = [this](const std::string& notice) {
      if (!notice.empty()) context_.console.notice(notice);
    };
    handlers.on_stop = [this](Error error) { stop_ = std::move(error); };
    const HandlePtr watch =
        kube::start_watch(client, {kube::k_events, ns_, {}}, std::move(handlers));
    return watch_until_stopped(context_, stop_);
  }

 private:
  void take(const Json& object) {
    auto event = filter_.read(object);
    if (!event || !is_wanted(*event, replica_)) return;
    std::int64_t& seen = seen_[event->uid];
    if (std::exchange(seen, event->count) == event->count) return;
    if (!listed_) {
      first_.push_back(*std::move(event));
    } else {
      show(*event);
    }
  }

  void show_listed() {
    if (std::exchange(listed_, true)) return;
    for (const job::JobEvent& event : job::merged(std::move(first_))) show(event);
  }

  void show(const job::JobEvent& event) {
    const Status shown = options_.output == options::Format::json
                             ? context_.console.out_json(dump(job::event_report(event)) + '\n')
                             : context_.console.out(line_of(event));
    if (!shown) stop_ = shown.error();
  }

  std::string line_of(const job::JobEvent& event) {
    Table table = view::event_table({&event, 1}, view::EventTimes::absolute, context_.loop.now());
    table.at_least(widths_);
    return table.text(context_.console, std::exchange(with_header_, false));
  }

  Context& context_;
  const EventsOptions& options_;
  job::JobEvents filter_;
  std::string ns_, replica_;
  std::vector<int> widths_;
  bool with_header_;
  bool listed_ = false;
  std::vector<job::JobEvent> first_;          // events of the first list, until it is complete
  std::map<std::string, std::int64_t> seen_;  // counts by uid
  std::optional<Error> stop_;
};

Status run_events(const EventsOptions& options, Context& context) {
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  TRY_ASSIGN(const auto names, work::jobs_or_newest(context, options.jobs, kind));
  TRY_ASSIGN(work::JobSnapshot snapshot, work::take_snapshot(context, names.front(), kind));
  if (snapshot.without_events) return *snapshot.without_events;
  TRY_ASSIGN(const std::string replica, work::named_replica(snapshot.job));
  if (options.watch) {
    TRY_ASSIGN(kube::Client * client, context.client());
    return EventWatch(context, options, snapshot, replica).run(*client);
  }
  std::erase_if(snapshot.events,
                [&](const job::JobEvent& event) { return !is_wanted(event, replica); });
  return print(context, options, std::move(snapshot.events));
}

}  // namespace

Runner define_events(const Definition& definition) {
  auto options = std::make_shared<EventsOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB[/REPLICA]", options->jobs, 0, 1,
                  "job, replica of a job, or pod; the newest job by default");
  add_kind_flag(bind, options->kind);
  bind("watch", options->watch);
  bind("output", options->output);
  bind("no-headers", options->no_headers);
  return [options](Context& context) { return run_events(*options, context); };
}

}  // namespace trainctl::cli
