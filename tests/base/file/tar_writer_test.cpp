// Code that is packed for a pod is read by the tar there, and is the same for the same files.
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "base/file/tar.h"
#include "base/text/text.h"

namespace trainctl {
namespace TEST_FILE {

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

std::string tar_says(const std::string& bytes, const char* options) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> archive(std::tmpfile(), std::fclose);
  REQUIRE(std::fwrite(bytes.data(), 1, bytes.size(), archive.get()) == bytes.size());
  REQUIRE(std::fflush(archive.get()) == 0);
  const std::string command = cat("TZ=UTC tar --quoting-style=c ", options, " -f /proc/self/fd/",
                                  std::to_string(fileno(archive.get())), " 2>&1");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> tar(popen(command.c_str(), "r"), pclose);
  std::string said;
  std::array<char, 4096> piece{};
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), tar.get())) {
    said.append(piece.data(), size);
  }
  return said;
}

TEST_CASE("directories, files, links, long names and names that are no UTF-8 arrive") {
  const std::string listed = tar_says(packed(Compression::none), "-tv");
  CHECK(listed.find("drwxr-xr-x 0/0               0 2026-01-01 00:00 \"src/\"") !=
        std::string::npos);
  CHECK(listed.find("-rwxr-xr-x 0/0               9 2026-01-01 00:00 \"src/train.py\"") !=
        std::string::npos);
  CHECK(listed.find("\"latest\" -> \"src/train.py\"") != std::string::npos);
  CHECK(listed.find(cat(std::string(120, 'd'), "/caf\\351\"")) != std::string::npos);
  CHECK(tar_says(packed(Compression::gzip), "-xzO src/train.py") == "print(1)\n");
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

TEST_CASE("what takes the bytes may stop") {
  TarWriter tar = opened(Compression::none, [](std::string_view) -> Status {
    return Error{Code::unreachable, "the connection was cut"};
  });
  Status status = tar.begin({"data", TarFile{1 << 20}});
  for (int i = 0; status && i < 16; ++i) status = tar.write(std::string(1 << 16, 'x'));
  CHECK_FALSE(status);
  CHECK(status.error().message == "the connection was cut");
}

TEST_CASE("what takes the bytes is not called again after it has stopped") {
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

}  // namespace TEST_FILE
}  // namespace trainctl
