// Asks the system's tar about an archive.
#pragma once

#include <array>
#include <cstdio>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "base/text/text.h"

namespace trainctl::testing {

// The output of tar with these options, stderr included.
inline std::string tar_says(const std::string& bytes, const std::string& options) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> archive(std::tmpfile(), std::fclose);
  REQUIRE(std::fwrite(bytes.data(), 1, bytes.size(), archive.get()) == bytes.size());
  REQUIRE(std::fflush(archive.get()) == 0);
  const std::string command =
      cat("TZ=UTC tar ", options, " -f /proc/self/fd/", fileno(archive.get()), " 2>&1");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> tar(popen(command.c_str(), "r"), pclose);
  std::string said;
  std::array<char, 4096> piece{};
  while (const std::size_t size = std::fread(piece.data(), 1, piece.size(), tar.get())) {
    said.append(piece.data(), size);
  }
  return said;
}

}  // namespace trainctl::testing
