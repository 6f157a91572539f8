// Tells giving up and being interrupted from a verdict.
#include "job/follow/leaving.h"

#include <algorithm>

#include "base/loop/ending_signals.h"
#include "base/text/text.h"

namespace trainctl::job {
namespace {

using std::chrono::seconds;

constexpr std::int64_t k_default_grace = 30;  // seconds, of a pod that does not say
constexpr std::int64_t k_longest_grace = 24 * 3600;
// For the garbage collector to reach the pods, and for the last lines on their way.
constexpr Duration k_a_little = seconds(15);

bool is_interruption(Code code) {
  return ending_signal(code) != nullptr || code == Code::broken_pipe;
}

std::string_view interruption(Code code) {
  const EndingSignal* signal = ending_signal(code);
  return signal != nullptr ? signal->what_happened : "the reader of stdout went away";
}

}  // namespace

bool is_given_up(const Status& verdict, EndedBy by, Phase phase, const LogSelection& selection) {
  if (verdict || is_final(phase) || by == EndedBy::lost_output) return false;
  const Code code = verdict.error().code;
  if (is_interruption(code)) return false;
  if (code == Code::usage || code == Code::not_found || code == Code::removed) return false;
  return code != Code::job_failed || selection.replica.empty();
}

std::string_view deleting_flag(const LeaveRules& rules, const Status& verdict, EndedBy by,
                               Phase phase, const LogSelection& selection) {
  if (verdict || is_final(phase)) return "";
  if (is_interruption(verdict.error().code) || by == EndedBy::lost_output) {
    return rules.delete_on_interrupt ? "--on-interrupt=cancel" : "";
  }
  const bool given_up = is_given_up(verdict, by, phase, selection);
  return rules.delete_on_give_up && given_up ? "--on-give-up=delete" : "";
}

Error going_on(Error output_lost, std::string_view job_name) {
  if (output_lost.hint.empty()) {
    output_lost.hint = cat("the job continues; follow it again: trainctl logs -f ", job_name);
  }
  return output_lost;
}

Error after_deletion(Error verdict, std::string_view job_name, std::string_view flag) {
  if (is_interruption(verdict.code)) verdict.message = interruption(verdict.code);
  verdict.message += cat("; job ", job_name, " was deleted (", flag, ")");
  verdict.hint.clear();
  return verdict;
}

Duration longest_stop(const Kind& kind, const Json& job) {
  std::int64_t longest = 0;
  for (const Role& role : kind.roles) {
    if (replica_count(kind, job, role) == 0) continue;
    const std::string place =
        cat(kind.replica_specs, '/', role.name, "/template/spec/terminationGracePeriodSeconds");
    longest = std::max(longest, int_at(job, place).value_or(k_default_grace));
  }
  return seconds(std::min(longest, k_longest_grace)) + k_a_little;
}

}  // namespace trainctl::job
