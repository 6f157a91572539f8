// A dump is decoded as soon as it is here, since all of a large job would fill the memory.
#include <algorithm>
#include <utility>

#include "base/text/text.h"
#include "doctor/collect.h"
#include "doctor/flight_record.h"
#include "doctor/probe_processes.h"

namespace trainctl::work {
namespace {

constexpr std::size_t k_largest_dump = std::size_t{8} << 20;
constexpr Duration k_longest_reading = std::chrono::seconds(20);

Status take(int rank, const Question& question, job::FlightRecords& records) {
  if (question.error) return *question.error;
  if (question.answer.size() > k_largest_dump) return Error{Code::error, "it exceeds 8 MiB", ""};
  return records.add(rank, question.answer);
}

// "dumps of 3 of 4 ranks, that collective began 12m ago"
std::string source_of(const InsideLook& look, std::size_t read, std::int64_t began_ns) {
  const auto all = std::ranges::count(look.members, job::Absence::none, &job::Member::absence);
  const Duration began = std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(began_ns));
  const Duration age = look.taken.time_since_epoch() - began;
  return cat("dumps of ", read, " of ", all, all == 1 ? " rank" : " ranks",
             began_ns > 0 && age > Duration{}
                 ? cat(", that collective began ", format_age(age), " ago")
                 : "");
}

}  // namespace

Status read_dumps(Access& access, InsideLook& look) {
  std::vector<int> ranks;
  std::vector<Question> questions;
  for (const job::Member& member : look.members) {
    const std::string& path = member.process.dump;
    const auto target = std::ranges::find(look.targets, member.replica, &Target::replica);
    const auto rank = parse_number<int>(member.process.rank);
    if (path.empty() || !rank || target == look.targets.end()) continue;
    ranks.push_back(*rank);
    questions.push_back({*target,
                         {"head", "-c", cat(k_largest_dump + 1), "--", path},
                         k_longest_reading,
                         k_largest_dump + 1});
  }
  job::FlightRecords records({ranks.begin(), ranks.end()});
  std::string refusal;
  TRY(collect(access, questions, [&](std::size_t at, Question& question) {
    const Status taken = take(ranks[at], question, records);
    question.answer = {};
    if (taken || !refusal.empty()) return;
    refusal = cat("the dump of rank ", ranks[at],
                  " cannot be read: ", printable_line(taken.error().message));
  }));
  const job::RecordVerdict verdict = records.verdict();
  if (!verdict.sentence.empty()) {
    look.flight_record =
        cat(verdict.sentence, " (", source_of(look, records.size(), verdict.created_ns), ")");
  }
  if (refusal.empty()) return {};
  look.flight_record += cat(look.flight_record.empty() ? "" : "; ", refusal);
  return {};
}

}  // namespace trainctl::work
