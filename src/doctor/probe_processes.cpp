// Starts the probe in replica after replica, and makes members of the answers.
#include "doctor/probe_processes.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "doctor/probe_script.h"
#include "follow/gpu_watch.h"
#include "logs/log_metrics.h"
#include "metrics/metric_words.h"
#include "status/judgement.h"
#include "status/state.h"
#include "work/session/session.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_looks_at_once = 32;
constexpr Duration k_longest_look = std::chrono::seconds(8);
constexpr Duration k_longest_sending = std::chrono::seconds(60);
constexpr std::size_t k_tool_room = std::size_t{256} << 10;  // of a tool, on its way to a replica
constexpr long k_last_lines = 20, k_most_of_log = 64 << 10;
constexpr std::size_t k_most_of_answer = std::size_t{1} << 20;

// One replica and its probe.
struct Look {
  job::Member
      member;  // of a replica that is not looked into; else replica, node and rank of its own
  job::ReplicaId replica;
  std::optional<Target> target;
  std::string answer;
  std::optional<Error> error;
  std::unique_ptr<kube::RemoteProcess> process;
  HandlePtr log, deadline;
  int open = 0;  // of process and log
  std::size_t sent = 0;
  bool is_over = false;
};

// One more process, in the first replica that runs.
struct GpuLook {
  bool is_wanted = false;
  std::string answer;
  std::unique_ptr<kube::RemoteProcess> process;
  HandlePtr deadline;
};

Look look_at(const FoundPods& found, const job::ReplicaId& replica, const std::string& container) {
  Look look;
  look.member.replica = replica.name();
  look.replica = replica;
  const auto rank = job::rank_of(*found.job.kind, found.job.object, replica);
  if (rank) look.member.rank = cat(*rank);
  if (const Json* pod = found.pod_of(replica)) {
    look.member.node = printable_line(text_at(*pod, "/spec/nodeName"));
  }
  Result<Target> target = target_of(found, replica, container);
  if (target) {
    look.target = *std::move(target);
    return look;
  }
  const bool starts = target.error().code == Code::not_started;
  look.member.absence = starts ? job::Absence::not_started : job::Absence::ended;
  look.error = std::move(target).error();
  return look;
}

// A launcher has no rank, and waits for the others by design.
void leave_out_launchers(std::vector<job::Member>& members) {
  const auto has_rank = [](const job::Member& member) { return !member.rank.empty(); };
  if (std::ranges::any_of(members, has_rank)) {
    std::erase_if(members, [&](const job::Member& member) {
      return !has_rank(member) && job::is_launcher(member.process);
    });
  }
}

class ProbeRun : public Handle {
 public:
  ProbeRun(Access& access, kube::Client& client, std::vector<Look> looks, bool has_gpus,
           const StackTool* tool, std::optional<Duration> longest,
           std::function<void(InsideLook)> on_end)
      : loop_(access.loop),
        client_(client),
        mark_(access.unique_id()),
        looks_(std::move(looks)),
        on_end_(std::move(on_end)) {
    if (tool && access.embedded != nullptr) tool_argument_ = tool->path;
    if (tool && access.embedded == nullptr) {
      tool_argument_ = cat(tool->content.size());
      to_send_ = tool->content;
    }
    gpus_.is_wanted = has_gpus;
    if (longest) limit_ = loop_.after(*longest, [this] { expire(); });
    // No callback before the caller has the handle.
    later_ = loop_.after({}, [this] { go_on(); });
  }

 private:
  InsideLook result() {
    InsideLook result;
    result.taken = loop_.now();
    result.last_line = metrics_.last_line();
    result.position = job::position_text(metrics_.record().position);
    result.gpus = job::gpu_words(gpus_.answer);
    for (Look& look : looks_) {
      if (look.target) take_answer(look, result);
      if (look.error && !result.first_error) result.first_error = look.error;
      if (look.member.absence != job::Absence::none) result.members.push_back(look.member);
    }
    leave_out_launchers(result.members);
    return result;
  }

  void go_on() {
    for (Look& each : looks_) {
      if (!each.is_over) continue;
      each.process.reset();
      each.log.reset();
      each.deadline.reset();
    }
    while (next_ < looks_.size() && running_ < k_looks_at_once) {
      Look& look = looks_[next_++];
      if (!look.target) continue;
      if (std::exchange(gpus_.is_wanted, false)) start_gpus(look);
      start(look);
    }
    // It may destroy this.
    if (running_ == 0 && on_end_) std::exchange(on_end_, {})(result());
  }

  void start(Look& look) {
    ++running_;
    look.open = 2;
    start_log(look);
    kube::RemoteQuery query = look.target->query();
    query.command = job::probe_command(mark_, tool_argument_);
    query.input = !to_send_.empty();
    kube::RemoteHandlers handlers;
    handlers.on_open = [this, &look] { send_more(look); };
    handlers.on_drained = [this, &look] { send_more(look); };
    handlers.on_output = [&look](std::string_view bytes) {
      look.answer += bytes.substr(0, k_most_of_answer - look.answer.size());
    };
    handlers.on_end = [this, &look, query](Result<kube::RemoteEnd> end) {
      const Status outcome = end ? status_of(*end, query) : Status(std::move(end).error());
      if (!outcome) look.error = outcome.error();
      end_part(look);
    };
    const Duration longest = to_send_.empty() ? k_longest_look : k_longest_sending;
    look.deadline = loop_.after(longest, [this, &look, longest] {
      const auto seconds = std::chrono::floor<std::chrono::seconds>(longest).count();
      if (!look.error) {
        look.error = Error{Code::timeout, cat("no answer within ", seconds, " s"), ""};
      }
      finish(look);
    });
    look.process = kube::start_process(client_, query, std::move(handlers));
  }

  // Many replicas share one memory, so little waits for each.
  void send_more(Look& look) {
    while (look.sent < to_send_.size() && look.process->waiting() < k_tool_room) {
      const std::string_view piece = to_send_.substr(look.sent, k_tool_room);
      look.sent += piece.size();
      look.process->write(piece);
    }
  }

  // A log that cannot be read says nothing, and is no error.
  void start_log(Look& look) {
    kube::LogQuery query;
    query.ns = look.target->ns;
    query.pod = look.target->pod;
    query.container = look.target->container;
    query.tail_lines = k_last_lines;
    query.limit_bytes = k_most_of_log;
    job::LogOrigin origin{look.replica, parse_number<int>(look.member.rank), query.container};
    look.log = job::read_log_metrics(client_, query, std::move(origin), metrics_,
                                     [this, &look](const Status&) { end_part(look); });
  }

  void start_gpus(const Look& look) {
    ++running_;
    kube::RemoteQuery query = look.target->query();
    query.command = job::gpu_command();
    kube::RemoteHandlers handlers;
    handlers.on_output = [this](std::string_view bytes) {
      gpus_.answer += bytes.substr(0, k_most_of_answer - gpus_.answer.size());
    };
    handlers.on_end = [this](const auto&) { end_gpus(); };
    gpus_.deadline = loop_.after(k_longest_look, [this] { end_gpus(); });
    gpus_.process = kube::start_process(client_, query, std::move(handlers));
  }

  void end_gpus() {
    if (gpus_.deadline == nullptr) return;
    const HandlePtr done = std::move(gpus_.deadline);
    --running_;
    later_ = loop_.after({}, [this] { go_on(); });
  }

  void end_part(Look& look) {
    if (--look.open == 0) finish(look);
  }

  void expire() {
    end_gpus();
    const Error late{Code::timeout, "no answer in time", ""};
    for (; next_ < looks_.size(); ++next_) {
      if (looks_[next_].target) looks_[next_].error = late;
    }
    for (Look& look : looks_) {
      if (look.process == nullptr || look.is_over) continue;
      look.error = late;
      finish(look);
    }
  }

  // The connection is closed later: this runs inside its callback.
  void finish(Look& look) {
    if (std::exchange(look.is_over, true)) return;
    --running_;
    later_ = loop_.after({}, [this] { go_on(); });
  }

  // An answer that was cut off still shows its first processes.
  void take_answer(Look& look, InsideLook& result) {
    if (!look.answer.empty()) result.raw.push_back({look.member.replica, look.answer});
    const job::ProbeAnswer answer = job::read_probe(look.answer, mark_);
    const auto processes = job::training_processes(answer);
    for (const job::Process& process : processes) {
      job::Member member = look.member;
      if (!process.rank.empty() || processes.size() > 1) member.rank = process.rank;
      member.process = process;
      member.is_cut = !answer.is_complete;
      result.members.push_back(std::move(member));
    }
    if (!processes.empty()) {
      result.targets.push_back(*look.target);
      return look.error.reset();
    }
    if (!look.error) look.error = Error{Code::error, "the probe saw no process", ""};
    // The container ran a moment ago.
    if (look.error->code == Code::not_found) {
      look.error->hint = cat("doctor needs sh in the image; trainctl logs ", look.target->name(),
                             " shows what it printed");
    }
    look.member.absence = job::Absence::unseen;
    look.member.why = look.error->message.empty()
                          ? cat("the probe exited with ", static_cast<int>(look.error->code))
                          : printable_line(look.error->message);
    if (look.error->message.empty()) look.error = Error{Code::error, look.member.why, ""};
  }

  Loop& loop_;
  kube::Client& client_;
  std::string mark_;
  std::string tool_argument_;  // of the probe
  std::string_view to_send_;
  std::vector<Look> looks_;
  std::function<void(InsideLook)> on_end_;
  std::size_t next_ = 0, running_ = 0;
  HandlePtr later_, limit_;
  job::JobMetrics metrics_;
  GpuLook gpus_;
};

// "Failed"; "" while it has not ended.
std::string end_of(const FoundPods& found) {
  const job::Phase phase = job::judge(*found.job.kind, found.job.object, found.pods, {}).phase;
  return job::is_final(phase) ? std::string(job::phase_name(phase)) : "";
}

// Everything of a job whose client works.
HandlePtr start_looks(Access& access, kube::Client& client, const FoundPods& found,
                      const std::vector<job::ReplicaId>& replicas, const std::string& container,
                      const StackTool* tool, std::optional<Duration> longest,
                      std::function<void(InsideLook)> on_end) {
  std::vector<Look> looks;
  for (const job::ReplicaId& replica : replicas) {
    looks.push_back(look_at(found, replica, container));
  }
  const bool is_part = replicas.size() < found.replicas().size();
  const auto named = [name = found.job.name(), ns = found.job.ns(), ended_as = end_of(found),
                      is_part, on_end = std::move(on_end)](InsideLook look) {
    look.job = name;
    look.ns = ns;
    look.ended_as = ended_as;
    look.is_part = is_part;
    on_end(std::move(look));
  };
  return std::make_unique<ProbeRun>(access, client, std::move(looks),
                                    job::has_gpus(found.job.object), tool, longest, named);
}

}  // namespace

Error unseen(const InsideLook& look) {
  const bool has_process = std::ranges::any_of(look.members, [](const job::Member& member) {
    return member.absence == job::Absence::unseen;
  });
  if (!look.ended_as.empty() && !has_process) {
    return {Code::not_found,
            cat(look.job, " has ended (", look.ended_as, "): no process is left to look into"),
            cat("trainctl why ", look.job, " shows the job's state")};
  }
  if (!look.first_error) {
    return {Code::not_found, cat(look.job, " has no replicas"),
            cat("trainctl why ", look.job, " shows the job's state")};
  }
  return in_context("cannot look inside", *look.first_error);
}

Result<InsideLook> probe_processes(Access& access, const TargetQuery& query,
                                   const std::optional<StackTool>& tool) {
  TRY_ASSIGN(const FoundPods found, find_job_pods(access, query));
  return probe_processes(access, found, query.container, tool);
}

Result<InsideLook> probe_processes(Access& access, const FoundPods& found,
                                   const std::string& container,
                                   const std::optional<StackTool>& tool) {
  std::vector<job::ReplicaId> replicas = found.replicas();
  if (!found.job.replica.empty()) {
    TRY_ASSIGN(const job::ReplicaId named,
               job::find_replica(*found.job.kind, found.job.object, found.job.replica, replicas));
    replicas = {named};
  }
  TRY_ASSIGN(kube::Client * client, access.client());
  std::optional<Error> stopped;
  std::optional<InsideLook> result;
  const auto signals = access.loop.ending_signals().watch([&](const EndingSignal& signal) {
    stopped = Error{signal.code, std::string(signal.what_happened), ""};
  });
  const HandlePtr looks =
      start_looks(access, *client, found, replicas, container, tool ? &*tool : nullptr, {},
                  [&](InsideLook look) { result = std::move(look); });
  access.loop.run_until([&] { return stopped || result; });
  if (stopped) return *std::move(stopped);
  return *std::move(result);
}

HandlePtr start_look(Access& access, const FoundPods& found, const std::string& container,
                     Duration longest, std::function<void(InsideLook)> on_end) {
  const auto client = access.client();
  if (!client) {
    return access.loop.after({}, [on_end, why = client.error()] {
      InsideLook none;
      none.first_error = why;
      on_end(std::move(none));
    });
  }
  return start_looks(access, **client, found, found.replicas(), container, nullptr, longest,
                     std::move(on_end));
}

}  // namespace trainctl::work
