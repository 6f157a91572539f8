// Starts the probe in replica after replica, and makes members of the answers.
#include "work/session/look_inside.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "job/stacks/probe_script.h"
#include "work/session/session.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_looks_at_once = 32;
constexpr Duration k_longest_look = std::chrono::seconds(8);
constexpr std::size_t k_most_of_answer = std::size_t{1} << 20;

// One replica and its probe.
struct Look {
  job::Member
      member;  // of a replica that is not looked into; else replica, node and rank of its own
  std::optional<Target> target;
  std::string answer;
  std::optional<Error> error;
  std::unique_ptr<kube::RemoteProcess> process;
  HandlePtr deadline;
  bool is_over = false;
};

Look look_at(const JobPods& found, const job::ReplicaId& replica, const std::string& container) {
  Look look;
  look.member.replica = replica.name();
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

class Looks {
 public:
  Looks(Access& access, kube::Client& client, std::vector<Look> looks)
      : loop_(access.loop), client_(client), mark_(access.unique_id()), looks_(std::move(looks)) {}

  Status run() {
    std::optional<Error> stopped;
    const auto signals = loop_.ending_signals().watch([&stopped](const EndingSignal& signal) {
      stopped = Error{signal.code, std::string(signal.what_happened), ""};
    });
    start_some();
    loop_.run_until([&] { return stopped || (running_ == 0 && next_ == looks_.size()); });
    for (Look& look : looks_) {
      look.process.reset();
      look.deadline.reset();
    }
    if (stopped) return *std::move(stopped);
    return {};
  }

  InsideLook result() {
    InsideLook result;
    for (Look& look : looks_) {
      if (look.target) take_answer(look, result);
      if (look.error && !result.first_error) result.first_error = look.error;
      if (look.member.absence != job::Absence::none) result.members.push_back(look.member);
    }
    return result;
  }

 private:
  void start_some() {
    while (next_ < looks_.size() && running_ < k_looks_at_once) {
      Look& look = looks_[next_++];
      if (look.target) start(look);
    }
  }

  void start(Look& look) {
    ++running_;
    kube::RemoteQuery query = look.target->query();
    query.command = job::probe_command(mark_);
    kube::RemoteHandlers handlers;
    handlers.on_output = [&look](std::string_view bytes) {
      look.answer += bytes.substr(0, k_most_of_answer - look.answer.size());
    };
    handlers.on_end = [this, &look, query](Result<kube::RemoteEnd> end) {
      const Status outcome = end ? status_of(*end, query) : Status(std::move(end).error());
      if (!outcome) look.error = outcome.error();
      finish(look);
    };
    look.deadline = loop_.after(k_longest_look, [this, &look] {
      look.error = Error{Code::timeout, "no answer within 8 s", ""};
      finish(look);
    });
    look.process = kube::start_process(client_, query, std::move(handlers));
  }

  // The connection is closed later: this runs inside its callback.
  void finish(Look& look) {
    if (std::exchange(look.is_over, true)) return;
    --running_;
    later_ = loop_.after({}, [this] {
      for (Look& each : looks_) {
        if (!each.is_over) continue;
        each.process.reset();
        each.deadline.reset();
      }
      start_some();
    });
  }

  // An answer that was cut off still shows its first processes.
  void take_answer(Look& look, InsideLook& result) {
    if (!look.answer.empty()) result.raw.push_back({look.member.replica, look.answer});
    const auto processes = job::training_processes(job::read_probe(look.answer, mark_));
    for (const job::Process& process : processes) {
      job::Member member = look.member;
      if (!process.rank.empty() || processes.size() > 1) member.rank = process.rank;
      member.process = process;
      result.members.push_back(std::move(member));
    }
    if (!processes.empty()) return look.error.reset();
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
  std::vector<Look> looks_;
  std::size_t next_ = 0, running_ = 0;
  HandlePtr later_;
};

// A launcher has no rank, and waits for the others by design.
void leave_out_launchers(std::vector<job::Member>& members) {
  const auto has_rank = [](const job::Member& member) { return !member.rank.empty(); };
  if (std::ranges::any_of(members, has_rank)) {
    std::erase_if(members, [&](const job::Member& member) {
      return !has_rank(member) && job::is_launcher(member.process);
    });
  }
}

}  // namespace

Result<InsideLook> look_inside(Access& access, const TargetQuery& query) {
  TRY_ASSIGN(const JobPods found, find_job_pods(access, query));
  std::vector<job::ReplicaId> replicas = found.replicas();
  if (!found.job.replica.empty()) {
    TRY_ASSIGN(const job::ReplicaId named,
               job::find_replica(*found.job.kind, found.job.object, found.job.replica, replicas));
    replicas = {named};
  }
  std::vector<Look> looks;
  for (const job::ReplicaId& replica : replicas) {
    looks.push_back(look_at(found, replica, query.container));
  }
  TRY_ASSIGN(kube::Client * client, access.client());
  Looks all(access, *client, std::move(looks));
  TRY(all.run());
  InsideLook result = all.result();
  leave_out_launchers(result.members);
  result.job = found.job.name();
  result.ns = found.job.ns();
  return result;
}

}  // namespace trainctl::work
