// Kept logs: what is kept once, what is left out, and one report of a disk that is full.
#include "logs/archive_writer.h"

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "logs/log_line.h"
#include "support/fakes.h"

namespace trainctl::job {
namespace archive_writer_test {

using namespace trainctl::testing;

ArchiveFile file_in(std::string& content) {
  return {[&content](std::string_view bytes) {
            content += bytes;
            return Status{};
          },
          [&content](std::string_view bytes) {
            content = bytes;
            return Status{};
          }};
}

void no_trouble(const Error& error) {
  FAIL(error.message);
}

TEST_CASE("a kept line comes back with its replica, rank, attempt and time") {
  const std::string bytes = archived_line(origin(2), line("a\ttab", false));
  const auto lines = read_archived_lines(bytes);
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].replica == "worker-0");
  CHECK(lines[0].rank == 1);
  CHECK(lines[0].container == "pytorch");
  CHECK(lines[0].attempt == 2);
  CHECK(lines[0].line.text == "a\ttab");
  CHECK(lines[0].line.stamp_text == "2026-01-02T03:00:05.5Z");
  CHECK_FALSE(lines[0].line.complete);
}

TEST_CASE("the half of a line that a killed command has left hides no other line") {
  CHECK(read_archived_lines(archived_line(origin(), line("whole")) + "worker-0\t1\tpy").size() ==
        1);
  CHECK(read_archived_lines("no fields\n" + archived_line(origin(), line("whole"))).size() == 1);
}

TEST_CASE("a follow that begins anew replaces what an earlier one has kept, once it has a line") {
  FakeLoop loop;
  std::string content = "what was kept before\n";
  ArchiveWriter log(loop, file_in(content), no_trouble);
  log.flush();
  CHECK(content == "what was kept before\n");
  log.add(origin(), line("first"));
  log.flush();
  log.add(origin(), line("second"));
  log.flush();
  CHECK(content ==
        archived_line(origin(), line("first")) + archived_line(origin(), line("second")));
}

TEST_CASE("of a long log the beginning and the end are kept, and how much is missing") {
  FakeLoop loop;
  std::string content;
  ArchiveWriter log(loop, file_in(content), no_trouble);
  const std::string text(1000, 'x');
  for (int i = 0; i < 12000; ++i) {
    const std::string numbered = cat(i, ' ', text);
    log.add(origin(), line(numbered));
  }
  log.flush();
  CHECK(content.size() <= k_most_archived);
  const auto lines = read_archived_lines(content);
  CHECK(lines.front().line.text.starts_with("0 "));
  CHECK(lines.back().line.text.starts_with("11999 "));
  std::size_t gaps = 0;
  for (const ArchivedLine& one : lines) {
    if (!one.replica.empty()) continue;
    ++gaps;
    CHECK(lines.size() - 1 + one.left_out == 12000);
  }
  CHECK(gaps == 1);
}

TEST_CASE("a disk that stays full is tried again at the end, and reported once") {
  FakeLoop loop;
  int writes = 0, failures = 0;
  const auto fails = [&writes](std::string_view) {
    ++writes;
    return Status(Error{Code::error, "cannot write x: No space left on device", ""});
  };
  ArchiveWriter log(loop, {fails, fails}, [&failures](const Error&) { ++failures; });
  for (int i = 0; i < 3; ++i) {
    log.add(origin(), line("text"));
    log.flush();
  }
  CHECK(writes == 1);
  CHECK(failures == 0);
  log.finish();
  CHECK(writes == 2);
  CHECK(failures == 1);
}

TEST_CASE("lines that could not be written for a moment are in the file at the end") {
  FakeLoop loop;
  std::string content;
  int writes = 0;
  const auto works_the_second_time = [&](std::string_view bytes) {
    content = bytes;
    return ++writes < 2 ? Status(Error{Code::error, "cannot write x: Too many open files", ""})
                        : Status();
  };
  ArchiveWriter log(loop, {works_the_second_time, works_the_second_time}, no_trouble);
  for (const char* text : {"first", "second"}) {
    log.add(origin(), line(text));
    log.flush();
  }
  log.finish();
  CHECK(content ==
        archived_line(origin(), line("first")) + archived_line(origin(), line("second")));
}

}  // namespace archive_writer_test
}  // namespace trainctl::job
