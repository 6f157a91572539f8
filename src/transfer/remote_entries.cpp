// Reads what find and stat print of a directory in a container.
#include <sys/stat.h>

#include "base/file/extraction_root.h"
#include "base/text/text.h"
#include "transfer/fetching.h"
#include "transfer/local_entries.h"

namespace trainctl::work {
namespace {

// A directory of the file system's own that this user may not read is left out.
constexpr std::string_view k_list =
    "if [ -d \"$1\" ]; then cd \"$1\" || exit; set -- .; fi\n"
    "own=/\n"
    "[ \"$1\" != . ] || [ ! -d lost+found ] || [ -r lost+found ] || own=./lost+found\n"
    "find \"$1\" -path \"$own\" -prune -o -exec stat -c '%s %Y %f %n' '{}' +";
constexpr int k_hexadecimal = 16;

}  // namespace

bool RemoteEntry::is_file() const {
  return S_ISREG(mode);
}

bool RemoteEntry::is_directory() const {
  return S_ISDIR(mode);
}

Result<RemoteListing> list_remote(Copying& copying, const Fetching& fetching) {
  if (!fetching.facts.has("find") || !fetching.facts.has("stat")) {
    return Error{Code::not_found,
                 cat(copying.shell().target.name(), " has no find and stat to list files with"),
                 "--helper-image IMAGE names an image with them, such as busybox"};
  }
  TRY_ASSIGN(const std::string printed, copying.answer(k_list, {fetching.path}));
  RemoteListing listing;
  for (const std::string& line : split(printed, '\n')) {
    const Halves size = split_once(line, ' ');
    const Halves time = split_once(size.second, ' ');
    const Halves mode = split_once(time.second, ' ');
    const auto bytes = parse_number<std::uint64_t>(size.first);
    const auto seconds = parse_number<std::int64_t>(time.first);
    const auto bits = parse_number<unsigned>(mode.first, k_hexadecimal);
    // The rest of a name with a line end in it.
    if (!bytes || !seconds || !bits || mode.second.empty()) continue;
    listing[mode.second] = {*bytes, *seconds, *bits};
  }
  return listing;
}

}  // namespace trainctl::work
