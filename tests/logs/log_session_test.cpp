// Saved logs: the bytes as they came, and one report of a disk that is full.
#include "logs/log_session.h"

#include <map>

#include <doctest/doctest.h>

#include "logs/log_line.h"
#include "support/fakes.h"

namespace trainctl::job {

namespace log_session_test {

using namespace trainctl::testing;

TEST_CASE("saved logs are the container's own bytes, a file for each attempt") {
  FakeLoop loop;
  OutputFaults faults;
  std::map<std::string, std::string> saved;
  LogFiles files(
      loop,
      [&saved](const std::string& name, std::string_view bytes) {
        saved[name] += bytes;
        return Status{};
      },
      faults);
  files.add(origin(1), line("first \xff"));
  files.add(origin(2), line("second"));
  files.add(origin(2), line("no newline", false));
  files.flush();
  CHECK(faults.unsaved == 0);
  CHECK(saved["worker-0.attempt-1.log"] == "first \xff\n");
  CHECK(saved["worker-0.attempt-2.log"] == "second\nno newline");
}

TEST_CASE("a full disk is reported once, and what follows is not half saved") {
  FakeLoop loop;
  int writes = 0;
  OutputFaults faults;
  LogFiles files(
      loop,
      [&writes](const std::string&, std::string_view) {
        ++writes;
        return Status(Error{Code::error, "cannot write x: No space left on device"});
      },
      faults);
  for (int i = 0; i < 3; ++i) {
    files.add(origin(), line("text"));
    files.flush();
  }
  CHECK(writes == 1);
  CHECK(faults.unsaved == 1);
}

}  // namespace log_session_test

}  // namespace trainctl::job
