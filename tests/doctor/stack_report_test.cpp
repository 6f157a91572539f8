// A report that has no room for all processes says which it leaves out.
#include "doctor/stack_report.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/fakes.h"

namespace trainctl::view {
namespace stack_report_test {

std::string screen_of(const work::InsideLook& look, const job::Diagnosis& diagnosis) {
  testing::BufferConsole console;
  return inside_screen(look, diagnosis,
                       {console, {}, false, [](const std::string& hint) { return hint; }});
}

work::InsideLook look_of(int ranks, int frames) {
  work::InsideLook look;
  for (int rank = 0; rank < ranks; ++rank) {
    job::Member member;
    member.replica = cat("worker-", rank);
    member.rank = cat(rank);
    for (int at = 0; at < frames; ++at) member.process.stack.push_back({"step", "train.py", at});
    look.members.push_back(member);
  }
  return look;
}

bool has_stack(const Json& report, int member) {
  return report["members"][static_cast<std::size_t>(member)].contains("stack");
}

TEST_CASE("the first line says how long the job has been silent, and what else is known") {
  work::InsideLook look = look_of(1, 1);
  look.job = "ddp";
  job::Diagnosis diagnosis;
  diagnosis.sentence = "all compute";
  diagnosis.confidence = job::Confidence::certain;
  const auto begins = [&](std::string_view line) {
    return screen_of(look, diagnosis).starts_with(line);
  };
  CHECK(begins("ddp: all compute\n"));
  look.taken = Time(std::chrono::minutes(20));
  look.last_line = Time(std::chrono::minutes(8));
  CHECK(begins("ddp: silent for 12m; all compute\n"));
  look.position = "1204/2000";
  look.gpus = "GPU 91 %, 34 of 80 GiB";
  CHECK(begins("ddp: silent for 12m, last at 1204/2000, GPU 91 %, 34 of 80 GiB; all compute\n"));
  look.last_line = look.taken + std::chrono::seconds(5);
  CHECK(begins("ddp: last at 1204/2000, GPU 91 %, 34 of 80 GiB; all compute\n"));
  CHECK(inside_report(look, diagnosis)["silentSeconds"] == 0);
}

TEST_CASE("each verdict about processes names a next command") {
  struct Sample {
    const char* name;
    job::Situation situation;
    bool has_suspect, is_part;
    std::string expected;
  };
  using enum job::Situation;
  const Sample samples[] = {
      {"a suspect", odd_one_out, true, false, "exec -it ddp/worker-0 -- sh"},
      {"an odd group", mismatch, true, false, "doctor ddp -o json"},
      {"groups of one size", mismatch, false, false, "doctor ddp -o json"},
      {"one collective", deadlock, false, false, "rerun ddp --env NCCL_DEBUG=INFO"},
      {"one replica of several", deadlock, false, true, "doctor ddp"},
      {"work", computing, false, false, "top ddp"},
      {"no pattern", mixed, false, false, "logs --all ddp"},
  };
  for (const Sample& sample : samples) {
    CAPTURE(sample.name);
    work::InsideLook look = look_of(2, 1);
    look.job = "ddp";
    look.members[0].replica = "worker-0";
    look.is_part = sample.is_part;
    job::Diagnosis diagnosis;
    diagnosis.situation = sample.situation;
    if (sample.has_suspect) diagnosis.suspects = {0};
    diagnosis.groups = {{{0}, "a.py:1 f", "all_reduce"}, {{1}, "b.py:1 f", "all_reduce"}};
    const std::string screen = screen_of(look, diagnosis);
    CHECK(screen.ends_with(cat("\nnext: trainctl ", sample.expected, "\n")));
  }
}

TEST_CASE("a report stays small, and keeps the stacks of those that keep the others waiting") {
  job::Diagnosis diagnosis;
  diagnosis.suspects = {1};
  const Json small = bounded_inside_report(look_of(2, 3), diagnosis);
  CHECK((has_stack(small, 0) && has_stack(small, 1)));
  CHECK_FALSE(small.contains("doubt"));

  const Json large = bounded_inside_report(look_of(100, 100), diagnosis);
  CHECK_FALSE(has_stack(large, 0));
  CHECK(has_stack(large, 1));
  CHECK(large["doubt"] == "left out for their size: stacks");

  const work::InsideLook look = look_of(5000, 1);
  const Json huge = bounded_inside_report(look, diagnosis);
  CHECK(dump(huge).size() < std::size_t{64} << 10);
  CHECK(huge["members"].empty());
  CHECK(huge["doubt"] == "left out for their size: members, groups and suspects");
  CHECK(inside_report(look, diagnosis)["members"].size() == 5000);
}

}  // namespace stack_report_test
}  // namespace trainctl::view
