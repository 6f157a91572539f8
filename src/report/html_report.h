// One run, or the jobs of an array, as one HTML file to attach to a ticket or a paper. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "history/run_report.h"
#include "metrics/metric_record.h"
#include "report/timeline.h"
#include "status/events.h"

namespace trainctl::view {

// No page is larger, whatever its run has printed: each part has its share, and says what it left
// out.
inline constexpr std::size_t k_largest_page = std::size_t{200} << 10U;

enum class Tone { good, doubtful, bad, busy };  // doubtful: succeeded, but the loss is NaN

struct PageVerdict {
  Tone tone = Tone::busy;
  std::string words;  // "failed"
  std::string cause;
  std::vector<std::string> details;
  std::string next;  // what to do: a command, or a sentence
};

struct PageFact {
  std::string name, value;
  bool is_typed = false;  // a command line
};

// The last lines of a replica's log.
struct PageLog {
  static constexpr std::size_t k_most_lines = 60;
  static constexpr int k_most_columns = 300;

  std::string replica;
  std::vector<std::string> lines;
};

// How the run differs from the one before it of the same name.
struct PageDifferences {
  std::string before;                   // "run 11"
  std::vector<work::Difference> found;  // a: before, b: this run
};

struct RunPage {
  std::string title;   // the job's name
  std::string values;  // of a job of an array: "lr=1e-3 seed=2"
  PageVerdict verdict;
  std::optional<Duration> duration;
  std::vector<PageFact> facts;
  job::MetricRecord metrics;
  Timeline timeline;
  PageLog log;
  std::vector<job::JobEvent> events;
  std::string manifest;  // YAML, without secrets
  PageDifferences differences;
  std::string made;  // by which program, and when
};

std::string run_html(const RunPage& page);

// Leaves what run_html shows of a run and jobs_html does not, since there may be a thousand.
RunPage as_member(RunPage page);
// `title`: the array's name, or "3 jobs". The failed jobs come first, then the best.
std::string jobs_html(const std::string& title, std::vector<RunPage> members);

}  // namespace trainctl::view
