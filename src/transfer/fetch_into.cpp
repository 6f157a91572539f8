// Copies what is not here yet into a directory, and compares the checksums of what is here then.
#include <filesystem>
#include <utility>

#include <sys/stat.h>

#include "base/file/extraction_root.h"
#include "base/text/text.h"
#include "transfer/fetching.h"
#include "transfer/local_entries.h"

namespace trainctl::work {
namespace {

constexpr std::string_view k_before_checksums =
    "cd \"$1\" || exit\n"
    "own=/\n"
    "[ ! -d lost+found ] || [ -r lost+found ] || own=./lost+found\n"
    "find . -path \"$own\" -prune -o -type f -exec ";

// True for a file of that size and time, which is not a link.
bool is_here(const std::filesystem::path& path, const RemoteEntry& entry) {
  struct stat found {};
  return ::lstat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         static_cast<std::uint64_t>(found.st_size) == entry.size &&
         found.st_mtime == entry.modified;
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

Result<std::string> local_checksum(const std::filesystem::path& path, const SumTool& tool) {
  TRY_ASSIGN(LocalFile file, LocalFile::open(path.string()));
  Checksum sum(tool.method);
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
  Verification(Copying& copying, std::filesystem::path directory, const SumTool& tool)
      : copying_(copying), directory_(std::move(directory)), tool_(tool) {}

  // Compares what is there with what is here, through cuts.
  Status run(const std::string& remote);

 private:
  Status read_lines(Script& script);
  Status compare(const std::string& line);

  Copying& copying_;
  std::filesystem::path directory_;
  SumTool tool_;
  std::unordered_set<std::string> compared_;
};

Status Verification::compare(const std::string& line) {
  // A name with a line end is printed in another way, and so is one with a backslash.
  const std::size_t blanks = line.find("  ./");
  if (blanks == std::string::npos || line.starts_with('\\')) return {};
  const std::string path = line.substr(blanks + 2);
  std::error_code trouble;
  // Files left out were already named.
  if (!steps_in(path) || !std::filesystem::is_regular_file(directory_ / path, trouble)) return {};
  if (!compared_.insert(path).second) return {};
  TRY_ASSIGN(const std::string ours, local_checksum(directory_ / path, tool_));
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
    Script script(copying_.shell(), cat(k_before_checksums, tool_.name, " '{}' +"), {remote});
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
    const auto tool = order.verify ? facts.sum_tool() : std::nullopt;
    if (!tool) {
      copying.console().notice(
          cat(printable_line(name), " is already here with the same size and time"));
      return {};
    }
    TRY_ASSIGN(const std::string printed,
               copying.answer(tool->script(), {as_argument(order.remote)}));
    TRY_ASSIGN(const std::string ours, local_checksum(here, *tool));
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
  const auto tool = facts.sum_tool();
  if (order.verify && facts.has("find") && tool) {
    TRY(Verification(copying, order.directory, *tool).run(order.remote));
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

}  // namespace trainctl::work
