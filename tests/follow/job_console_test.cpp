// Several jobs on one stdout and stderr: whole lines, and messages that name their job.
#include "follow/job_console.h"

#include <doctest/doctest.h>

#include "support/fakes.h"

namespace trainctl::testing {
namespace job_console_test {

using job::JobConsole;
using job::SharedStdout;

// Takes no more than `room` bytes at a time.
class NarrowConsole : public BufferConsole {
 public:
  std::size_t room = 0;

 protected:
  Result<std::size_t> offer_out(std::string_view bytes) override {
    return BufferConsole::offer_out(bytes.substr(0, room));
  }
};

TEST_CASE("14.24: a slow reader gets each job's lines whole, in the order of their beginnings") {
  NarrowConsole console;
  SharedStdout shared;
  JobConsole one(console, shared, "one"), two(console, shared, "two");
  console.room = 5;
  CHECK(*one.offer("[one] a\n") == 5);
  CHECK(*two.offer("[two] b\n") == 0);
  CHECK(*one.offer(" a\n[one] c\n") == 5);
  CHECK(*two.offer("[two] b\n") == 0);
  console.room = 100;
  CHECK(*one.offer("ne] c\n") == 6);
  CHECK(*two.offer("[two] b\n") == 8);
  CHECK(console.stdout_text == "[one] a\n[one] c\n[two] b\n");
}

TEST_CASE("14.24: a job that ends in the middle of a line keeps no other from printing") {
  NarrowConsole console;
  SharedStdout shared;
  console.room = 5;
  JobConsole two(console, shared, "two");
  {
    JobConsole one(console, shared, "one");
    CHECK(*one.offer("[one] a\n") == 5);
  }
  CHECK(*two.offer("[two] b\n") == 5);
}

TEST_CASE("14.24: each message names its job, once") {
  BufferConsole console;
  SharedStdout shared;
  JobConsole one(console, shared, "one");
  one.notice("one: Running");
  one.notice("master-0 exited 3");
  one.warn("no events");
  CHECK(console.stderr_text == "one: Running\none: master-0 exited 3\none: warning: no events\n");
}

TEST_CASE("on a terminal, a job's lines come without its name, whatever line another has begun") {
  BufferConsole console;
  console.out_is_tty = console.err_is_tty = true;
  SharedStdout shared;
  JobConsole one(console, shared, "one"), two(console, shared, "two");
  CHECK(one.offer("[one/master-0] Epoch 1\n"));
  CHECK(two.offer("[two/master-0] 4 of 4\r"));
  two.notice("two: Succeeded");
  CHECK(console.stdout_text == "[one/master-0] Epoch 1\n[two/master-0] 4 of 4\r");
  CHECK(console.stderr_text == "\ntwo: Succeeded\n");
}

}  // namespace job_console_test
}  // namespace trainctl::testing
