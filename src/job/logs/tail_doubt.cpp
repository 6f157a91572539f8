// Of which run an answer is: a server does not say, and a container may restart at any moment.
#include <algorithm>

#include "base/text.h"
#include "job/logs/tail.h"

namespace trainctl::job {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Until a status has told what a node has done. A kubelet looks at its containers once a second and
// answers by what it saw; it tells the API server at once.
constexpr Duration k_until_told = seconds(2);
// An answer so soon after a status is of the run in it: the next one takes a kubelet longer.
constexpr Duration k_fresh = milliseconds(400);
// Also the very first answer, when it came so soon, or a line so soon after its container's start.
constexpr Duration k_first = seconds(2);
// Of an ended run: half a minute, three times as long as a kubelet takes to tell of another.
constexpr int k_refusals = 16;
constexpr Duration k_precision = seconds(1);  // of a status
// Of lines that wait until it is known whose they are.
constexpr std::size_t k_most_doubtful = std::size_t{1} << 20;

}  // namespace

// The next run may have answered, or a pod that was given the name of this one.
bool Tail::could_be_anothers() const {
  return options_.follow && !target_.container_id.empty() && stage_ != Stage::done;
}

// A line not told before, of an answer that has brought none told before: either the node has
// rotated the log, or a run has begun that no status has told of yet.
bool Tail::is_ours(const kube::LogLine& line) const {
  if (!could_be_anothers()) return true;
  if (finished_ && *line.stamp < *finished_) return true;
  if (answer_.resumes) return false;
  if (finished_) return is_fresh() && *line.stamp < *finished_ + k_precision;
  return is_fresh() || (options_.started && *line.stamp < *options_.started + k_first);
}

bool Tail::is_fresh() const {
  const Duration age = *answer_.opened - known_at_;
  const bool first = answer_.first && !finished_;
  return age >= Duration::zero() && age <= (first ? k_first : k_fresh);
}

// Also an answer without any line may be the next run's.
bool Tail::in_doubt() const {
  if (answer_.ours || !answer_.opened) return false;
  if (!answer_.doubtful.empty()) return true;
  const bool current_rest = answer_.over && answer_.drains && !answer_.previous;
  if (!current_rest || !may_restart_ || !could_be_anothers()) return false;
  return answer_.resumes || !is_fresh();
}

void Tail::doubt(const LogPiece& piece) {
  answer_.doubtful.emplace_back(piece);
  answer_.doubtful_size += answer_.doubtful.back().size();
  if (answer_.doubtful_size > k_most_doubtful) {
    request_.reset();
    silence_timer_.reset();
  }
  ask_whose();
}

// By a status that has had the time to tell of a new run, if there was one.
void Tail::ask_whose() {
  if (question_ != nullptr) return;
  const Duration wait = *answer_.opened + k_until_told - client_.loop().now();
  question_ = client_.loop().after(std::max(wait, Duration{}), [this] {
    question_ = ask_known_runs(client_, target_, [this](const auto& answer) {
      question_.reset();
      on_known_runs(answer);
    });
  });
}

void Tail::on_known_runs(const std::variant<KnownRuns, kube::Failure>& answer) {
  if (const auto* failure = std::get_if<kube::Failure>(&answer)) {
    const int status = failure->refusal.status;
    if (status == 0 || status == 429 || status >= 500) {
      drop_answer();
      return open_after(k_until_told);
    }
    handlers_.on_notice(cat("log of ", target_.pod, ": cannot tell which of its runs comes next (",
                            failure->error.message, ")"));
    return settle();
  }
  const auto& runs = std::get<KnownRuns>(answer);
  const bool known = (answer_.previous ? runs.previous : runs.current) == target_.container_id;
  if (!known) return refuse_answer();
  const auto from = next_runs_begin();
  if (!from) return settle();
  question_ = ask_run_before(client_, query(), *from, [this](bool next_one_wrote) {
    question_.reset();
    if (next_one_wrote) return refuse_answer();
    settle();
  });
}

// What was told came after this run's end: the next one answered, and this one is still unread.
bool Tail::leave_to_next_run() {
  if (!first_ || !finished_ || *first_ < *finished_) return false;
  // Else they may be a short run's own.
  if (*first_ >= *finished_ + k_precision) told_ahead_ = ToldAhead{*first_, *last_};
  first_.reset();
  last_.reset();
  late_ = true;
  return true;
}

// Of the run before the current one a line from then on tells that the answer is another run's:
// where that was to be this run, the next one has ended too, else this one has.
std::optional<Time> Tail::next_runs_begin() const {
  if (!answer_.previous && first_) return first_;
  const auto& known = answer_.previous ? finished_ : options_.started;
  return known ? std::optional(*known + k_precision) : std::nullopt;
}

// The watch will say what has become of this run.
void Tail::refuse_answer() {
  if (is_gone()) return finish_gone();
  drop_answer();
  if (has_ended() && ++refusals_ >= k_refusals) {
    tell_gap_after("its node answers for another run, of which the API server does not know");
    return finish({});
  }
  open_after(k_until_told);
}

// What has been learnt since may have answered the question.
bool Tail::is_settled() const {
  return !answer_.ours && !answer_.doubtful.empty() && is_ours(answer_.doubtful.front().line());
}

void Tail::trust_answer() {
  if (std::exchange(answer_.ours, true)) return;
  question_.reset();
  for (const KeptPiece& piece : std::exchange(answer_.doubtful, {})) tell(piece);
}

// The answer is this run's: goes on where it waited.
void Tail::settle() {
  trust_answer();
  if (stage_ == Stage::done || request_ != nullptr) return;
  if (answer_.over) return on_end();
  open_after({});
}

}  // namespace trainctl::job
