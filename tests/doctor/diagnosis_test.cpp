// Situations of silent jobs, and the sentence that each gets.
#include "doctor/diagnosis.h"

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::job {
namespace diagnosis_test {

// "state wchan frame<frame", a frame as FUNCTION@FILE:LINE; "ended", "not-started", "unseen".
Member member(int rank, const std::string& text) {
  Member result{cat("worker-", rank), cat(rank), "", Absence::none, "", {}, false};
  if (text == "ended") result.absence = Absence::ended;
  if (text == "not-started") result.absence = Absence::not_started;
  if (text.starts_with("unseen")) {
    result.absence = Absence::unseen;
    result.why = text.substr(7);
  }
  if (result.absence != Absence::none) return result;
  const auto parts = split(text, ' ');
  result.process.state = parts.at(0).at(0);
  result.process.wchan = parts.at(1) == "-" ? "" : parts.at(1);
  for (const std::string& frame : split(parts.size() > 2 ? parts[2] : "", '<')) {
    if (frame.empty()) continue;
    const auto [name, place, has_place] = split_once(frame, '@');
    const auto [file, line, has_line] = split_once(place, ':');
    result.process.stack.push_back({name, file, parse_number<int>(line).value_or(0)});
  }
  return result;
}

const std::string k_reduce =
    "S futex_wait_queue all_reduce@/l/site-packages/d.py:9<step@train.py:140";
const std::string k_shard = "D - read_shard@data.py:88<step@train.py:130";

std::vector<Member> with(std::size_t count, const std::string& most,
                         const std::vector<std::pair<std::size_t, std::string>>& others) {
  std::vector<Member> all;
  for (std::size_t at = 0; at < count; ++at) {
    std::string text = most;
    for (const auto& [rank, other] : others) {
      if (rank == at) text = other;
    }
    all.push_back(member(static_cast<int>(at), text));
  }
  return all;
}

struct Sample {
  const char* name;
  std::vector<Member> members;
  std::string expected;  // situation, confidence: sentence
  std::string doubt = "";
};

std::string said(const Diagnosis& diagnosis) {
  return cat(situation_name(diagnosis.situation), ", ", confidence_name(diagnosis.confidence), ": ",
             diagnosis.sentence);
}

TEST_CASE("each situation gets its verdict, which claims no more than was seen") {
  const std::vector<Sample> samples = {
      {"one reads data before all_reduce", with(64, k_reduce, {{17, k_shard}}),
       "odd-one-out, likely: rank 17 is not in the collective that the others wait in: data.py:88 "
       "read_shard (state D, storage)"},
      {"one hangs in an exception handler",
       with(4, k_reduce, {{2, "S pipe_read close@log.py:3<excepthook@train.py:7"}}),
       "odd-one-out, likely: rank 2 is not in the collective that the others wait in: log.py:3 "
       "close "
       "(state S, pipe_read); it handles an error or exits"},
      {"one waits for a lock", with(4, k_reduce, {{1, "S futex_do_wait take@cache.py:5"}}),
       "odd-one-out, likely: rank 1 is not in the collective that the others wait in: cache.py:5 "
       "take "
       "(state S, futex_do_wait)"},
      {"one is stopped", with(4, k_reduce, {{1, "T do_signal_stop"}}),
       "stopped, certain: rank 1 is stopped (SIGSTOP or a debugger)"},
      {"one reads a FIFO, no stacks", with(4, "S futex_wait_queue", {{2, "S pipe_read"}}),
       "waiting, likely: rank 2 reads a pipe that gives nothing "
       "(state S, pipe_read)"},
      {"one has crashed", with(4, k_reduce, {{3, "ended"}}),
       "peer-ended, likely: rank 3 has ended and its peers wait in all_reduce"},
      {"one has not started", with(4, k_reduce, {{3, "not-started"}}),
       "peer-ended, likely: rank 3 has not started and its peers wait in all_reduce"},
      {"the collectives differ",
       with(4, k_reduce, {{0, "S futex_wait_queue barrier@d.py:4<save@train.py:150"}}),
       "mismatch, likely: ranks wait in different collectives: all_reduce (3), barrier (1)"},
      {"one collective, two lines",
       with(4, k_reduce, {{0, "S futex_wait_queue all_reduce@d.py:4<save@train.py:150"}}),
       "mismatch, possible: all ranks wait in all_reduce, called from different lines"},
      {"all in one collective", with(4, k_reduce, {}),
       "deadlock, possible: all ranks wait in all_reduce: deadlock or network"},
      {"all compute", with(4, "R -", {}), "computing, likely: all ranks compute: slow, not hung",
       "a rank that polls its GPU looks the same; look again in a minute, and at trainctl top"},
      {"one waits for storage, no stacks", with(8, "S do_poll", {{2, "D nfs_wait"}}),
       "storage, likely: rank 2 waits for storage (state D, storage, nfs_wait)"},
      {"the odd one still computes", with(4, k_reduce, {{1, "R - forward@model.py:3"}}),
       "odd-one-out, possible: rank 1 is not in the collective that the others wait in: model.py:3 "
       "forward (state R)",
       "it still computes, and may only be slow"},
      {"half of them are elsewhere", with(4, k_reduce, {{1, k_shard}, {2, k_shard}}),
       "mixed, possible: 2 of 4 ranks wait in all_reduce; the others are elsewhere"},
      {"one cannot be seen", with(4, k_reduce, {{1, "unseen no program sh"}}),
       "deadlock, possible: 3 of 4 ranks wait in all_reduce", "not seen: rank 1 (no program sh)"},
      {"none can be seen", with(2, "unseen no program sh", {}),
       "not-seen, certain: cannot look inside: no program sh"},
      {"one elsewhere, without a collective",
       with(8, "S do_poll loop@t.py:1", {{5, "S x f@t.py:9"}}),
       "waiting, possible: rank 5 is not where the others are: t.py:9 f (state S, x)",
       "no rank is in a collective that trainctl knows"},
      {"no pattern", with(2, "R -", {{1, "S x"}}),
       "mixed, possible: the ranks show no pattern: 1 of 2 ranks compute, 1 wait"},
      {"all wait in one way", with(2, "S futex_do_wait", {}),
       "waiting, possible: each rank: waits for a lock or a thread (state S, futex_do_wait)"},
      {"nobody", {}, "not-seen, certain: cannot look inside: no replica runs"},
  };
  for (const Sample& sample : samples) {
    CAPTURE(sample.name);
    const Diagnosis diagnosis = diagnose(sample.members);
    CHECK(said(diagnosis) == sample.expected);
    CHECK(diagnosis.doubt == sample.doubt);
  }
}

TEST_CASE("a verdict is less sure where the answer of a replica was cut") {
  std::vector<Member> members = with(4, "S futex_wait_queue", {{2, "S pipe_read"}});
  const std::string sure = said(diagnose(members));
  members[2].is_cut = true;
  const Diagnosis diagnosis = diagnose(members);
  CHECK(sure.starts_with("waiting, likely: "));
  CHECK(said(diagnosis).starts_with("waiting, possible: "));
  CHECK(diagnosis.doubt == "cut off, so processes may be missing: the answer of worker-2");
}

TEST_CASE("the largest group comes first, and suspects are numbers of members") {
  const Diagnosis diagnosis = diagnose(with(64, k_reduce, {{17, k_shard}}));
  REQUIRE(diagnosis.groups.size() == 2);
  CHECK(diagnosis.groups[0].members.size() == 63);
  CHECK(diagnosis.groups[0].place == "train.py:140 step");
  CHECK(diagnosis.groups[0].collective == "all_reduce");
  CHECK(diagnosis.suspects == std::vector<std::size_t>{17});
}

TEST_CASE("many outliers are no suspects") {
  std::vector<std::pair<std::size_t, std::string>> others;
  for (std::size_t at = 0; at < 11; ++at) others.emplace_back(at, k_shard);
  CHECK(diagnose(with(64, k_reduce, others)).suspects.empty());
}

}  // namespace diagnosis_test
}  // namespace trainctl::job
