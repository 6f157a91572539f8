// Reads and writes tar archives piece by piece.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace trainctl {

// Writes a tar archive piece by piece, compressed or not.
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

  static Result<TarWriter> open(Compression compression, Sink sink);
  ~TarWriter();
  TarWriter(TarWriter&&) noexcept;
  TarWriter& operator=(TarWriter&&) noexcept;

  // Begins an entry. Code::error for a path that leads out of the archive, when a tar archive
  // cannot hold the entry, or when the file before has fewer bytes than announced.
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

struct TarHardLink {
  std::string target;  // path of an earlier file in the archive
};
// An entry that cannot be unpacked, such as a device or a named pipe.
struct TarOther {
  std::string_view what;  // "a device"
};

struct TarItem {
  std::string path;  // any bytes but NUL: it may be absolute, or lead out by ".."
  std::variant<TarFile, TarDirectory, TarSymlink, TarHardLink, TarOther> what;
  unsigned mode = 0;  // permission bits, with setuid, setgid and sticky
  std::int64_t modified = 0;
};

class TarReader {
 public:
  // The next bytes of the archive, valid until the next call; "" = there are no more. Its error is
  // returned by the call that led to it.
  using Source = std::function<Result<std::string_view>()>;

  static Result<TarReader> open(Source source);
  ~TarReader();
  TarReader(TarReader&&) noexcept;
  TarReader& operator=(TarReader&&) noexcept;

  // Returns the next entry; skips unread content of the previous one. nullopt at the end of the
  // archive, when the source has ended as well. Code::error for input that is not a tar archive,
  // and for an archive without its end.
  Result<std::optional<TarItem>> next();
  // More bytes of the file that next() has returned, valid until the next call; "" at its end.
  Result<std::string_view> read();

 private:
  struct State;
  explicit TarReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace trainctl
