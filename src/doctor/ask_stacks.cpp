// The signals first, replica by replica, then the end of each log.
#include <algorithm>
#include <utility>

#include "base/loop/wait_limit.h"
#include "base/text/terminal_text.h"
#include "base/text/text.h"
#include "doctor/collect.h"
#include "doctor/probe_processes.h"
#include "doctor/probe_script.h"
#include "kube/stream/log_stream.h"

namespace trainctl::work {
namespace {

using std::chrono::seconds;

constexpr seconds k_answer_time(2);  // of a process, as in the script
constexpr seconds k_way_time(6);
constexpr long k_most_of_tracebacks = 1 << 20;

// The processes of one replica that are asked.
struct SignalRound : kube::LineSink {
  explicit SignalRound(const Target& target) : target(&target) {}
  void on_line(const kube::LogLine& line) override {
    if (!line.stamp || !job::is_traceback_line(line.text)) return;
    lines.emplace_back(*line.stamp, line.text);
  }
  void on_end(const std::optional<kube::Failure>&) override { is_read = true; }

  const Target* target;
  std::vector<int> pids = {};
  std::vector<std::pair<int, Time>> signalled = {};      // the second is cut off
  std::vector<std::pair<Time, std::string>> lines = {};  // of tracebacks
  HandlePtr log = {};
  bool is_read = false;
};

std::vector<SignalRound> rounds_of(Console& console, const InsideLook& look) {
  std::vector<SignalRound> rounds;
  std::vector<std::string> names;
  for (const Target& target : look.targets) {
    SignalRound round(target);
    for (const job::Member& member : look.members) {
      if (member.replica != target.replica || !job::can_be_asked(member.process)) continue;
      round.pids.push_back(member.process.pid);
      names.push_back(cat(job::member_name(member), " (pid ", member.process.pid, ")"));
    }
    if (!round.pids.empty()) rounds.push_back(std::move(round));
  }
  console.notice(names.empty() ? "no SIGUSR1 is sent: no process without a stack handles it"
                               : cat("sending SIGUSR1 to ", some_of(names),
                                     ": each has a handler, which may not be faulthandler's"));
  return rounds;
}

Status send_signals(Access& access, std::vector<SignalRound>& rounds) {
  const std::string mark = access.unique_id();
  std::vector<Question> questions;
  for (const SignalRound& round : rounds) {
    const seconds longest = k_answer_time * static_cast<int>(round.pids.size()) + k_way_time;
    questions.push_back({*round.target, job::signal_command(mark, round.pids), longest});
  }
  return collect(access, questions, [&](std::size_t at, const Question& question) {
    for (const std::string& line : split(question.answer, '\n')) {
      const auto words = split(line, ' ');
      if (words.size() != 4 || words[0] != mark) continue;
      const Time second{seconds(parse_number<std::int32_t>(words[3]).value_or(0))};
      rounds[at].signalled.emplace_back(parse_number<int>(words[2]).value_or(0), second);
    }
  });
}

void read_log(kube::Client& client, seconds since, SignalRound& round) {
  kube::LogQuery query;
  query.ns = round.target->ns;
  query.pod = round.target->pod;
  query.container = round.target->container;
  query.since_seconds = since.count();
  query.limit_bytes = k_most_of_tracebacks;
  round.log = kube::open_log(client, query, round);
}

// Takes the lines that the log got from this signal to the next.
void take_traceback(const SignalRound& round, std::size_t at, InsideLook& look) {
  const auto& [pid, from] = round.signalled[at];
  const Time to = at + 1 < round.signalled.size() ? round.signalled[at + 1].second : Time::max();
  std::string text;
  for (const auto& [stamp, line] : round.lines) {
    if (stamp >= from && stamp < to) text += cat(line, '\n');
  }
  for (job::Member& member : look.members) {
    job::Process& process = member.process;
    if (member.replica != round.target->replica || process.pid != pid) continue;
    process.handles_signal = false;  // it is not asked twice
    process.stack = job::read_stack(text);
    if (!process.stack.empty()) return process.no_stack.clear();
    process.no_stack += "; SIGUSR1 brought no traceback into the log within 2 s";
  }
}

}  // namespace

Status ask_for_stacks(Access& access, InsideLook& look) {
  std::vector<SignalRound> rounds = rounds_of(access.console, look);
  if (rounds.empty()) return {};
  const Time begin = access.loop.now();
  TRY(send_signals(access, rounds));
  const seconds since = std::chrono::ceil<seconds>(access.loop.now() - begin) + k_way_time;
  TRY_ASSIGN(kube::Client * client, access.client());
  for (SignalRound& round : rounds) read_log(*client, since, round);
  bool is_late = false;
  const HandlePtr timer = access.loop.after(k_way_time, [&is_late] { is_late = true; });
  WaitLimit limit(access.loop, std::nullopt);
  TRY(limit.run_until(
      [&] { return is_late || std::ranges::all_of(rounds, &SignalRound::is_read); }));
  for (const SignalRound& round : rounds) {
    for (std::size_t at = 0; at < round.signalled.size(); ++at) take_traceback(round, at, look);
  }
  return {};
}

}  // namespace trainctl::work
