// `trainctl describe`: all about one job on one screen.
#include <algorithm>
#include <map>
#include <memory>

#include "base/terminal_text.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/jobs/job_snapshot.h"
#include "cli/options/flags.h"
#include "cli/output/event_table.h"
#include "cli/output/hint.h"
#include "cli/output/job_table.h"
#include "cli/output/output.h"
#include "job/manifest/check.h"
#include "job/manifest/manifest.h"
#include "job/manifest/sources.h"
#include "job/status/hints.h"
#include "job/status/pod_state.h"

namespace trainctl::cli {
namespace {

constexpr std::size_t k_most_events = 20;    // those before are for `trainctl events`
constexpr std::size_t k_most_replicas = 20;  // others are for `trainctl get -o wide`
constexpr int k_command_width = 60;

struct Options {
  std::vector<std::string> jobs;
  std::string kind, output;
};

// One job being described; each part gives its lines, or "" when there is nothing to say.
class Description {
 public:
  Description(Context& context, const JobSnapshot& look, const job::JobState& state)
      : context_(context),
        console_(context.console),
        kind_(*look.job.kind),
        object_(look.job.object),
        look_(look),
        state_(state),
        now_(context.loop.now()) {}

  std::string text() const {
    std::string text = facts();
    for (const std::string& part : {containers(), replicas(), sources(), conditions(), events()}) {
      if (!part.empty()) text += "\n" + part;
    }
    return text;
  }

 private:
  std::string table(const Table& table) const { return table.text(console_); }
  std::string age(std::optional<Time> time) const { return time ? format_age(now_ - *time) : ""; }

  static std::string fact(std::string_view name, std::string_view value) {
    constexpr std::size_t k_name_width = 12;
    if (value.empty()) return "";
    std::string line = cat(name, ":");
    line.resize(k_name_width, ' ');
    return cat(line, value, "\n");
  }

  std::string facts() const {
    const std::string created = printable_line(text_at(object_, "/metadata/creationTimestamp"));
    const std::string ago = age(parse_time(created));
    std::string text = fact("Name", printable_line(look_.job.name()));
    text += fact("Kind", kind_.resource.kind);
    text += fact("Namespace", printable_line(look_.job.ns()));
    text += fact("Created", ago.empty() ? created : cat(created, " (", ago, " ago)"));
    text += fact("Phase", phase());
    for (const std::string& hint : hints()) text += fact("Hint", hint);
    text += fact("Footprint", job::footprint(kind_, object_));
    text += fact("Policy", policy());
    return text;
  }

  std::string phase() const {
    const std::string name = console_.painted(phase_name(state_.phase), phase_colour(state_.phase));
    const std::string since = state_.since ? cat(" for ", age(state_.since)) : "";
    const std::string why = state_.message.empty() ? state_.reason : state_.message;
    return cat(name, since, why.empty() ? "" : ": ", printable_line(why));
  }

  // A command about this job.
  std::string named(std::string_view command, std::string_view rest) const {
    return with_place(cat(command, look_.job.name(), rest), context_);
  }

  // Of all that is in the way, each remedy once.
  std::vector<std::string> hints() const {
    std::vector<std::string> hints;
    const auto add = [&hints](const std::string& hint) {
      const bool told = std::find(hints.begin(), hints.end(), hint) != hints.end();
      if (!hint.empty() && !told) hints.push_back(printable_line(hint));
    };
    if (state_.phase == job::Phase::submitted) add(std::string(job::k_no_operator_hint));
    if (state_.blocker) add(state_.blocker->hint);
    const job::ReplicaState* kept = job::first_kept(state_);
    if (kept != nullptr) add(job::sidecar_hint(kept->kept_by));
    for (const job::ReplicaState& replica : state_.replicas) {
      if (job::is_final(state_.phase)) break;
      const auto blocker = job::find_blocker(replica, events_of(replica));
      if (blocker) add(blocker->hint);
    }
    if (state_.phase == job::Phase::failed && state_.first_failed) {
      const job::ReplicaState& failed = state_.replicas[*state_.first_failed];
      add(failed.start_error.empty() ? "" : job::hint_for("StartError", failed.start_error));
      if (!failed.pod.empty()) {
        add(named("its log: trainctl logs ", "/" + failed.id.name()));
      }
    }
    return hints;
  }

  std::vector<Json> events_of(const job::ReplicaState& replica) const {
    std::vector<Json> events;
    std::copy_if(look_.raw_events.begin(), look_.raw_events.end(), std::back_inserter(events),
                 [&replica](const Json& event) {
                   return text_at(event, "/involvedObject/uid") == replica.uid;
                 });
    return events;
  }

  std::string policy() const {
    std::vector<std::string> parts;
    for (const char* name : {"cleanPodPolicy", "backoffLimit", "activeDeadlineSeconds",
                             "ttlSecondsAfterFinished", "suspend"}) {
      const Json* value = find(object_, cat(kind_.run_policy, "/", name));
      if (value == nullptr || *value == false) continue;
      parts.push_back(
          cat(name, " ", value->is_string() ? value->get<std::string>() : dump(*value)));
    }
    return printable_line(join(parts, ", "));
  }

  static std::string command_of(const Json& container) {
    std::vector<std::string> words;
    for (const char* part : {"/command", "/args"}) {
      for (const Json& word : array_at(container, part)) {
        if (word.is_string()) words.push_back(shell_quoted(word.get<std::string>()));
      }
    }
    return shortened(printable_line(join(words, " ")), k_command_width);
  }

  std::string containers() const {
    Table rows({"ROLE", "COUNT", "RESTART", "IMAGE", "COMMAND"});
    for (const job::Replica& replica : job::replicas_of(kind_, object_)) {
      if (replica.role == nullptr) continue;
      const Json& spec = *replica.spec;
      const Json* found = job::find_container(spec, job::training_container(kind_, spec));
      const Json none = Json::object();
      const Json& container = found == nullptr ? none : *found;
      rows.add({{std::string(replica.role->prefix)},
                {cat(job::replica_count(kind_, object_, *replica.role))},
                {text_at(spec, "/restartPolicy")},
                {text_at(container, "/image")},
                {command_of(container)}});
    }
    return table(rows);
  }

  std::string replicas() const {
    if (state_.replicas.size() <= k_most_replicas) {
      return replica_table(state_, console_, now_, true);
    }
    job::JobState shown;
    shown.replicas = telling_replicas();
    const auto left_out = static_cast<long>(state_.replicas.size() - shown.replicas.size());
    return cat(replica_table(shown, console_, now_, true), plural(left_out, "more replica"),
               named(": trainctl get ", " -o wide\n"));
  }

  // Of many those that are not like the others, and of these a few.
  std::vector<job::ReplicaState> telling_replicas() const {
    constexpr int k_usual_shown = 3;
    std::map<std::string, int> counts;
    for (const job::ReplicaState& replica : state_.replicas) ++counts[replica.state];
    const auto usual =
        std::max_element(counts.begin(), counts.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<job::ReplicaState> telling;
    int usual_left = k_usual_shown;
    for (const job::ReplicaState& replica : state_.replicas) {
      const bool plain = replica.state == usual->first && replica.restarts == 0;
      if (plain ? usual_left-- > 0 : telling.size() < k_most_replicas) telling.push_back(replica);
    }
    return telling;
  }

  std::string sources() const {
    const auto found = job::sources_of(kind_, object_);
    if (found.empty()) return "";
    Table rows({"SOURCE", "NAME", "AT", "ROLES"});
    for (const job::Source& source : found) {
      rows.add({{source.kind}, {source.name}, {source.place}, {join(source.roles, ", ")}});
    }
    return table(rows);
  }

  std::string conditions() const {
    const Json& found = array_at(object_, "/status/conditions");
    if (found.empty()) return "";
    Table rows({"CONDITION", "STATUS", "SINCE", "REASON"});
    for (const Json& condition : found) {
      rows.add({{text_at(condition, "/type")},
                {text_at(condition, "/status")},
                {age(parse_time(text_at(condition, "/lastTransitionTime")))},
                {text_at(condition, "/reason")}});
    }
    return table(rows);
  }

  std::string events() const {
    if (look_.without_events) return "";
    std::vector<job::JobEvent> all = job::merged(look_.events);
    if (all.empty()) return "no events: a cluster usually keeps them for an hour\n";
    const std::size_t left_out = all.size() > k_most_events ? all.size() - k_most_events : 0;
    const EventTimes times = console_.out_is_tty ? EventTimes::ages : EventTimes::absolute;
    Table rows(event_header(times));
    for (std::size_t i = left_out; i < all.size(); ++i) {
      rows.add(event_row(all[i], times, now_));
    }
    std::string text = table(rows);
    if (left_out == 0) return text;
    return cat(text, plural(static_cast<long>(left_out), "earlier event"),
               named(": trainctl events ", "\n"));
  }

  const Context& context_;
  const Console& console_;
  const job::Kind& kind_;
  const Json& object_;
  const JobSnapshot& look_;
  const job::JobState& state_;
  Time now_;
};

Status run(const Options& options, Context& context) {
  TRY_ASSIGN(const job::Kind* kind, kind_flag(options.kind));
  TRY_ASSIGN(const JobSnapshot look, take_snapshot(context, options.jobs.front(), kind));
  TRY(named_replica(look.job));
  for (const auto* missing : {&look.without_pods, &look.without_events}) {
    if (!*missing) continue;
    context.console.warn(
        cat("described without the ",
            missing == &look.without_pods ? "pods: " : "events: ", (*missing)->message));
  }
  const job::JobState state =
      job::judge(*look.job.kind, look.job.object, look.pods, look.raw_events);
  if (options.output.empty()) {
    return context.console.out(Description(context, look, state).text());
  }
  const auto events = job::merged(look.events);
  return print_job(context, options.output, *look.job.kind, look.job.object, state,
                   look.without_events ? nullptr : &events);
}

}  // namespace

Runner define_describe(const Definition& definition) {
  auto options = std::make_shared<Options>();
  const FlagAdder which{definition.app, "Which job"};
  which.positional("JOB", options->jobs, 1, 1, "job to describe, or a pod of it");
  which.text("--kind", options->kind, "KIND", "the job's kind, where names are ambiguous");
  const FlagAdder output{definition.app, "Output"};
  output.choice("-o,--output", options->output, {"json", "yaml"},
                "the job's report with its events");
  return [options](Context& context) { return run(*options, context); };
}

}  // namespace trainctl::cli
