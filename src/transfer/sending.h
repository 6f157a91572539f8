// Copies to a container in two ways: a file, or the content of a directory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file/tar.h"
#include "transfer/copy.h"

namespace trainctl::work {

// `facts`: the object at the destination. `local` is an absolute path.
struct Sending {
  std::string local;
  std::string to;
  RemoteFacts facts;
  bool verify = true;
};

// A file arrives under a temporary name, and whatever sends it may go on after a cut: a writer on
// an old connection writes the same bytes to the same places. Writes its input to $1, behind the
// first $2 blocks.
inline constexpr std::string_view k_write_file =
    "if [ \"$2\" = 0 ]; then cat >\"$1\"\n"
    "else dd of=\"$1\" bs=65536 seek=\"$2\" conv=notrunc\n"
    "fi";
inline constexpr std::uint64_t k_write_block = 65536;
// How much of the file has arrived; 0 when there is none.
Result<std::uint64_t> arrived_size(Copying& copying, const std::string& path);
// Removes it even after an interruption, but takes no more than a few seconds; false: it is left.
bool remove_arrived(Shell& shell, const std::string& path);

// A file gets its name there when it is complete; a failed copy leaves nothing.
Status send_file(Copying& copying, const Sending& sending, const TarEntry& source);
// Sends the content into the directory `to`, which is created if it is missing.
Status send_directory(Copying& copying, const Sending& sending);

}  // namespace trainctl::work
