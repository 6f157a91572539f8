// A file by ranges where a connection is cut; into a directory only what is not here yet.
#include "transfer/fetching.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <sys/stat.h>

#include "base/file/extraction_root.h"
#include "base/text/text.h"
#include "transfer/local_entries.h"

namespace trainctl::work {

// A file from the container, by ranges where a connection is cut.

namespace {

constexpr std::string_view k_read_file =
    "exec <\"$1\"\n"
    "if [ \"$2\" -gt 1 ]; then tail -c \"+$2\"\n"
    "elif command -v cat >/dev/null 2>&1; then cat\n"
    "else dd bs=65536 2>/dev/null\n"
    "fi";

// The checksum is made there while the bytes are on their way.
Status compare(Copying& copying, std::optional<Script>& counting, const std::string& path,
               const std::string& ours) {
  const Duration patience = checksum_patience(copying.elapsed());
  copying.show("comparing checksums");
  Result<std::string> printed = counting->finish(patience);
  while (!printed && copying.shell().cut) {
    TRY(copying.wait_after(printed.error()));
    counting.emplace(copying.shell(), k_checksum_script,
                     std::vector<std::string>{as_argument(path)});
    printed = counting->finish(patience);
  }
  if (printed && checksum_in(*printed) == ours) return {};
  if (printed) return changed_meanwhile(path);
  if (copying.shell().interruption) return printed.error();
  copying.console().warn(
      cat("the size is right; the checksum was not compared: ", printed.error().message));
  return {};
}

}  // namespace

Status fetch_rest(Copying& copying, ExtractionRoot& tree, const Fetching& fetching, Sha256* sum) {
  const auto& [path, facts] = fetching;
  while (true) {
    const std::uint64_t have = tree.written();
    const bool from_there = facts.has("tail");
    std::uint64_t passed_over = from_there ? have : 0;
    Script script(copying.shell(), k_read_file,
                  {as_argument(path), from_there ? cat(have + 1) : "1"});
    Result<std::string_view> piece = script.read();
    for (; piece && !piece->empty(); piece = script.read()) {
      const std::uint64_t again = std::min<std::uint64_t>(have - passed_over, piece->size());
      passed_over += again;
      piece->remove_prefix(again);
      if (tree.written() + piece->size() > facts.size) return changed_meanwhile(path);
      TRY(tree.write(*piece));
      if (sum != nullptr) sum->add(*piece);
      copying.copied(piece->size());
    }
    if (piece) break;
    TRY(copying.wait_after(piece.error()));
    TRY_ASSIGN(const RemoteFacts now, copying.facts_of(path));
    if (now.identity != facts.identity) return changed_meanwhile(path);
  }
  if (tree.written() == facts.size) return {};
  return changed_meanwhile(path);
}

Status fetch_file(Copying& copying, ExtractionRoot& tree, const Fetching& fetching,
                  const std::string& name, bool verify) {
  const auto& [path, facts] = fetching;
  TRY(tree.begin_file(name));
  copying.expect(facts.size);
  const bool compares = verify && facts.has("sha256sum");
  std::optional<Script> counting;
  if (compares) {
    counting.emplace(copying.shell(), k_checksum_script,
                     std::vector<std::string>{as_argument(path)});
  }
  Sha256 sum;
  TRY(fetch_rest(copying, tree, fetching, compares ? &sum : nullptr));
  if (compares) TRY(compare(copying, counting, path, sum.hex()));
  return tree.finish_file({facts.mode, facts.modified});
}

// Copies what is not here yet into a directory, and compares the checksums of what is here then.

namespace {

constexpr std::string_view k_checksums =
    "cd \"$1\" || exit\n"
    "own=/\n"
    "[ ! -d lost+found ] || [ -r lost+found ] || own=./lost+found\n"
    "find . -path \"$own\" -prune -o -type f -exec sha256sum '{}' +";

// True for a file of that size and time, which is not a link.
bool is_here(const std::filesystem::path& path, const RemoteEntry& entry) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         static_cast<std::uint64_t>(found.st_size) == entry.size &&
         found.st_mtim.tv_sec == entry.modified;
}

struct Present {
  std::unordered_set<std::string> files;  // as in archives: "./a/b"
  std::uint64_t missing = 0;              // bytes of the others
};

Present compare_listing(const RemoteListing& listing, const std::filesystem::path& directory) {
  Present present;
  for (const auto& [path, entry] : listing) {
    if (!entry.is_file()) continue;
    const auto names = steps_in(path);
    if (names && is_here(directory / path, entry)) {
      present.files.insert(path);
    } else {
      present.missing += entry.size;
    }
  }
  return present;
}

Result<std::string> local_checksum(const std::filesystem::path& path) {
  TRY_ASSIGN(LocalFile file, LocalFile::open(path.string()));
  Sha256 sum;
  std::uint64_t at = 0;
  while (true) {
    TRY_ASSIGN(const std::string_view piece, file.read(at));
    if (piece.empty()) return sum.hex();
    sum.add(piece);
    at += piece.size();
  }
}

// A path of 4096 bytes, each of them quoted, and the digits before it.
constexpr std::size_t k_longest_sum_line = std::size_t{64} << 10;

class Verification {
 public:
  Verification(Copying& copying, std::filesystem::path directory)
      : copying_(copying), directory_(std::move(directory)) {}

  // Compares what is there with what is here, through cuts.
  Status run(const std::string& remote);

 private:
  Status read_lines(Script& script);
  Status compare(const std::string& line);

  Copying& copying_;
  std::filesystem::path directory_;
  std::unordered_set<std::string> compared_;
};

Status Verification::compare(const std::string& line) {
  constexpr std::size_t k_name = 66;  // behind the digits and two blanks
  // A name with a line end is printed in another way, and so is one with a backslash.
  if (line.size() <= k_name || !line.substr(k_name).starts_with("./")) return {};
  const std::string path = line.substr(k_name);
  std::error_code trouble;
  // Files left out were already named.
  if (!steps_in(path) || !std::filesystem::is_regular_file(directory_ / path, trouble)) return {};
  if (!compared_.insert(path).second) return {};
  TRY_ASSIGN(const std::string ours, local_checksum(directory_ / path));
  if (ours == checksum_in(line)) return {};
  return Error{Code::error, cat(printable_line(path), " differs from the original"),
               "delete the copy, and fetch it again when nothing writes to the original"};
}

Status Verification::read_lines(Script& script) {
  std::string open;
  while (true) {
    TRY_ASSIGN(const std::string_view piece, script.read());
    if (piece.empty()) return {};
    open += piece;
    std::size_t begin = 0;
    for (std::size_t end = open.find('\n'); end != std::string::npos;
         end = open.find('\n', begin)) {
      TRY(compare(open.substr(begin, end - begin)));
      begin = end + 1;
    }
    open.erase(0, begin);
    if (open.size() > k_longest_sum_line) {
      return Error{Code::error, "the remote checksums hold a line longer than any path"};
    }
    copying_.show(
        cat("comparing checksums: ", plural(static_cast<long>(compared_.size()), "file")));
  }
}

Status Verification::run(const std::string& remote) {
  copying_.show("comparing checksums");
  while (true) {
    Script script(copying_.shell(), k_checksums, {remote});
    const Status read = read_lines(script);
    if (read) return {};
    if (!copying_.shell().cut) return read;
    TRY(copying_.wait_after(read.error()));
  }
}

Status fetch_one(Copying& copying, const Fetching& fetching, const FetchOrder& order) {
  const std::string name = last_name(order.remote);
  const RemoteFacts& facts = fetching.facts;
  const std::filesystem::path here = std::filesystem::path(order.directory) / name;
  if (facts.modified != 0 && is_here(here, {facts.size, facts.modified, facts.mode})) {
    const bool compares = order.verify && facts.has("sha256sum");
    if (!compares) {
      copying.console().notice(
          cat(printable_line(name), " is already here with the same size and time"));
      return {};
    }
    TRY_ASSIGN(const std::string printed,
               copying.answer("sha256sum <\"$1\"", {as_argument(order.remote)}));
    TRY_ASSIGN(const std::string ours, local_checksum(here));
    if (ours == checksum_in(printed)) {
      copying.console().notice(cat(printable_line(name), " is already here"));
      return {};
    }
  }
  TRY_ASSIGN(ExtractionRoot tree, ExtractionRoot::open(order.directory));
  TRY(fetch_file(copying, tree, fetching, name, order.verify));
  return copying.finish(order.remote);
}

Status fetch_all(Copying& copying, const Fetching& fetching, const FetchOrder& order) {
  const RemoteFacts& facts = fetching.facts;
  if (!facts.has("tar")) return no_tar(copying.shell());
  Present present;
  if (facts.has("find") && facts.has("stat")) {
    copying.show("listing the files");
    TRY_ASSIGN(const RemoteListing listing, list_remote(copying, fetching));
    present = compare_listing(listing, order.directory);
    copying.expect(present.missing);
  }
  if (!present.files.empty()) {
    const auto count = static_cast<long>(present.files.size());
    copying.console().notice(cat(plural(count, "file"), count == 1 ? " is" : " are",
                                 " already here with the same size and time"));
  }
  TRY_ASSIGN(ExtractionRoot tree, ExtractionRoot::open(order.directory));
  TRY(fetch_directory(copying, tree, fetching, std::move(present.files)));
  if (order.verify && facts.has("find") && facts.has("sha256sum")) {
    TRY(Verification(copying, order.directory).run(order.remote));
  }
  return copying.finish(order.remote);
}

}  // namespace

Status fetch_into(Shell& shell, const FetchOrder& order) {
  Copying copying(shell);
  TRY_ASSIGN(const RemoteFacts facts, copying.facts_of(order.remote));
  const Fetching fetching{order.remote, facts};
  switch (facts.kind) {
    case RemoteFacts::Kind::missing:
      return Error{Code::not_found, cat(printable_line(order.remote), " does not exist"),
                   cat(order.listing, " shows what exists")};
    case RemoteFacts::Kind::other:
      return Error{Code::refused,
                   cat(printable_line(order.remote), " is neither file nor directory")};
    case RemoteFacts::Kind::file:
      return fetch_one(copying, fetching, order);
    case RemoteFacts::Kind::directory:
      return fetch_all(copying, fetching, order);
  }
  return {};
}

// Reads what find and stat print of a directory in a container.

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
