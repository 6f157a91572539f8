// When a log is whole: stopping an answer too early loses the last lines, the ones that say why.
#include <vector>

#include <doctest/doctest.h>

#include "job/logs/run_log.h"

namespace trainctl::job {
namespace TEST_FILE {

using Next = EndEvidence::Next;

constexpr EndEvidence::Answer k_stream{.behind_newest = true};
constexpr EndEvidence::Answer k_whole{.behind_newest = true, .drains = true};
constexpr EndEvidence::Answer k_short{.drains = true};
constexpr EndEvidence::Answer k_last_chance{
    .behind_newest = true, .drains = true, .suffices = true};

struct Row {
  std::vector<EndEvidence::Answer> answers;
  Next next;
  bool whole;
};

TEST_CASE("a log is whole when two answers after its container's end agree where it ends") {
  const Row rows[] = {
      {{k_stream}, Next::read_on, false},
      {{k_stream, k_stream}, Next::read_on, false},
      {{k_stream, k_whole}, Next::whole, true},
      {{k_whole}, Next::confirm, true},
      {{k_whole, k_whole}, Next::whole, true},
      {{k_whole, k_short}, Next::look_again, false},
      {{k_short, k_whole}, Next::confirm, true},
      {{k_short, k_whole, k_whole}, Next::whole, true},
      {{k_last_chance}, Next::whole, true},
      {{k_short, k_short, k_short, k_short, k_short}, Next::look_again, false},
      {{k_short, k_short, k_short, k_short, k_short, k_short}, Next::lost, false},
  };
  for (const Row& row : rows) {
    CAPTURE(&row - rows);
    EndEvidence end;
    Next next = Next::read_on;
    for (const auto& answer : row.answers) next = end.ended(answer);
    CHECK(next == row.next);
    CHECK(end.is_whole() == row.whole);
  }
}

TEST_CASE("a new line makes all ends before it worthless") {
  EndEvidence end;
  (void)end.ended(k_whole);
  end.new_line();
  CHECK_FALSE(end.is_whole());
  CHECK(end.ended(k_whole) == Next::confirm);
}

}  // namespace TEST_FILE
}  // namespace trainctl::job
