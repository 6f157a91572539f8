// A tar archive from a pod that is cut or hostile must not pass for a whole and honest one.
#include "base/file/tar.h"

#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"
#include "support/tar_blocks.h"
#include "support/tar_program.h"

namespace trainctl {

namespace tar_test {

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

TEST_CASE("bytes that are no archive are refused") {
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

}  // namespace tar_test

// Code that is packed for a pod is read by the tar there, and is the same for the same files.
namespace tar_test {

using Compression = TarWriter::Compression;

constexpr std::int64_t k_time = 1767225600;  // 2026-01-01

TarWriter opened(Compression compression, TarWriter::Sink sink) {
  Result<TarWriter> tar = TarWriter::open(compression, std::move(sink));
  REQUIRE(tar);
  return *std::move(tar);
}

std::string packed(Compression compression) {
  std::string bytes;
  TarWriter tar = opened(compression, [&bytes](std::string_view more) {
    bytes += more;
    return Status();
  });
  CHECK(tar.begin({"src", TarDirectory{}, 0755, k_time}));
  CHECK(tar.begin({"src/train.py", TarFile{9}, 0755, k_time}));
  CHECK(tar.write("print("));
  CHECK(tar.write("1)\n"));
  CHECK(tar.begin({"latest", TarSymlink{"src/train.py"}, 0777, k_time}));
  CHECK(tar.begin({cat(std::string(120, 'd'), "/caf\xe9"), TarFile{0}, 0644, k_time}));
  CHECK(tar.finish());
  return bytes;
}

TEST_CASE("directories, files, links, long names and names that are no UTF-8 arrive") {
  const std::string listed = testing::tar_says(packed(Compression::none), "--quoting-style=c -tv");
  CHECK(listed.find("drwxr-xr-x 0/0               0 2026-01-01 00:00 \"src/\"") !=
        std::string::npos);
  CHECK(listed.find("-rwxr-xr-x 0/0               9 2026-01-01 00:00 \"src/train.py\"") !=
        std::string::npos);
  CHECK(listed.find("\"latest\" -> \"src/train.py\"") != std::string::npos);
  CHECK(listed.find(cat(std::string(120, 'd'), "/caf\\351\"")) != std::string::npos);
  CHECK(testing::tar_says(packed(Compression::gzip), "--quoting-style=c -xzO src/train.py") ==
        "print(1)\n");
}

TEST_CASE("the same files give the same bytes") {
  CHECK(packed(Compression::gzip) == packed(Compression::gzip));
  CHECK(packed(Compression::gzip).substr(4, 4) == std::string(4, '\0'));  // no time (RFC 1952)
}

TEST_CASE("a file that changes while it is packed is an error that names it") {
  const auto ignore = [](std::string_view) { return Status(); };
  TarWriter longer = opened(Compression::none, ignore);
  CHECK(longer.begin({"log", TarFile{2}}));
  CHECK(longer.write("abc").error().message == "log grew while it was being read");
  TarWriter shorter = opened(Compression::none, ignore);
  CHECK(shorter.begin({"log", TarFile{2}}));
  CHECK(shorter.finish().error().message == "log shrank while it was being read");
}

TEST_CASE("the taker of the bytes may stop") {
  TarWriter tar = opened(Compression::none, [](std::string_view) -> Status {
    return Error{Code::unreachable, "the connection was cut"};
  });
  Status status = tar.begin({"data", TarFile{1 << 20}});
  for (int i = 0; status && i < 16; ++i) status = tar.write(std::string(1 << 16, 'x'));
  CHECK_FALSE(status);
  CHECK(status.error().message == "the connection was cut");
}

TEST_CASE("the taker of the bytes is not called again after it has stopped") {
  int calls = 0;
  {
    TarWriter tar = opened(Compression::none, [&](std::string_view) -> Status {
      ++calls;
      return Error{Code::unreachable, "the connection was cut"};
    });
    Status status = tar.begin({"data", TarFile{1 << 20}});
    for (int i = 0; status && i < 16; ++i) status = tar.write(std::string(1 << 16, 'x'));
  }
  CHECK(calls == 1);
}

}  // namespace tar_test

}  // namespace trainctl
