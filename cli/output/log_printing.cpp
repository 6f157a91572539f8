// Fetches the pods of jobs, and the events that tell of pods which are gone, and prints the logs.
#include "cli/output/log_printing.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/file/own_file.h"
#include "base/text/text.h"
#include "cli/output/first_error.h"
#include "cli/output/following.h"
#include "cli/output/record_history.h"
#include "follow/job_console.h"
#include "follow/print_logs.h"
#include "history/find_run.h"
#include "history/log_archive.h"
#include "logs/archive_writer.h"
#include "manifest/kind/replica.h"
#include "work/find/batch_fetch.h"
#include "work/find/worker_cluster.h"

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
    work::JobListings own{{{kube::k_pods, context.ns()}}};
    const job::PodOwner owner(*jobs[i].kind, jobs[i].object);
    for (const work::Listing& listing : pods) {
      std::ranges::copy_if(listing.objects, std::back_inserter(own.listings[0].objects),
                           [&owner](const Json& pod) { return owner.owns(pod); });
    }
    work::FoundJob job = jobs[i];
    auto taken = work::take_pods(context, job, std::move(own));
    const Status printed =
        taken ? print_log_of(context, console, job, *std::move(taken), choice) : taken.error();
    context.leave_worker();
    if (printed) continue;
    const bool unread = printed.error().code == Code::broken_pipe;
    outcome.note(of_job(names[i], printed.error()));
    if (unread) break;
  }
  return std::move(outcome).outcome();
}

Status keep_logs_of(Context& context, const work::FoundJob& job) {
  TRY_ASSIGN(kube::Client * client, context.client());
  TRY(work::history_of(context));
  TRY_ASSIGN(const auto pods, work::fetch_pods(*client, *job.kind, job.object));
  if (pods.empty()) return {};
  job::LogChoice choice;
  choice.selection.none = true;
  choice.options.follow = false;
  choice.places = log_places(context, "");
  choice.places.kept = work::archived_log_file(context, job.uid());
  choice.places.keeps_all = true;
  TRY(job::print_logs(*client, context.console, *job.kind, job.object, pods, {}, choice));
  note_log_kept(context, job);
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

namespace {

using job::ArchivedLine;

std::optional<job::ReplicaId> replica_named(const job::Kind& kind, std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto index = job::parse_index(name.substr(dash + 1));
  for (const job::Role& role : kind.roles) {
    if (index && role.prefix == name.substr(0, dash)) return job::ReplicaId{&role, *index};
  }
  return std::nullopt;
}

// With nothing chosen, all lines: they are those that were printed.
bool is_chosen(const job::LogChoice& choice, const std::string& job, const ArchivedLine& line) {
  const job::LogSelection& chosen = choice.selection;
  const std::string rank = line.rank ? std::to_string(*line.rank) : "";
  if (!chosen.container.empty() && chosen.container != line.container) return false;
  if (choice.options.since && line.line.stamp && *line.line.stamp < *choice.options.since) {
    return false;
  }
  if (!chosen.role.empty()) {
    return line.replica.substr(0, line.replica.rfind('-')) == lower(chosen.role);
  }
  if (!chosen.ranks.empty()) return std::ranges::find(chosen.ranks, rank) != chosen.ranks.end();
  if (chosen.replica.empty()) return true;
  return chosen.replica == line.replica || chosen.replica == cat("rank:", rank) ||
         chosen.replica == cat(job, '-', line.replica);
}

std::string last_stamp(const std::vector<ArchivedLine>& lines) {
  std::optional<Time> last;
  for (const ArchivedLine& line : lines) last = std::max(last, line.line.stamp);
  return last ? cat("; the last line that was kept is of ", format_time(*last)) : "";
}

void keep_last_of_each(std::vector<ArchivedLine>& lines, long count) {
  std::map<std::string, long> seen;
  std::vector<ArchivedLine> last;
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (!line->replica.empty() && seen[line->replica]++ < count) last.push_back(*line);
  }
  lines.assign(last.rbegin(), last.rend());
}

std::vector<std::string> names_in(const std::vector<ArchivedLine>& lines) {
  std::set<std::string> replicas;
  for (const ArchivedLine& line : lines) {
    if (!line.replica.empty()) replicas.insert(line.replica);
  }
  return {replicas.begin(), replicas.end()};
}

Status check_past(const job::JobRef& job, std::string_view gone, const job::LogChoice& choice) {
  const auto& ranks = choice.selection.ranks;
  const bool is_range = std::ranges::any_of(
      ranks, [](const std::string& rank) { return !job::parse_index(rank).has_value(); });
  if (is_range) {
    return Error{Code::usage, cat(gone, ", so its ranks must be numbers"),
                 cat("leave out --rank: trainctl logs ", job.name)};
  }
  if (!choice.options.previous) return {};
  return Error{Code::usage, cat(gone, ", and the history keeps its runs in one log"),
               cat("leave out --previous: trainctl logs ", job.name)};
}

struct FirstFault : job::OutputWatcher {
  Status outcome;
  void on_output_lost(Error error) override { outcome = std::move(error); }
  void on_unsaved(Error error) override { outcome = std::move(error); }
  void on_hold(bool) override {}
};

}  // namespace

Status print_archived_lines(Context& context, const job::Kind& kind, const job::PrintOptions& form,
                            const job::LogPlaces& places, const std::vector<ArchivedLine>& lines) {
  FirstFault fault;
  job::LogSession session(context.console, context.loop, places, fault);
  session.set_format(form);
  for (const ArchivedLine& line : lines) {
    if (!fault.outcome) return fault.outcome;
    if (line.replica.empty()) {
      context.console.notice(
          cat("the history left out ", line.left_out, " lines in the middle of the log"));
    } else if (const auto replica = replica_named(kind, line.replica)) {
      session.take({*replica, line.rank, line.container, line.attempt}, line.line);
    }
  }
  session.flush();
  session.drain([] { return false; });
  return fault.outcome;
}

namespace {

// `what`: what is gone; `gone`: the error where nothing is kept.
Status print_kept_log(Context& context, const job::JobRef& job, const work::PastRun& run,
                      const std::string& what, const job::LogChoice& choice, Error gone,
                      std::optional<long> turn) {
  gone.hint = cat("the history's record of the job: trainctl history ", run.number);
  const long turns = work::count_archived_logs(context.files, context.environment, run.uid);
  if (turn && (*turn < 1 || *turn > turns)) {
    return Error{Code::not_found,
                 cat("the history has ", plural(turns, "log"), " of job ", job.name),
                 cat("trainctl logs ", job.name)};
  }
  const auto file =
      work::archived_log_path(context.environment, run.uid, turn == turns ? std::nullopt : turn);
  const auto content = read_own_file(context.files, file);
  const job::Kind* kind = job::find_kind(run.kind);
  if (!content || content->empty() || kind == nullptr) return gone;
  TRY(check_past(job, what, choice));
  const std::vector<ArchivedLine> all = job::read_archived_lines(*content);
  std::vector<ArchivedLine> lines = all;
  const std::string until = last_stamp(lines);
  std::erase_if(lines, [&](const ArchivedLine& line) {
    return !line.replica.empty() && !is_chosen(choice, job.name, line);
  });
  if (choice.options.tail_lines) keep_last_of_each(lines, *choice.options.tail_lines);
  const bool is_empty =
      std::ranges::all_of(lines, [](const ArchivedLine& line) { return line.replica.empty(); });
  if (is_empty && !choice.options.tail_lines) {
    return Error{Code::not_found,
                 cat(what, ", and the history kept no such line; it has lines of ",
                     join(names_in(all), ", ")),
                 cat("all kept lines: trainctl logs ", job.name)};
  }
  if (turn) {
    context.console.notice(
        cat("from the history: run ", *turn, " of ", turns, " of job ", job.name));
  } else {
    const std::string earlier =
        turns < 2 ? "" : cat("; its logs before that: --run 1 to ", turns - 1);
    context.console.notice(cat("from the history: ", what, until, earlier));
  }
  return print_archived_lines(context, *kind, choice.print_options(names_in(lines).size()),
                              choice.places, lines);
}

}  // namespace

Status print_past_log(Context& context, const job::JobRef& job, const std::string& uid,
                      const job::LogChoice& choice, Error gone, std::optional<long> turn) {
  const bool has_no_pod = gone.code == Code::not_found || gone.code == Code::not_started;
  if (!has_no_pod || !context.history) return gone;
  const auto run = work::newest_run(context, job);
  if (!run && uid.empty()) return work::naming_past_members(context, job, "logs", std::move(gone));
  if (!run || (!uid.empty() && run->uid != uid)) return gone;
  const std::string what = cat(uid.empty() ? "job " : "the pods of job ", job.name,
                               uid.empty() ? " is gone" : " are gone");
  return print_kept_log(context, job, *run, what, choice, std::move(gone), turn);
}

Status print_log_of_run(Context& context, const work::PastRun& run, const job::LogChoice& choice,
                        std::optional<long> turn) {
  Error none{Code::not_found,
             cat("the history has no log of run ", run.number, ", job ", printable_line(run.name)),
             ""};
  return print_kept_log(context, {job::find_kind(run.kind), run.name, ""}, run,
                        cat("run ", run.number, " of job ", printable_line(run.name)), choice,
                        std::move(none), turn);
}

}  // namespace trainctl::cli
