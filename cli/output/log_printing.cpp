// Fetches the pods of jobs, and the events that tell of pods which are gone, and prints the logs.
#include "cli/output/log_printing.h"

#include <algorithm>
#include <iterator>

#include "base/text/text.h"
#include "cli/output/first_error.h"
#include "cli/output/following.h"
#include "cli/output/noting.h"
#include "job/follow/job_console.h"
#include "job/follow/print_logs.h"
#include "job/kind/replica.h"
#include "work/find/batch_fetch.h"
#include "work/history/find_run.h"
#include "work/history/kept_logs.h"

namespace trainctl::cli {
namespace {

// Adds removed pods whose logs the embedded cluster keeps.
void add_ended(Context& context, const work::FoundJob& found, std::vector<Json>& pods) {
  const std::size_t present = pods.size();
  const auto is_there = [&](const Json& pod) {
    return std::any_of(pods.begin(), pods.begin() + static_cast<std::ptrdiff_t>(present),
                       [name = text_at(pod, "/metadata/name")](const Json& one) {
                         return text_at(one, "/metadata/name") == name;
                       });
  };
  for (Json& pod : context.embedded->ended_pods(found.uid())) {
    if (!is_there(pod)) pods.push_back(std::move(pod));
  }
}

}  // namespace

Status print_log_of(Context& context, Console& console, const work::FoundJob& found,
                    std::vector<Json> pods, const job::LogChoice& choice) {
  TRY_ASSIGN(kube::Client * client, context.client());
  // Events are needed for replicas whose pods are gone; they are optional for users who may not
  // read them.
  std::vector<work::Listing> events;
  if (pods.size() < job::expected_replicas(*found.kind, found.object).size()) {
    events.push_back({kube::k_events, found.ns()});
    work::fetch_together(*client, events);
    if (context.embedded) add_ended(context, found, pods);
  }
  return job::print_logs(*client, console, *found.kind, found.object, pods,
                         events.empty() ? std::span<const Json>() : events[0].objects, choice);
}

Status print_logs_of(Context& context, const std::vector<work::FoundJob>& jobs,
                     job::LogChoice choice, const std::string& save) {
  TRY_ASSIGN(kube::Client * client, context.client());
  std::vector<const job::Kind*> kinds;
  for (const work::FoundJob& job : jobs) kinds.push_back(job.kind);
  std::vector<work::Listing> pods;
  for (const std::string_view label : job::job_labels(kinds)) {
    pods.push_back({kube::k_pods, context.ns(), {std::string(label), ""}});
  }
  work::fetch_together(*client, pods);
  for (const work::Listing& listing : pods) {
    if (listing.failure) return listing.failure->error;
  }
  const std::vector<std::string> names = distinct_names(jobs);
  job::SharedStdout shared;
  FirstError outcome(context.console);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    job::JobConsole console(context.console, shared, names[i]);
    choice.job = names[i];
    choice.selection.replica = jobs[i].replica;
    choice.places = log_places(context, logs_of_job(save, names[i]));
    std::vector<Json> own;
    const job::PodOwner owner(*jobs[i].kind, jobs[i].object);
    for (const work::Listing& listing : pods) {
      std::ranges::copy_if(listing.objects, std::back_inserter(own),
                           [&owner](const Json& pod) { return owner.owns(pod); });
    }
    Status printed = print_log_of(context, console, jobs[i], std::move(own), choice);
    if (printed) continue;
    const bool unread = printed.error().code == Code::broken_pipe;
    outcome.note(of_job(names[i], std::move(printed).error()));
    if (unread) break;
  }
  return std::move(outcome).outcome();
}

Status keep_logs_of(Context& context, const work::FoundJob& job) {
  TRY_ASSIGN(kube::Client * client, context.client());
  TRY(work::history_of(context));
  std::vector<work::Listing> pods = {work::pods_listing(job.ns(), job.kind, job.name())};
  work::fetch_together(*client, pods);
  if (pods[0].failure) return pods[0].failure->error;
  job::keep_owned(pods[0].objects, {*job.kind, job.object});
  if (pods[0].objects.empty()) return {};
  job::LogChoice choice;
  choice.selection.none = true;
  choice.options.follow = false;
  choice.places = log_places(context, "");
  choice.places.kept = work::kept_log_file(context, job.uid());
  choice.places.keeps_all = true;
  TRY(job::print_logs(*client, context.console, *job.kind, job.object, pods[0].objects, {},
                      choice));
  note_created(context, job, job.object);
  return {};
}

job::LogPlaces log_places(Context& context, const std::string& save_logs) {
  job::LogPlaces places;
  const std::string temporary = context.environment.text("TMPDIR");
  if (!temporary.empty()) places.spool_directory = temporary;
  if (save_logs.empty()) return places;
  places.save = [&files = context.files, save_logs](const std::string& name,
                                                    std::string_view bytes) {
    return files.append(resolve_path(save_logs, name), bytes);
  };
  return places;
}

std::vector<std::string> distinct_names(const std::vector<work::FoundJob>& jobs) {
  std::vector<std::string> names;
  for (const work::FoundJob& job : jobs) {
    const bool shares_name = std::ranges::any_of(jobs, [&job](const work::FoundJob& other) {
      return other.name() == job.name() && other.kind != job.kind;
    });
    names.push_back(shares_name ? cat(job.kind->alias, "/", job.name()) : job.name());
  }
  return names;
}

std::string logs_of_job(const std::string& save_logs, const std::string& job) {
  return save_logs.empty() ? "" : resolve_path(save_logs, job);
}

}  // namespace trainctl::cli
