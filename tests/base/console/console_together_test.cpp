// Data and talk that are seen together: neither may run into the other, and data stays as it was.
#include <string>

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/console/console.h"
#include "base/console/system_console.h"
#include "support/fakes.h"

namespace trainctl {
namespace console_together_test {

// A file in memory.
class Output {
 public:
  Output() : descriptor_(memfd_create("output", MFD_CLOEXEC)) { REQUIRE(descriptor_ >= 0); }
  ~Output() { close(descriptor_); }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  int descriptor() const { return descriptor_; }
  std::string text() const {
    std::string text(4096, '\0');
    const ssize_t size = pread(descriptor_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(size));
    return text;
  }

 private:
  int descriptor_;
};

TEST_CASE("a notice does not run into a last line without newline where both are seen together") {
  const Output both;
  SystemConsole console(Environment{}, {0, both.descriptor(), both.descriptor()});
  CHECK(console.out("no newline at end"));
  console.notice("job: Succeeded");
  console.notice("bye");
  CHECK(console.offer("more"));
  console.warn("late");
  CHECK(both.text() == "no newline at end\njob: Succeeded\nbye\nmore\nwarning: late\n");
}

TEST_CASE("a terminal shows a notice on a line of its own") {
  testing::BufferConsole terminal;
  terminal.out_is_tty = terminal.err_is_tty = true;
  CHECK(terminal.out("half"));
  terminal.notice("job: Succeeded");
  CHECK(terminal.stdout_text == "half");
  CHECK(terminal.stderr_text == "\njob: Succeeded\n");
}

TEST_CASE("data stays as the job wrote it, and talk where it goes elsewhere has no empty lines") {
  const Output data;
  const Output talk;
  SystemConsole console(Environment{}, {0, data.descriptor(), talk.descriptor()});
  CHECK(console.out("no newline at end"));
  console.notice("job: Succeeded");
  CHECK(data.text() == "no newline at end");
  CHECK(talk.text() == "job: Succeeded\n");
}

}  // namespace console_together_test
}  // namespace trainctl
