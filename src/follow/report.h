// The versioned JSON that -o json prints for jobs ("trainctl/v1").
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "base/text/time.h"
#include "base/value/json.h"
#include "manifest/kind/kind.h"
#include "metrics/metric_record.h"
#include "status/events.h"
#include "status/state.h"

namespace trainctl::job {

// The fate of a job that had not ended when following did.
struct Left {};     // it continues
struct Deleted {};  // by --on-give-up, --on-stall or --on-interrupt
struct NotDeleted {
  Error why;  // one of these flags asked for it, and it failed
};
using Leftover =
    std::variant<std::monostate, Left, Deleted, NotDeleted>;  // monostate: it had ended

// The end of following a job.
struct Outcome {
  Status verdict;
  Time began, ended;                    // of following
  std::optional<ReplicaState> culprit;  // the replica that the verdict blames
  std::vector<std::string> last_lines;  // of its log
  MetricRecord metrics = {};            // that the job printed
  Leftover job = {};
  bool attached = false;  // the job existed before the command that submits it
  bool unread = false;    // the job is over, and lines of its logs were not read
};

// Optional parts of a report beside the state; null = left out.
struct ReportDetails {
  const Outcome* outcome = nullptr;
  const std::vector<JobEvent>* events = nullptr;
  const Json* inside = nullptr;           // what its processes wait for, as doctor prints it
  const MetricRecord* metrics = nullptr;  // without an outcome, which has its own
};

// {"apiVersion":"trainctl/v1","kind":"JobReport","name","namespace","jobKind","phase","reason","message",
//  "since","replicas":[{"name","role","index","rank","pod","node","state","reason","exitCode",
//  "restarts","since"}],"events":[…],"code":{…},"object":{…}}; absent facts are left out. With an
//  outcome, replicas have the "seconds" from their pod's start to its last exit, and also:
// "attached" if the job existed before,
// "verdict":{"result" (exit_word), "exitStatus","message","hint", "job","deletionError"},
// "followed":{"began","ended","seconds"} and, when a replica is to blame,
// "digest":{"replica","exitCode","signal","reason","finished","lastLines"}, and "metrics"
// (metrics_json, without points) when the job printed some. "doctor" when somebody looked inside.
Json job_report(const Kind& kind, const Json& job, const JobState& state,
                const ReportDetails& details = {});
// The report of a job that was refused or not found, of which only the name is known. No phase,
// replicas or object; no jobKind when `kind` is null.
Json report_without_job(const Kind* kind, std::string_view ns, std::string_view name,
                        const Outcome& outcome);
Json job_report_list(std::vector<Json> reports);

// The job in titles: its name; without one "-l LABELS", by which it was sought, or "(newest)".
std::string title_name(const Json& report);

// "best loss 0.3401 at 1200: sweep-3 (lr=1e-3)", of the jobs that succeeded and print the same
// metric first; "" for less than two of them, and for a metric of which no value is better than
// another.
std::string best_job(std::span<const Json> reports);

// Says in the report of an attempt (--retry) whether another one follows it.
inline bool is_retried(const Json& report) {
  return true_at(report, "/retried");
}

inline void set_retried(Json& report, bool retried) {
  report["retried"] = retried;
}

// Replaces how the wait for the job ended.
void set_verdict(Json& report, const Status& verdict);

// Jobs' reports in the XML that CI systems read as test results. One <testsuite> for each report,
// named after its job: a <testcase> for the verdict and one for each replica; the verdict's
// <failure> (the job failed) or <error> (anything else) holds the digest. When the verdict is a
// success, or another attempt followed, nothing is a failure. The reports are JobReports with
// outcomes. Characters that XML 1.0 cannot hold become U+FFFD.
std::string junit_xml(std::span<const Json> reports);

// A job's report as a short page of Markdown, for the summary of a CI run: heading with verdict, a
// table of the replicas, and the digest's last lines folded away. `report` is a JobReport with an
// outcome. Text from the cluster cannot break out of its cell or its fence.
std::string markdown_summary(const Json& report);

}  // namespace trainctl::job
