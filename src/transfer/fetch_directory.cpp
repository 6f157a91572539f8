// Fetches a directory from the container as a tar archive; after a cut, only the files that are
// missing here. The archive may be hostile: ExtractionRoot decides where each entry goes.
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/file/extraction_root.h"
#include "base/file/tar.h"
#include "base/text/text.h"
#include "transfer/fetching.h"

namespace trainctl::work {
namespace {

// The root of a file system has a directory of its own, which only root may read.
constexpr std::string_view k_pack =
    "cd \"$1\" && if [ -d lost+found ] && [ ! -r lost+found ]; then tar cf - "
    "--exclude=./lost+found .; else tar cf - .; fi";
// The names come by stdin, since not every tar reads a list, and a command line has its limits.
constexpr std::string_view k_pack_named =
    "cd \"$1\" && shift && while IFS= read -r name; do set -- \"$@\" \"$name\"; done && tar cf - "
    "\"$@\"";
constexpr std::size_t k_names_at_once = 1000;
constexpr std::string_view k_directories =
    "cd \"$1\" || exit; own=/; [ ! -d lost+found ] || [ -r lost+found ] || own=./lost+found\n"
    "find . -path \"$own\" -prune -o -type d -exec stat -c '%a %Y %n' '{}' +";
constexpr std::string_view k_others =
    "cd \"$1\" || exit; own=/; [ ! -d lost+found ] || [ -r lost+found ] || own=./lost+found\n"
    "find . -path \"$own\" -prune -o ! -type d -print";

constexpr std::size_t k_most_refused = std::size_t{16} << 20;
constexpr std::size_t k_cost_of_a_path = 64;

class DirectoryFetch {
 public:
  DirectoryFetch(Copying& copying, ExtractionRoot& tree, const Fetching& fetching,
                 std::unordered_set<std::string> present)
      : copying_(copying),
        tree_(tree),
        remote_(fetching.path),
        facts_(fetching.facts),
        done_(std::move(present)),
        again_(!done_.empty()) {}

  Status run();

 private:
  Status attempt();
  Status unpack(Script& script);
  Status place(const TarItem& item, TarReader* reader);
  Status make(const TarItem& item, TarReader* reader);
  Status place_file(const TarItem& item, TarReader& reader);
  Status go_on();
  Status attempt_rest();
  Status make_directories();
  Result<std::optional<std::vector<std::string>>> what_remains();

  Copying& copying_;
  ExtractionRoot& tree_;
  const std::string& remote_;
  const RemoteFacts& facts_;
  std::unordered_set<std::string> done_;  // paths as in the archive, without a "/" at their end
  std::optional<TarItem> partial_;        // the file that a cut interrupted
  std::size_t refused_ = 0;               // bytes of memory for what was left out
  bool again_;                            // an archive of all would hold what is here
};

std::string plain(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

// No archive can hold a socket: GNU tar and BusyBox say so of each, and succeed.
std::vector<std::string> ignored_sockets(const std::vector<std::string>& complaints) {
  constexpr std::string_view k_speaker = "tar: ", k_verdict = ": socket ignored";
  std::vector<std::string> paths;
  for (const std::string& line : complaints) {
    if (!line.starts_with(k_speaker) || !line.ends_with(k_verdict)) continue;
    paths.push_back(
        line.substr(k_speaker.size(), line.size() - k_speaker.size() - k_verdict.size()));
  }
  return paths;
}

Status DirectoryFetch::run() {
  while (true) {
    const Status status = attempt();
    if (status) break;
    if (Status waited = copying_.wait_after(status.error()); !waited) {
      const Status finished = tree_.finish();
      return waited;
    }
    again_ = true;
  }
  return tree_.finish();
}

Status DirectoryFetch::attempt() {
  if (again_ && partial_) TRY(go_on());
  if (again_ && facts_.has("find") && facts_.has("stat")) return attempt_rest();
  Script script(copying_.shell(), k_pack, {as_argument(remote_)});
  return unpack(script);
}

// Directories are not passed to tar, which would pack all that they hold.
Status DirectoryFetch::attempt_rest() {
  TRY(make_directories());
  TRY_ASSIGN(const auto names, what_remains());
  if (!names) {
    Script script(copying_.shell(), k_pack, {as_argument(remote_)});
    return unpack(script);
  }
  for (std::size_t i = 0; i < names->size(); i += k_names_at_once) {
    const std::size_t count = std::min(names->size() - i, k_names_at_once);
    Script script(copying_.shell(), k_pack_named, {as_argument(remote_)}, true);
    script.send(cat(join(std::span(*names).subspan(i, count), "\n"), "\n"));
    script.end_input();
    TRY(unpack(script));
  }
  return {};
}

Status DirectoryFetch::make_directories() {
  TRY_ASSIGN(const std::string printed, copying_.answer(k_directories, {as_argument(remote_)}));
  for (const std::string& line : split(printed, '\n')) {
    const std::size_t path = line.find(" ./");
    if (path == std::string::npos || done_.contains(line.substr(path + 1))) continue;
    const Halves facts = split_once(line, ' ');
    constexpr int k_octal = 8;
    const auto mode = std::strtoul(facts.first.c_str(), nullptr, k_octal);
    TarItem item{line.substr(path + 1), TarDirectory{}, static_cast<unsigned>(mode),
                 std::strtoll(facts.second.c_str(), nullptr, 10)};
    TRY(place(item, nullptr));
  }
  return {};
}

// The paths of what is not here yet, but for directories; nullopt where lines cannot say them.
Result<std::optional<std::vector<std::string>>> DirectoryFetch::what_remains() {
  using Names = std::optional<std::vector<std::string>>;
  TRY_ASSIGN(const std::string printed, copying_.answer(k_others, {as_argument(remote_)}));
  std::vector<std::string> names;
  for (std::string& line : split(printed, '\n')) {
    if (line.empty()) continue;
    if (!line.starts_with("./")) return Names();
    if (!done_.contains(line)) names.push_back(std::move(line));
  }
  return Names(std::move(names));
}

// The rest of the interrupted file, unless it is another one now.
Status DirectoryFetch::go_on() {
  const TarItem item = *partial_;
  const std::string path = cat(remote_, '/', item.path);
  TRY_ASSIGN(RemoteFacts now, copying_.facts_of(path));
  const bool same = now.kind == RemoteFacts::Kind::file && now.modified == item.modified &&
                    now.size == std::get<TarFile>(item.what).size;
  partial_.reset();
  if (!same) {
    copying_.at(copying_.done() - tree_.written());
    tree_.drop_file();
    return {};
  }
  TRY(fetch_rest(copying_, tree_, {path, now}, nullptr));
  TRY(tree_.finish_file({item.mode, item.modified}));
  done_.insert(plain(item.path));
  return {};
}

Status DirectoryFetch::unpack(Script& script) {
  TRY_ASSIGN(TarReader reader, TarReader::open([&script] { return script.read(); }));
  while (true) {
    TRY_ASSIGN(const std::optional<TarItem> item, reader.next());
    if (!item) break;
    if (!done_.contains(plain(item->path))) TRY(place(*item, &reader));
  }
  for (const std::string& path : ignored_sockets(script.complaints())) {
    if (done_.insert(path).second) copying_.leave_out(path_refusal(path, "a socket"));
  }
  return {};
}

// A refused entry is left out and counts as done. An archive may hold such entries without end, and
// they fill no disk that would stop it.
Status DirectoryFetch::place(const TarItem& item, TarReader* reader) {
  const Status made = make(item, reader);
  if (!made && made.error().code != Code::refused) return made;
  if (!made) {
    copying_.leave_out(made.error());
    refused_ += item.path.size() + k_cost_of_a_path;
    if (refused_ > k_most_refused) {
      return Error{Code::error, "gave up, because too many entries could not be copied",
                   "copy a directory that holds files"};
    }
  }
  done_.insert(plain(item.path));
  return {};
}

Status DirectoryFetch::make(const TarItem& item, TarReader* reader) {
  if (std::holds_alternative<TarFile>(item.what)) return place_file(item, *reader);
  if (std::holds_alternative<TarDirectory>(item.what)) {
    return tree_.make_directory(item.path, {item.mode, item.modified});
  }
  if (const auto* link = std::get_if<TarSymlink>(&item.what)) {
    return tree_.make_symlink(item.path, link->target);
  }
  if (const auto* link = std::get_if<TarHardLink>(&item.what)) {
    return tree_.make_hard_link(item.path, link->target);
  }
  return path_refusal(item.path, std::get<TarOther>(item.what).what);
}

Status DirectoryFetch::place_file(const TarItem& item, TarReader& reader) {
  TRY(tree_.begin_file(item.path));
  Result<std::string_view> piece = reader.read();
  for (; piece && !piece->empty(); piece = reader.read()) {
    TRY(tree_.write(*piece));
    copying_.copied(piece->size());
  }
  if (!piece) {
    partial_ = item;
    return piece.error();
  }
  if (tree_.written() != std::get<TarFile>(item.what).size) return changed_meanwhile(item.path);
  return tree_.finish_file({item.mode, item.modified});
}

}  // namespace

Status fetch_directory(Copying& copying, ExtractionRoot& tree, const Fetching& fetching,
                       std::unordered_set<std::string> present) {
  return DirectoryFetch(copying, tree, fetching, std::move(present)).run();
}

}  // namespace trainctl::work
