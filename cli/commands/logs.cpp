// `trainctl logs`: prints the logs of replicas, as they are now or until the job's verdict.
#include <algorithm>
#include <memory>

#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/options/bind.h"
#include "cli/output/first_error.h"
#include "cli/output/following.h"
#include "cli/output/hint.h"
#include "cli/output/log_printing.h"
#include "history/find_run.h"
#include "manifest/kind/replica.h"
#include "work/find/array_growth.h"
#include "work/find/default_job.h"
#include "work/find/find_job.h"
#include "work/find/job_lists.h"
#include "work/find/worker_cluster.h"

namespace trainctl::cli {
namespace {

struct LogsOptions {
  std::vector<std::string> jobs;
  std::string kind, labels, replica, rank, since_time;
  bool follow = false;
  std::optional<Duration> since;
  std::optional<long> tail, run;
  options::WaitFlags wait;

  const job::LogChoice& logs() const { return wait.follow.logs; }
};

bool are_several(const LogsOptions& options) {
  return !options.labels.empty() || options.jobs.size() > 1;
}

// Rejects flags that need one job or hide a line's origin.
Status check_several(const LogsOptions& options) {
  TRY(work::check_choice(options.jobs, options.labels));
  if (!options.replica.empty()) {
    return Error{Code::usage, "--pod names a replica of one job, but several jobs are chosen",
                 "choose replicas of all of them: --role, --rank or --all"};
  }
  if (options.logs().prefix == job::Prefix::never) {
    return Error{Code::usage, "--prefix=never would mix the lines of several jobs",
                 "leave it out, or name one job"};
  }
  return {};
}

Status check_logs(const LogsOptions& options) {
  const job::LogSelection& selection = options.logs().selection;
  const int selections =
      !options.replica.empty() + selection.all + !selection.role.empty() + !options.rank.empty();
  if (selections > 1) {
    return Error{Code::usage, "--all, --role, --rank and --pod each choose the replicas",
                 "give one of them"};
  }
  if (options.since && !options.since_time.empty()) {
    return Error{Code::usage, "--since and --since-time both say where to begin",
                 "give one of them"};
  }
  if (are_several(options)) TRY(check_several(options));
  if (options.logs().options.previous && options.follow) {
    return Error{Code::usage, "--previous shows a run that has ended: it cannot be followed",
                 "leave out -f"};
  }
  return {};
}

// A replica named together with the job (JOB/worker-1, or a pod's name) counts like the flags.
Status choose_replica(const LogsOptions& options, const work::FoundJob& found,
                      job::LogSelection& selection) {
  const std::string& named = options.replica.empty() ? found.replica : options.replica;
  if (named.empty()) return {};
  if (selection.names_replicas()) {
    return Error{Code::usage, cat("the replica is already named: ", found.replica),
                 "leave out --all, --role, --rank and --pod, or the replica"};
  }
  selection.replica = named;
  return {};
}

job::LogChoice log_choice(const LogsOptions& options, Time now) {
  job::LogChoice choice = options.logs();
  if (options.rank == "last" || options.rank.find(',') != std::string::npos) {
    choice.selection.ranks = split(options.rank, ',');
  } else if (!options.rank.empty()) {
    choice.selection.replica = "rank:" + options.rank;
  }
  choice.options.follow = options.follow;
  if (options.tail && *options.tail >= 0) choice.options.tail_lines = options.tail;
  // As in kubectl, zero stands for the whole log.
  choice.options.since_by_node = options.since && *options.since > Duration{};
  if (choice.options.since_by_node) choice.options.since = now - *options.since;
  if (!options.since_time.empty()) choice.options.since = parse_time(options.since_time);
  return choice;
}

// Follows or prints the logs of several jobs. `outcome`: what is known of others.
Status show_several(Context& context, const LogsOptions& options,
                    const std::vector<work::FoundJob>& jobs, job::LogChoice choice,
                    FirstError outcome, work::ArrayGrowth* growth = nullptr) {
  if (!options.follow) {
    outcome.note(print_logs_of(context, jobs, std::move(choice), options.wait.save_logs));
    return std::move(outcome).outcome();
  }
  job::FollowOptions follow = options.wait.follow;
  follow.logs = std::move(choice);
  FollowedJobs followed(context, options.wait, Reports::Shape::several);
  followed.follow(jobs, follow, outcome, growth);
  return followed.conclude(std::move(outcome).outcome(), options::Format::text);
}

// The same for the members of an array that one name stands for.
Status show_array(Context& context, const LogsOptions& options, const job::JobRef& array,
                  std::vector<work::FoundJob> members, job::LogChoice choice) {
  TRY(check_several(options));
  work::ArrayGrowth growth(context);
  growth.add(array, members);
  return show_several(context, options, work::latest_runs(context, std::move(members)),
                      std::move(choice), FirstError(context.console), &growth);
}

// The replica is known by its name alone.
Status print_gone(const LogsOptions& options, Context& context, const job::JobRef& ref,
                  job::LogChoice choice, Error gone) {
  TRY(choose_replica(options, {ref.kind, {}, ref.replica}, choice.selection));
  choice.places = log_places(context, options.wait.save_logs);
  return print_past_log(context, ref, "", choice, std::move(gone));
}

// A reader at a terminal takes the log of the first rank for the log of the job.
void tell_of_others(Context& context, const work::FoundJob& found,
                    const job::LogSelection& selection) {
  const auto replicas = job::expected_replicas(*found.kind, found.object);
  const auto leader = job::leader(*found.kind, found.object);
  if (selection.names_replicas() || !leader || replicas.size() < 2 || !context.console.out_is_tty) {
    return;
  }
  context.console.notice(
      with_cluster_flags(cat("this is the log of ", leader->name(), ", one of ", replicas.size(),
                             " replicas: trainctl logs ", found.name(), " --all shows all"),
                         context));
}

// Prints the logs as they are now. Requests the pods together with the job, over the connection
// that the logs will use, since the user waits for each round trip.
Status print(const LogsOptions& options, Context& context, const job::JobRef& ref,
             job::LogChoice choice) {
  auto around = work::pods_around(context.ns(), ref.kind, ref.name, kube::Lane::stream);
  auto named = work::find_job_or_array(context, ref, &around);
  if (!named) {
    return print_gone(options, context, ref, std::move(choice), std::move(named).error());
  }
  if (named->size() > 1) {
    return show_array(context, options, ref, *std::move(named), std::move(choice));
  }
  work::FoundJob found = std::move(named->front());
  const std::string uid = found.uid();
  TRY(choose_replica(options, found, choice.selection));
  auto pods = work::take_pods(context, found, std::move(around), kube::Lane::stream);
  // Before a cluster of MultiKueue is chosen, and after `stop`, only the history may have a log.
  if (!pods && pods.error().code != Code::not_started) return pods.error();
  choice.places = log_places(context, options.wait.save_logs);
  Status printed =
      pods ? print_log_of(context, context.console, found, *std::move(pods), choice) : pods.error();
  if (printed) {
    tell_of_others(context, found, choice.selection);
    return {};
  }
  // The history keeps neither runs of a pod that is there, nor replicas that the job does not have.
  const std::string& replica = choice.selection.replica;
  const std::string& role = choice.selection.role;
  const auto replicas = job::expected_replicas(*found.kind, found.object);
  const bool is_known =
      (replica.empty() || job::find_replica(*found.kind, found.object, replica).has_value()) &&
      (role.empty() || std::ranges::any_of(replicas, [&](const job::ReplicaId& each) {
         return each.role == job::find_role(*found.kind, role);
       }));
  if (choice.options.previous || !is_known) return printed;
  return print_past_log(context, {found.kind, found.name(), found.replica}, uid, choice,
                        std::move(printed).error());
}

// A run that is still a job of the cluster has its log there.
Status print_run(const LogsOptions& options, Context& context, const work::PastRun& run,
                 const job::JobRef& ref, job::LogChoice choice) {
  const job::JobRef job{job::find_kind(run.kind), run.name, ref.replica};
  if (!options.run && work::find_present_run(context, run))
    return print(options, context, job, std::move(choice));
  TRY(choose_replica(options, {job.kind, {}, job.replica}, choice.selection));
  choice.places = log_places(context, options.wait.save_logs);
  return print_log_of_run(context, run, choice, options.run);
}

// Follows the job until its verdict. Watches the pods from the beginning, for the same reason.
Status stay(const LogsOptions& options, Context& context, const job::JobRef& ref,
            job::LogChoice choice, Time began) {
  TRY_ASSIGN(kube::Client * client, context.client());
  auto pods = std::make_unique<job::PodWatch>(
      *client, context.ns(), job::pod_selector(ref.kind, ref.name), kube::Lane::stream);
  auto named = work::find_job_or_array_in_time(context, ref);
  if (named && (named->size() > 1 || work::missing_members(*named, ref.name))) {
    pods.reset();
    return show_array(context, options, ref, *std::move(named), std::move(choice));
  }
  FollowedJobs followed(context, options.wait, Reports::Shape::one_job);
  if (!named) {
    const JobTarget missing{ref.kind, context.ns(), ref.name, began};
    return followed.conclude(followed.give_up(missing, std::move(named).error()),
                             options::Format::text);
  }
  const work::FoundJob& found = named->front();
  TRY(choose_replica(options, found, choice.selection));
  // A pod was named, or pods of this kind have another label.
  const bool unfit =
      ref.kind == nullptr && found.kind->controller.labels.job != job::k_label_job_name;
  if (found.name() != ref.name || unfit) pods.reset();
  job::FollowOptions follow = options.wait.follow;
  follow.logs = std::move(choice);
  FirstError outcome(context.console);
  followed.watch_with(std::move(pods));
  followed.follow({found}, follow, outcome);
  return followed.conclude(std::move(outcome).outcome(), options::Format::text);
}

// In `logs ddp worker-0` the second word names a replica of the job before it. `missing` says that
// it is no job.
Error replica_or_missing(const work::FoundJob& before, const std::string& word, Error missing) {
  if (!job::find_replica(*before.kind, before.object, word)) return missing;
  return {Code::usage, cat(word, " is a replica of ", before.name(), ", and no job"),
          cat("trainctl logs ", before.name(), '/', word)};
}

// The jobs of these names, each once. To print, the others are shown beside one that is not there;
// to follow, nothing begins before all are found.
Result<std::vector<work::FoundJob>> jobs_by_name(Context& context, const LogsOptions& options,
                                                 const job::Kind* kind,
                                                 const job::LogChoice& choice,
                                                 FirstError& missing) {
  const work::LimitedCalls limited(context);
  std::vector<work::FoundJob> jobs;
  for (const std::string& text : options.jobs) {
    TRY_ASSIGN(const job::JobRef ref, work::job_ref(text, kind));
    auto found = work::find_job_or_array(context, ref);
    if (!found) {
      Error why = std::move(found).error();
      if (why.code == Code::not_found && !jobs.empty()) {
        why = replica_or_missing(jobs.back(), text, std::move(why));
      }
      if (options.follow || why.code != Code::not_found) return why;
      missing.note(std::move(why));
      continue;
    }
    job::LogSelection selection = choice.selection;
    TRY(choose_replica(options, found->front(), selection));
    for (work::FoundJob& job : work::latest_runs(context, *std::move(found))) {
      work::add_once(jobs, std::move(job));
    }
  }
  return jobs;
}

Result<std::vector<work::FoundJob>> jobs_by_label(Context& context, const LogsOptions& options,
                                                  const job::Kind* kind) {
  const work::LimitedCalls limited(context);
  return work::labelled_jobs(context, kind, options.labels);
}

// The reports of following say so as well.
Status not_found(Context& context, const LogsOptions& options, const job::Kind* kind, Time began,
                 Error why) {
  if (!options.follow) return why;
  FollowedJobs followed(context, options.wait, Reports::Shape::one_job);
  const JobTarget sought{kind, context.ns(), join(options.jobs, " "), began, options.labels};
  return followed.conclude(followed.give_up(sought, std::move(why)), options::Format::text);
}

Status run_several(const LogsOptions& options, Context& context, job::LogChoice choice,
                   Time began) {
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  FirstError outcome(context.console);
  auto jobs = options.labels.empty() ? jobs_by_name(context, options, kind, choice, outcome)
                                     : jobs_by_label(context, options, kind);
  if (!jobs) return not_found(context, options, kind, began, std::move(jobs).error());
  return show_several(context, options, *jobs, std::move(choice), std::move(outcome));
}

Result<job::JobRef> chosen_job(const LogsOptions& options, Context& context,
                               const job::Kind* kind) {
  std::optional<work::LimitedCalls> limited;
  if (options.follow) limited.emplace(context);
  TRY_ASSIGN(const auto names, work::jobs_or_newest(context, options.jobs, kind));
  return work::job_ref(names.front(), kind);
}

Status run_logs(const LogsOptions& options, Context& context) {
  TRY(check_logs(options));
  TRY(check_following(context, options.wait));
  const Time began = context.loop.now();
  if (options.follow) context.begin_timeout(options.wait.timeout, began);
  job::LogChoice choice = log_choice(options, began);
  if (are_several(options)) return run_several(options, context, std::move(choice), began);
  TRY_ASSIGN(const job::Kind* kind, options::kind_flag(options.kind));
  if (options.jobs.empty()) TRY(check_unnamed(options.wait));
  auto chosen = chosen_job(options, context, kind);
  if (!chosen) return not_found(context, options, kind, began, std::move(chosen).error());
  job::JobRef ref = *std::move(chosen);
  if (const auto run = work::numbered_run(context, ref.name)) {
    const auto present =
        options.follow ? work::find_present_run(context, *run) : std::optional<work::FoundJob>();
    if (!present) return print_run(options, context, *run, ref, std::move(choice));
    ref = {present->kind, present->name(), ref.replica};
  }
  if (options.follow) return stay(options, context, ref, std::move(choice), began);
  if (options.run) {
    TRY(choose_replica(options, {ref.kind, {}, ref.replica}, choice.selection));
    choice.places = log_places(context, options.wait.save_logs);
    const Error unknown{Code::not_found, cat("the history has no log of job ", ref.name),
                        "trainctl history lists the runs"};
    return print_past_log(context, ref, "", choice, unknown, options.run);
  }
  return print(options, context, ref, std::move(choice));
}

}  // namespace

Runner define_logs(const Definition& definition) {
  auto options = std::make_shared<LogsOptions>();
  const OptionBinder bind(definition.app, definition.name);
  bind.positional("Selection", "JOB[/REPLICA]...", options->jobs, 0, k_any_number,
                  "jobs, replicas of jobs, or pods; the newest job by default");
  bind("selector", options->labels);
  job::LogChoice& logs = options->wait.follow.logs;
  bind("all", logs.selection.all);
  bind("role", logs.selection.role);
  bind("rank", options->rank);
  bind("container", logs.selection.container);
  add_line_flags(bind, logs);
  bind("pod", options->replica);
  bind("previous", logs.options.previous);
  bind("run", options->run);
  bind("since", options->since);
  check_values(bind("since-time", options->since_time), [](const std::string& text) {
    return parse_time(text) ? ""
                            : cat("`", text, "` is not a time; write it as 2026-11-21T09:30:00Z");
  });
  check_values(bind("tail", options->tail), [](const std::string& text) {
    const auto count = parse_number<long>(text);
    return count && *count < -1 ? cat("`", text, "` is less than -1") : "";
  });
  bind("output", logs.format);
  bind("save-logs", options->wait.save_logs);
  bind("insecure-skip-tls-verify-backend", logs.options.insecure_backend);
  add_kind_flag(bind, options->kind);
  bind("follow", options->follow);
  add_wait_flags(bind, options->wait);
  add_stall_flags(bind, options->wait);
  return [options](Context& context) {
    options->jobs = work::each_once(options->jobs);
    return run_logs(*options, context);
  };
}

}  // namespace trainctl::cli
