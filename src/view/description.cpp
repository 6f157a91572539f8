// Prints facts first, then a row for each replica, the culprit's last lines, and the newest events.
#include "view/description.h"

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/text/table.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "base/value/json.h"
#include "logs/significant_lines.h"
#include "manifest/code.h"
#include "manifest/environment.h"
#include "manifest/footprint.h"
#include "manifest/kind/kind.h"
#include "manifest/manifest.h"
#include "manifest/needed_objects.h"
#include "manifest/program.h"
#include "manifest/secrets.h"
#include "metrics/metric_words.h"
#include "status/exit_words.h"
#include "status/init_containers.h"
#include "view/job_table.h"
#include "view/viewer.h"

namespace trainctl::view {
namespace {

// Describes what each role of a job runs, for `trainctl describe`.
struct RoleFacts {
  std::string role, count, restart, image, command;
  bool is_alike(const RoleFacts& other) const {
    return restart == other.restart && image == other.image && command == other.command;
  }
};

constexpr int k_command_width = 60;

std::string command_of(const Json& container) {
  std::vector<std::string> words;
  for (const char* part : {"/command", "/args"}) {
    for (const Json& word : job::without_secrets(array_at(container, part))) {
      if (word.is_string())
        words.push_back(shell_quoted(job::expanded(word.get<std::string>(), {})));
    }
  }
  return shortened(printable_line(join(words, " ")), k_command_width);
}

RoleFacts facts_of(const job::Kind& kind, const Json& job, const job::Role& role,
                   const Json& container) {
  return {std::string(role.prefix), cat(job::replica_count(kind, job, role)), "",
          text_at(container, "/image"), command_of(container)};
}

// Contains only what the job says, not what a runtime adds.
std::vector<RoleFacts> role_facts(const job::Kind& kind, const Json& job) {
  const Json none = Json::object();
  std::vector<RoleFacts> all;
  for (const job::Replica& replica : job::replicas_of(kind, job)) {
    if (replica.role == nullptr) continue;
    const Json& spec = *replica.spec;
    const Json* found = job::find_container(spec, job::training_container(kind, spec));
    all.push_back(facts_of(kind, job, *replica.role, found == nullptr ? none : *found));
    all.back().restart = job::restart_policy_of(replica);
  }
  if (job::runs_by_runtime(kind)) {
    const Json& program = object_at(job, job::k_runtime_program);
    all.push_back(facts_of(kind, job, *job::find_role(kind, "node"), program));
  }
  return all;
}

// Shows the init containers of a job, for `trainctl describe`.
constexpr std::size_t k_most_words = 4;

std::string state_words(const job::InitSummary& one) {
  if (one.failure) {
    const std::string more = one.failed > 1 ? cat(" and ", one.failed - 1, " more") : "";
    return cat("failed in ", one.failure->replica, more);
  }
  if (one.running > 0) return cat("running in ", plural(one.running, "replica"));
  return one.done > 0 ? cat("done in ", plural(one.done, "replica")) : "not started";
}

std::string source_words(const job::InitSummary& one) {
  if (one.source.empty()) return "";
  return printable_line(cat(job::text_without_secrets(one.source), " to ", one.place));
}

std::string last_lines(const Viewer& viewer, const job::InitSummary& one) {
  const job::InitFailure& failure = *one.failure;
  const std::vector<std::string> lines = written_lines(failure.words);
  const std::string log = viewer.runnable(cat("trainctl logs ", failure.pod, " -c ", one.name));
  const std::string where =
      lines.empty() ? cat("; its log: ", log) : cat("; last lines (all: ", log, "):");
  std::string text = printable_line(cat("init container ", one.name, " of ", failure.replica, ' ',
                                        job::exit_words(failure.exit_code), where)) +
                     "\n";
  const std::size_t left_out = lines.size() > k_most_words ? lines.size() - k_most_words : 0;
  for (std::size_t i = left_out; i < lines.size(); ++i) {
    text += cat("  ", printable_line(lines[i]), "\n");
  }
  return text;
}

// A row for each, and the last lines of the first that has failed; "" when there are none.
std::string init_table(const Viewer& viewer, const std::vector<job::InitSummary>& all) {
  if (all.empty()) return "";
  Table rows({"INIT CONTAINER", "RESTARTS", "STATE", "SOURCE"});
  for (const job::InitSummary& one : all) {
    rows.add({{printable_line(one.name)},
              {std::to_string(one.restarts)},
              {state_words(one), one.failure ? Colour::red : Colour::none},
              {source_words(one)}});
  }
  rows.fit(viewer.console);
  std::string text = rows.text(viewer.console);
  const auto failed = std::ranges::find_if(
      all, [](const job::InitSummary& one) { return one.failure.has_value(); });
  return failed == all.end() ? text : text + last_lines(viewer, *failed);
}

}  // namespace

Table event_table(std::span<const job::JobEvent> events, EventTimes times, Time now) {
  Table table(
      {times == EventTimes::ages ? "AGE" : "TIME", "TYPE", "OBJECT", "REASON", "COUNT", "MESSAGE"});
  for (const job::JobEvent& event : events) {
    std::string time;
    if (event.last) {
      time = times == EventTimes::ages ? format_age(now - *event.last) : format_time(*event.last);
    }
    const Colour colour = event.type == "Warning" ? Colour::yellow : Colour::none;
    table.add({{time},
               {event.type, colour},
               {event.subject},
               {event.reason},
               {cat(event.count)},
               {event.message}});
  }
  table.may_drop({"COUNT"});
  return table;
}

namespace {

constexpr std::size_t k_events_shown = 20;    // `trainctl events` shows older ones
constexpr std::size_t k_least_events = 2;     // shown even when the terminal is too small
constexpr std::size_t k_most_lines = 4;       // last lines shown of the culprit
constexpr std::size_t k_replicas_shown = 20;  // `trainctl get -o wide` shows all

std::size_t count_lines(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

// One job being described; each part gives its lines, or "" when there is nothing to say.
class Description {
 public:
  Description(const Viewer& viewer, const work::JobSnapshot& snapshot,
              const job::MetricRecord& metrics)
      : viewer_(viewer),
        console_(viewer.console),
        kind_(*snapshot.job.kind),
        object_(snapshot.job.object),
        snapshot_(snapshot),
        state_(snapshot.state),
        metrics_(metrics),
        now_(viewer.now) {}

  std::string text() const {
    const std::vector<RoleFacts> roles = role_facts(kind_, object_);
    const bool alike = std::ranges::all_of(
        roles, [&roles](const RoleFacts& each) { return each.is_alike(roles.front()); });
    std::string text = facts();
    text += alike && !roles.empty() ? shared_program(roles) : fact("Policy", policy(""));
    for (const std::string& part :
         {alike ? "" : role_table(roles), replicas(), inits(), last_lines()}) {
      if (!part.empty()) text += "\n" + part;
    }
    const std::string happened = events(count_lines(text));
    return happened.empty() ? text : cat(text, "\n", happened);
  }

 private:
  std::string table(Table table) const {
    table.fit(console_);
    return table.text(console_);
  }
  std::string age(std::optional<Time> time) const { return time ? format_age(now_ - *time) : ""; }

  // A value that is longer than the line continues below its beginning.
  std::string fact(std::string_view name, const std::string& value) const {
    constexpr std::size_t k_name_width = 12;
    if (value.empty()) return "";
    std::string line = cat(name, ":");
    line.resize(k_name_width, ' ');
    const auto width = static_cast<std::size_t>(console_.width);
    return cat(line, console_.out_is_tty ? wrapped(value, k_name_width, width) : value, "\n");
  }

  std::string facts() const {
    std::string text =
        fact("Job", printable_line(cat(kind_.resource.kind, " ", snapshot_.job.name(),
                                       " in namespace ", snapshot_.job.ns())));
    text += fact("Cluster", printable_line(snapshot_.worker));
    text += fact("Phase", phase());
    text += fact("Training", job::trouble_words(metrics_));
    text += fact("Network", printable_line(metrics_.network));
    for (const std::string& hint : hints()) text += fact("Hint", viewer_.runnable(hint));
    text += fact("History", history());
    text += fact("Footprint", job::footprint(kind_, object_));
    text += fact("Code", printable_line(job::code_words(object_)));
    text += fact("Sources", sources());
    return text;
  }

  std::string phase() const {
    const std::string name = console_.painted(phase_name(state_.phase), phase_colour(state_.phase));
    const std::string since = state_.since ? cat(" for ", age(state_.since)) : "";
    const std::string why = state_.message.empty() ? state_.reason : state_.message;
    const std::string_view link = state_.phase == job::Phase::succeeded ? ", but " : ": ";
    return cat(name, since, why.empty() ? "" : link, printable_line(why));
  }

  // The job's history from its conditions: "created 2026-01-02T03:00:05Z (4m ago), Running 3m ago".
  std::string history() const {
    const std::string created = text_at(object_, "/metadata/creationTimestamp");
    const std::string ago = age(parse_time(created));
    std::vector<std::string> parts = {
        cat("created ", created, ago.empty() ? "" : cat(" (", ago, " ago)"))};
    for (const Json& condition : array_at(object_, "/status/conditions")) {
      const std::string type = text_at(condition, "/type");
      const std::string since = age(parse_time(text_at(condition, "/lastTransitionTime")));
      const bool holds = text_at(condition, "/status") == "True";
      if (!holds || type == "Created" || since.empty()) continue;
      const std::string reason = text_at(condition, "/reason");
      const bool says_more = !reason.empty() && reason != cat(kind_.resource.kind, type);
      parts.push_back(cat(type, " ", since, " ago", says_more ? cat(" (", reason, ")") : ""));
    }
    return printable_line(join(parts, ", "));
  }

  // A command about this job.
  std::string named(std::string_view command, std::string_view rest) const {
    return viewer_.runnable(cat(command, snapshot_.job.name(), rest));
  }

  std::vector<std::string> hints() const {
    std::vector<std::string> hints = remedies(state_);
    const bool failed = state_.phase == job::Phase::failed && state_.first_failed;
    if (!failed || !last_lines().empty()) return hints;
    const job::ReplicaState& culprit = state_.replicas[*state_.first_failed];
    if (!culprit.pod.name.empty()) {
      hints.push_back(named("its log: trainctl logs ", "/" + culprit.id.name()));
    }
    return hints;
  }

  std::string policy(const std::string& restart) const {
    std::vector<std::string> parts;
    if (!restart.empty()) parts.push_back("restartPolicy " + restart);
    for (const char* name : {"cleanPodPolicy", "backoffLimit", "activeDeadlineSeconds",
                             "ttlSecondsAfterFinished", "suspend"}) {
      const Json* value = find(object_, cat(kind_.controller.run_policy, "/", name));
      if (value == nullptr || *value == false) continue;
      parts.push_back(
          cat(name, " ", value->is_string() ? value->get<std::string>() : dump(*value)));
    }
    return printable_line(join(parts, ", "));
  }

  // The job's data sources: "claim data at /data, secret hub in variable TOKEN (worker)".
  std::string sources() const {
    const std::size_t roles = job::replicas_of(kind_, object_).size();
    std::vector<std::string> parts;
    for (const job::Source& source : job::sources_of(kind_, object_)) {
      std::string part = cat(source.kind, source.name.empty() ? "" : " ", source.name,
                             source.place.starts_with("/") ? " at " : " in ", source.place);
      if (source.roles.size() < roles) part += cat(" (", join(source.roles, ", "), ")");
      parts.push_back(std::move(part));
    }
    return printable_line(join(parts, ", "));
  }

  // Roles that run the same program share one line, since the footprint counts them.
  std::string shared_program(const std::vector<RoleFacts>& roles) const {
    const RoleFacts& first = roles.front();
    return fact("Image", image_of(first)) + fact("Command", first.command) +
           fact("Policy", policy(first.restart));
  }

  std::string image_of(const RoleFacts& role) const {
    return viewer_.on_this_machine ? "" : printable_line(role.image);
  }

  std::string role_table(const std::vector<RoleFacts>& roles) const {
    Table rows({"ROLE", "COUNT", "RESTART", "IMAGE", "COMMAND"});
    for (const RoleFacts& each : roles) {
      rows.add({{each.role}, {each.count}, {each.restart}, {image_of(each)}, {each.command}});
    }
    return table(std::move(rows));
  }

  // A pod is called JOB-REPLICA, so a terminal's columns are better used for the reason.
  bool with_pods() const { return !console_.out_is_tty; }

  std::string replicas() const {
    if (state_.replicas.size() <= k_replicas_shown) {
      return replica_table(state_, console_, now_, with_pods());
    }
    job::JobState shown;
    shown.replicas = notable_replicas();
    const auto left_out = static_cast<long>(state_.replicas.size() - shown.replicas.size());
    return cat(replica_table(shown, console_, now_, with_pods()), plural(left_out, "more replica"),
               named(": trainctl get ", " -o wide\n"));
  }

  // Selects the unusual replicas, and a few of the usual ones.
  std::vector<job::ReplicaState> notable_replicas() const {
    constexpr int k_usual_shown = 3;
    std::map<job::RunState, int> counts;
    for (const job::ReplicaState& replica : state_.replicas) ++counts[replica.run.state];
    const auto usual = std::ranges::max_element(
        counts, [](const auto& a, const auto& b) { return a.second < b.second; });
    std::vector<job::ReplicaState> notable;
    int usual_left = k_usual_shown;
    for (const job::ReplicaState& replica : state_.replicas) {
      const bool plain = replica.run.state == usual->first && replica.restarts() == 0;
      if (plain ? usual_left-- > 0 : notable.size() < k_replicas_shown) notable.push_back(replica);
    }
    return notable;
  }

  std::string inits() const {
    return init_table(viewer_, job::init_summaries(kind_, object_, state_, snapshot_.pods));
  }

  // The culprit's last lines, as its pod's status keeps them, one by one as a traceback needs them.
  std::string last_lines() const {
    if (state_.phase != job::Phase::failed || !state_.first_failed) return "";
    const job::ReplicaState& failed = state_.replicas[*state_.first_failed];
    const bool by_node = job::pod_end(failed.run.reason).has_value();
    if (failed.run.message.empty() || failed.never_started() || by_node) return "";
    const std::vector<std::string> lines = job::significant_lines(failed.run.message);
    const std::size_t left_out = lines.size() > k_most_lines ? lines.size() - k_most_lines : 0;
    std::string text = cat(
        failed.id.name(), " ", job::exit_words(failed.last_exit.code, failed.run.reason),
        "; last lines",
        failed.pod.name.empty() ? "" : named(" (all: trainctl logs ", "/" + failed.id.name() + ")"),
        ":\n");
    for (std::size_t i = left_out; i < lines.size(); ++i) text += quoted(printable_line(lines[i]));
    return text;
  }

  // On a terminal the rest of a long line stands below its beginning, further in.
  std::string quoted(const std::string& line) const {
    if (!console_.out_is_tty || display_width(line) + 2 <= console_.width)
      return cat("  ", line, "\n");
    const std::size_t inset = 2 + std::min(line.find_first_not_of(' '), line.size());
    const auto width = static_cast<std::size_t>(console_.width);
    return cat(std::string(inset, ' '), wrapped(trim(line), inset + 2, width), "\n");
  }

  // A message that is cut off names no cause.
  std::string wrapped_events(std::span<const job::JobEvent> some) const {
    const EventTimes times = console_.out_is_tty ? EventTimes::ages : EventTimes::absolute;
    Table rows = event_table(some, times, now_);
    rows.wrap(console_);
    return rows.text(console_);
  }

  // As many of the newest events as fit the terminal, but at least k_least_events.
  std::string events(std::size_t lines_above) const {
    if (snapshot_.without_events) return "";
    const std::vector<job::JobEvent> all = job::merged(snapshot_.events);
    if (all.empty()) return "no events: a cluster usually keeps them for an hour\n";
    constexpr std::size_t k_beside = 3;  // the line about earlier events, a blank line, the prompt
    const auto height = static_cast<std::size_t>(console_.height);
    std::size_t shown = std::min(all.size(), k_events_shown);
    std::string text = wrapped_events(std::span(all).last(shown));
    while (console_.out_is_tty && shown > k_least_events &&
           lines_above + k_beside + count_lines(text) > height) {
      text = wrapped_events(std::span(all).last(--shown));
    }
    if (shown == all.size()) return text;
    return cat(text, plural(std::ssize(all) - static_cast<long>(shown), "earlier event"),
               named(": trainctl events ", "\n"));
  }

  const Viewer& viewer_;
  const Console& console_;
  const job::Kind& kind_;
  const Json& object_;
  const work::JobSnapshot& snapshot_;
  const job::JobState& state_;
  const job::MetricRecord& metrics_;
  Time now_;
};

}  // namespace

std::string description(const Viewer& viewer, const work::JobSnapshot& snapshot,
                        const job::MetricRecord& metrics) {
  return Description(viewer, snapshot, metrics).text();
}

}  // namespace trainctl::view
