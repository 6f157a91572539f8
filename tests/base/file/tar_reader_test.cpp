// A tar archive from a pod that is cut or hostile must not pass for a whole and honest one.
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/file/tar.h"
#include "base/text/text.h"
#include "support/tar_blocks.h"

namespace trainctl {
namespace TEST_FILE {

using testing::tar_header;
using testing::tar_padded;

const std::string k_end = testing::tar_end();

struct Reading {
  std::vector<TarItem> items;
  std::vector<std::string> contents;
  Status status;
};

Reading read_all(const std::string& bytes, std::size_t piece) {
  Reading reading;
  std::size_t at = 0;
  Result<TarReader> reader = TarReader::open([&]() -> Result<std::string_view> {
    const std::string_view next = std::string_view(bytes).substr(at, piece);
    at += next.size();
    return next;
  });
  if (!reader) {
    reading.status = reader.error();
    return reading;
  }
  while (true) {
    Result<std::optional<TarItem>> item = reader->next();
    if (!item) {
      reading.status = item.error();
      return reading;
    }
    if (!*item) return reading;
    reading.items.push_back(**item);
    std::string& content = reading.contents.emplace_back();
    while (std::holds_alternative<TarFile>((*item)->what)) {
      const Result<std::string_view> more = reader->read();
      if (!more) {
        reading.status = more.error();
        return reading;
      }
      if (more->empty()) break;
      content += *more;
    }
  }
}

TEST_CASE("files, directories and links are read in pieces of any size") {
  const std::string bytes = tar_header("d/", '5', 0, "", 0755) +
                            tar_header("d/f", '0', 700, "", 04755) +
                            tar_padded(std::string(700, 'x')) + tar_header("d/l", '2', 0, "f") +
                            tar_header("d/h", '1', 0, "d/f") + k_end + std::string(8192, '\0');
  for (const std::size_t piece :
       {std::size_t{1}, std::size_t{511}, std::size_t{4096}, bytes.size()}) {
    const Reading reading = read_all(bytes, piece);
    REQUIRE(reading.status);
    REQUIRE(reading.items.size() == 4);
    CHECK(std::holds_alternative<TarDirectory>(reading.items[0].what));
    CHECK(std::get<TarFile>(reading.items[1].what).size == 700);
    CHECK(reading.items[1].mode == 04755);
    CHECK(reading.items[1].modified == 1767225600);
    CHECK(reading.contents[1] == std::string(700, 'x'));
    CHECK(std::get<TarSymlink>(reading.items[2].what).target == "f");
    CHECK(std::get<TarHardLink>(reading.items[3].what).target == "d/f");
  }
}

TEST_CASE("an archive that was cut anywhere is not whole") {
  const std::string bytes = tar_header("f", '0', 700) + tar_padded(std::string(700, 'x')) + k_end;
  for (std::size_t size = 0; size < bytes.size(); size += 100) {
    CAPTURE(size);
    CHECK_FALSE(read_all(bytes.substr(0, size), 4096).status);
  }
  // Between two entries, where tar itself sees nothing missing.
  CHECK_FALSE(read_all(bytes.substr(0, bytes.size() - k_end.size()), 4096).status);
  CHECK(read_all(bytes, 4096).status);
}

TEST_CASE("what is no archive is said to be none") {
  CHECK_FALSE(read_all("", 1).status);
  CHECK_FALSE(read_all("tar: not found\n", 4).status);
  CHECK_FALSE(read_all(std::string(3000, 'z'), 1000).status);
}

TEST_CASE("hostile entries are reported as they are, and made into nothing") {
  const std::string bytes = tar_header("../../etc/passwd", '0', 0) + tar_header("/abs", '0', 0) +
                            tar_header("dev", '3', 0) + tar_header("disk", '4', 0) +
                            tar_header("pipe", '6', 0) + k_end;
  const Reading reading = read_all(bytes, 100);
  REQUIRE(reading.status);
  REQUIRE(reading.items.size() == 5);
  CHECK(reading.items[0].path == "../../etc/passwd");
  CHECK(reading.items[1].path == "/abs");
  CHECK(std::get<TarOther>(reading.items[2].what).what == "a device");
  CHECK(std::get<TarOther>(reading.items[3].what).what == "a device");
  CHECK(std::get<TarOther>(reading.items[4].what).what == "a FIFO");
}

TEST_CASE("the source's error is the reader's") {
  Result<TarReader> reader = TarReader::open([]() -> Result<std::string_view> {
    return Error{Code::interrupted, "interrupted"};
  });
  const Error error = reader ? reader->next().error() : reader.error();
  CHECK(error.code == Code::interrupted);
}

}  // namespace TEST_FILE
}  // namespace trainctl
