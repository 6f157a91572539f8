// Writes a tar archive piece by piece, compressed or not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace trainctl {

struct TarFile {
  std::uint64_t size = 0;  // exactly so many bytes follow
};
struct TarDirectory {};
struct TarSymlink {
  std::string target;
};

struct TarEntry {
  std::string path;  // bytes of any encoding, from the root of the archive, without a leading "/"
  std::variant<TarFile, TarDirectory, TarSymlink> what;
  unsigned mode = 0644;       // permission bits
  std::int64_t modified = 0;  // seconds since 1970
};

// Equal entries give equal bytes: neither the owner nor the moment of packing is written.
class TarWriter {
 public:
  enum class Compression { none, gzip };
  // Takes the archive's bytes in order. Its error ends the archive and is returned by the call that
  // led to it.
  using Sink = std::function<Status(std::string_view bytes)>;

  // Code::error when this machine has no libarchive.
  static Result<TarWriter> open(Compression compression, Sink sink);
  ~TarWriter();
  TarWriter(TarWriter&&) noexcept;
  TarWriter& operator=(TarWriter&&) noexcept;

  // Begins an entry. Code::error when a tar archive cannot hold it, or the file before has
  // fewer bytes than announced.
  Status begin(const TarEntry& entry);
  // More bytes of the file begun. Code::error for more of them than announced.
  Status write(std::string_view bytes);
  // Ends the archive.
  Status finish();

 private:
  struct State;
  explicit TarWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace trainctl
