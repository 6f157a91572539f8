// A tar archive from a pod that is cut or hostile must not pass for a whole and honest one.
#include "base/file/tar_reader.h"

#include <array>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl {
namespace {

constexpr std::size_t k_block = 512;

// What TarWriter refuses to write: the type is the header's own letter.
std::string header(const std::string& path, char type, std::uint64_t size,
                   const std::string& target = "", unsigned mode = 0644) {
  std::string block(k_block, '\0');
  const auto put = [&block](std::size_t at, const std::string& text) {
    block.replace(at, text.size(), text);
  };
  const auto octal = [&put](std::size_t at, const char* form, unsigned long long value) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), form, value);
    put(at, text.data());
  };
  put(0, path);
  octal(100, "%07llo", mode);
  octal(124, "%011llo", size);
  octal(136, "%011llo", 1767225600);
  put(148, "        ");
  block[156] = type;
  put(157, target);
  put(257, "ustar  ");
  unsigned long long sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  octal(148, "%06llo", sum);
  return block;
}

std::string padded(std::string bytes) {
  bytes.resize((bytes.size() + k_block - 1) / k_block * k_block, '\0');
  return bytes;
}

const std::string k_end(2 * k_block, '\0');

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
  const std::string bytes = header("d/", '5', 0, "", 0755) + header("d/f", '0', 700, "", 04755) +
                            padded(std::string(700, 'x')) + header("d/l", '2', 0, "f") +
                            header("d/h", '1', 0, "d/f") + k_end + std::string(8192, '\0');
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
  const std::string bytes = header("f", '0', 700) + padded(std::string(700, 'x')) + k_end;
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
  const std::string bytes = header("../../etc/passwd", '0', 0) + header("/abs", '0', 0) +
                            header("dev", '3', 0) + header("disk", '4', 0) +
                            header("pipe", '6', 0) + k_end;
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

}  // namespace
}  // namespace trainctl
