// A user who mistyped a program's name would have to read how a container runtime is built.
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "job/status/start_failure.h"

namespace trainctl::job {
namespace TEST_FILE {

constexpr std::string_view k_callers =
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc "
    "create failed: unable to start container process: ";

TEST_CASE("the cause of a start that failed is told without the runtime's callers") {
  const struct {
    std::string_view runtime, told;
  } rows[] = {
      {R"(exec: "pyhton3": executable file not found in $PATH)", "pyhton3: not found in PATH"},
      {"executable file `pyhton3` not found in $PATH: No such file or directory",
       "pyhton3: not found in PATH"},
      {R"(exec: "/no/such": stat /no/such: no such file or directory)", "/no/such: no such file"},
      {R"(exec: "/etc/passwd": permission denied)",
       "/etc/passwd: permission denied: is it executable?"},
      {R"(exec: "/tmp": is a directory)", "/tmp: is a directory, not a program"},
      {R"(exec: "/etc/passwd/x": stat /etc/passwd/x: not a directory)",
       "/etc/passwd/x: part of its path is a file"},
      {"error during container init: exec /work/run.sh: no such file or directory",
       "/work/run.sh: the interpreter named in its first line is missing"},
      {"error during container init: exec /work/run: exec format error",
       "/work/run: is neither a program for this machine nor a script that begins with #!"},
      {R"(error during container init: chdir to cwd ("/nowhere") set in config.json failed: no such file or directory)",
       "working directory /nowhere: no such file or directory"},
      {R"(error during container init: chdir to cwd ("/root/x") set in config.json failed: permission denied)",
       "working directory /root/x: permission denied"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.runtime);
    CHECK(program_fault(cat(k_callers, row.runtime, ": unknown")) == row.told);
    CHECK(program_fault(std::string(row.runtime)) == row.told);
  }
}

TEST_CASE("an unknown cause keeps its words") {
  CHECK(program_fault(cat(k_callers, R"(exec: "trian": out of luck: unknown)")) ==
        R"(exec: "trian": out of luck)");
  CHECK(program_fault("error setting rlimit: operation not permitted") ==
        "error setting rlimit: operation not permitted");
  CHECK(program_fault("") == "the program could not be started");
}

}  // namespace TEST_FILE
}  // namespace trainctl::job
