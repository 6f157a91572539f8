// Every directory on the way is opened by its own name and never through a link, so that nothing
// that stands there, or is put there meanwhile, leads out.
#include "base/file/extraction_root.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "base/file/output_file.h"
#include "base/text/text.h"

namespace trainctl {

Error path_refusal(std::string_view path, std::string_view why) {
  return {Code::refused, cat(printable_line(path), ": ", why)};
}

Result<std::vector<std::string>> steps_in(const std::string& path) {
  if (path.starts_with('/')) return path_refusal(path, "it is an absolute path");
  if (path.find('\0') != std::string::npos) return path_refusal(path, "its name holds a NUL");
  std::vector<std::string> names;
  for (std::string& name : split(path, '/')) {
    if (name.empty() || name == ".") continue;
    if (name == "..") return path_refusal(path, "it leads out of the directory");
    names.push_back(std::move(name));
  }
  return names;
}

bool stays_inside(const std::string& target, std::size_t depth) {
  if (target.empty() || target.starts_with('/')) return false;
  bool down = false;
  for (const std::string& name : split(target, '/')) {
    if (name.empty() || name == ".") continue;
    if (name != "..") {
      down = true;
    } else if (down || depth-- == 0) {
      return false;
    }
  }
  return true;
}

namespace {

constexpr std::string_view k_name_begin = ".trainctl-";
constexpr std::string_view k_name_end = ".part";
constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyz012345";
constexpr std::size_t k_random = 8;
constexpr std::time_t k_idle_seconds = 60;

// A lock ends with its process, however that ends, which no list of process ids could tell on a
// file system that several machines share. The minute is for the moment before the lock is there,
// and for file systems whose locks do not reach other machines: a copy whose file is removed under
// it fails at its end, and loses nothing that had its final name.
bool looks_abandoned(const struct stat& found) {
  return S_ISREG(found.st_mode) && (found.st_mode & ALLPERMS) == k_copy_mode &&
         found.st_uid == ::geteuid() && found.st_nlink == 1 &&
         found.st_mtime < std::time(nullptr) - k_idle_seconds;
}

void remove_if_abandoned(int directory, const std::string& name) {
  struct stat found {};
  if (::fstatat(directory, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (!looks_abandoned(found)) return;
  // NFS locks for writing only what is open for writing.
  constexpr int k_flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  const Descriptor file(::openat(directory, name.c_str(), k_flags));
  if (!file || ::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return;
  // It may be another file by now.
  if (::fstat(file.get(), &found) != 0 || !looks_abandoned(found)) return;
  ::unlinkat(directory, name.c_str(), 0);
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

bool is_copy_name(std::string_view name) {
  if (name.size() != k_name_begin.size() + k_random + k_name_end.size()) return false;
  if (!name.starts_with(k_name_begin) || !name.ends_with(k_name_end)) return false;
  return name.substr(k_name_begin.size(), k_random).find_first_not_of(k_letters) == name.npos;
}

std::vector<std::string> copy_names(int directory) {
  std::vector<std::string> names;
  const int again = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return names;
  const std::unique_ptr<DIR, CloseDirectory> stream(::fdopendir(again));
  if (!stream) {
    ::close(again);
    return names;
  }
  while (const dirent* entry = ::readdir(stream.get())) {
    if (is_copy_name(entry->d_name)) names.emplace_back(entry->d_name);
  }
  return names;
}

// ".trainctl-", eight random letters, ".part": nobody else gives a file such a name.
std::string new_copy_name() {
  std::array<unsigned char, k_random> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) bytes.fill(0);
  std::string name(k_name_begin);
  for (const unsigned char byte : bytes) name += k_letters[byte % k_letters.size()];
  return name.append(k_name_end);
}

}  // namespace

void hold_copy(int file) {
  static_cast<void>(::flock(file, LOCK_EX | LOCK_NB));
}

namespace {

// Removes from the directory each temporary file that is this user's, that no process holds and
// that has not been written for a minute. Everything else stays.
void remove_abandoned_copies(int directory) {
  for (const std::string& name : copy_names(directory)) remove_if_abandoned(directory, name);
}

constexpr unsigned k_permissions = 0777;
constexpr mode_t k_closed_meanwhile = 077;  // while the umask is asked for
constexpr mode_t k_ours_while_written = 0700;
constexpr int k_directory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Error failure(std::string_view what, std::string_view path) {
  return {Code::error, cat("cannot ", what, ' ', printable_line(path), ": ", system_words(errno))};
}

std::array<timespec, 2> times_of(const PlacedFacts& facts) {
  return {{{0, UTIME_OMIT}, {static_cast<std::time_t>(facts.modified), 0}}};
}

struct LeafPlace {
  int directory = -1;
  std::string name;
  std::size_t depth = 0;
};

}  // namespace

struct ExtractionRoot::State {
  struct MadeDirectory {
    std::string path;
    PlacedFacts facts;
  };

  Descriptor root;
  mode_t umask = 0;
  std::string parent;  // the last one that was opened; most files follow their neighbour
  Descriptor parent_directory;
  std::vector<MadeDirectory> made;
  std::string path, temporary;  // of the file begun
  Descriptor file, file_directory;
  std::uint64_t written = 0;
  std::unordered_set<std::string> tidied;  // directories that hold nothing of killed processes

  Result<int> open_parent(const std::string& path, const std::vector<std::string>& names);
  Result<LeafPlace> place_of(const std::string& path);
  mode_t permissions(const PlacedFacts& facts) const { return facts.mode & k_permissions & ~umask; }
  Status free_for_file(const LeafPlace& place, const std::string& path) const;
  void tidy(const LeafPlace& place);
  Status put(const LeafPlace& place, const std::string& from, const std::string& path) const;
};

// The directory that holds the last of the names.
Result<int> ExtractionRoot::State::open_parent(const std::string& path,
                                               const std::vector<std::string>& names) {
  if (names.size() == 1) return root.get();
  const std::string wanted = join({names.data(), names.size() - 1}, "/");
  if (parent_directory && wanted == parent) return parent_directory.get();
  Descriptor at;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    const int above = at ? at.get() : root.get();
    const char* name = names[i].c_str();
    if (mkdirat(above, name, k_permissions) != 0 && errno != EEXIST) {
      return failure("create the directory of", path);
    }
    Descriptor next(openat(above, name, k_directory));
    if (!next && (errno == ELOOP || errno == ENOTDIR)) {
      return path_refusal(
          path, cat(printable_line(names[i]), " in its path is not a directory, or is a link"));
    }
    if (!next) return failure("open the directory of", path);
    at = std::move(next);
  }
  parent = wanted;
  parent_directory = std::move(at);
  return parent_directory.get();
}

Result<LeafPlace> ExtractionRoot::State::place_of(const std::string& path) {
  TRY_ASSIGN(const std::vector<std::string> names, steps_in(path));
  if (names.empty()) return path_refusal(path, "it has no name");
  TRY_ASSIGN(const int directory, open_parent(path, names));
  return LeafPlace{directory, names.back(), names.size() - 1};
}

Status ExtractionRoot::State::free_for_file(const LeafPlace& place, const std::string& path) const {
  struct stat found {};
  if (fstatat(place.directory, place.name.c_str(), &found, AT_SYMLINK_NOFOLLOW) != 0) return {};
  if (S_ISREG(found.st_mode) || S_ISLNK(found.st_mode)) return {};
  return path_refusal(path, S_ISDIR(found.st_mode)
                                ? "a directory of that name is in the way"
                                : "that name belongs to something other than a file");
}

// A killed copy has left its file where the next one writes the same.
void ExtractionRoot::State::tidy(const LeafPlace& place) {
  const bool is_new = tidied.insert(place.depth == 0 ? std::string() : parent).second;
  if (is_new) remove_abandoned_copies(place.directory);
}

Status ExtractionRoot::State::put(const LeafPlace& place, const std::string& from,
                                  const std::string& path) const {
  const Status is_free = free_for_file(place, path);
  if (is_free &&
      renameat(place.directory, from.c_str(), place.directory, place.name.c_str()) == 0) {
    // A rename between two links to one file leaves both.
    unlinkat(place.directory, from.c_str(), 0);
    return {};
  }
  Error error = is_free ? failure("write", path) : is_free.error();
  unlinkat(place.directory, from.c_str(), 0);
  return error;
}

ExtractionRoot::ExtractionRoot(std::unique_ptr<State> state) : state_(std::move(state)) {}
ExtractionRoot::ExtractionRoot(ExtractionRoot&&) noexcept = default;
ExtractionRoot& ExtractionRoot::operator=(ExtractionRoot&&) noexcept = default;
ExtractionRoot::~ExtractionRoot() {
  if (state_) drop_file();
}

Result<ExtractionRoot> ExtractionRoot::open(const std::string& directory) {
  TRY_ASSIGN(const OutputPlace place, find_output_place(directory, NewDirectories::none));
  const int above = place.directory.get();
  if (mkdirat(above, place.name.c_str(), k_permissions) != 0 && errno != EEXIST) {
    return failure("create the directory", directory);
  }
  constexpr int k_root = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  Descriptor root(openat(above, place.name.c_str(), k_root | place.open_flags()));
  if (!root) return failure("open the directory", directory);
  return at(std::move(root));
}

ExtractionRoot ExtractionRoot::at(Descriptor directory) {
  auto state = std::make_unique<State>();
  state->root = std::move(directory);
  state->umask = ::umask(k_closed_meanwhile);
  ::umask(state->umask);
  return ExtractionRoot(std::move(state));
}

Status ExtractionRoot::make_directory(const std::string& path, const PlacedFacts& facts) {
  TRY_ASSIGN(const std::vector<std::string> names, steps_in(path));
  if (names.empty()) return {};
  TRY_ASSIGN(const LeafPlace place, state_->place_of(path));
  if (mkdirat(place.directory, place.name.c_str(), k_ours_while_written) == 0) {
    state_->made.push_back({path, facts});
    return {};
  }
  if (errno != EEXIST) return failure("create the directory", path);
  const Descriptor existing(openat(place.directory, place.name.c_str(), k_directory));
  if (existing) return {};
  return path_refusal(path, "that name belongs to something other than a directory");
}

Status ExtractionRoot::begin_file(const std::string& path) {
  drop_file();
  TRY_ASSIGN(const LeafPlace place, state_->place_of(path));
  TRY(state_->free_for_file(place, path));
  state_->tidy(place);
  state_->file_directory = Descriptor(fcntl(place.directory, F_DUPFD_CLOEXEC, 0));
  state_->temporary = new_copy_name();
  constexpr int k_new = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  state_->file = Descriptor(
      openat(state_->file_directory.get(), state_->temporary.c_str(), k_new, k_copy_mode));
  if (!state_->file) return failure("write", path);
  hold_copy(state_->file.get());
  state_->path = path;
  state_->written = 0;
  return {};
}

Status ExtractionRoot::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(state_->file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("write", state_->path);
    state_->written += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

std::uint64_t ExtractionRoot::written() const {
  return state_->written;
}

Status ExtractionRoot::finish_file(const PlacedFacts& facts) {
  // Keeps the file's lock until it has its own name: its time may be old by then.
  const Descriptor held(fcntl(state_->file.get(), F_DUPFD_CLOEXEC, 0));
  futimens(state_->file.get(), times_of(facts).data());
  const bool whole =
      fchmod(state_->file.get(), state_->permissions(facts)) == 0 && state_->file.close();
  if (!whole) {
    Error error = failure("write", state_->path);
    drop_file();
    return error;
  }
  TRY_ASSIGN(const std::vector<std::string> names, steps_in(state_->path));
  const Descriptor directory = std::move(state_->file_directory);
  return state_->put({directory.get(), names.back(), 0}, std::exchange(state_->temporary, ""),
                     state_->path);
}

void ExtractionRoot::drop_file() {
  if (!state_->temporary.empty()) {
    unlinkat(state_->file_directory.get(), state_->temporary.c_str(), 0);
  }
  state_->temporary.clear();
  state_->file = Descriptor();
}

Status ExtractionRoot::make_symlink(const std::string& path, const std::string& target) {
  TRY_ASSIGN(const LeafPlace place, state_->place_of(path));
  if (!stays_inside(target, place.depth)) {
    return path_refusal(path,
                        cat("a link that leads out of the directory, to ", printable_line(target)));
  }
  TRY(state_->free_for_file(place, path));
  const std::string temporary = new_copy_name();
  if (symlinkat(target.c_str(), place.directory, temporary.c_str()) != 0) {
    return failure("write", path);
  }
  return state_->put(place, temporary, path);
}

Status ExtractionRoot::make_hard_link(const std::string& path, const std::string& target) {
  TRY_ASSIGN(const LeafPlace from, state_->place_of(target));
  const Descriptor from_directory(fcntl(from.directory, F_DUPFD_CLOEXEC, 0));
  struct stat found {};
  const char* name = from.name.c_str();
  if (fstatat(from_directory.get(), name, &found, AT_SYMLINK_NOFOLLOW) != 0 ||
      !S_ISREG(found.st_mode)) {
    return path_refusal(
        path, cat("a hard link to ", printable_line(target), ", which is not a file here"));
  }
  TRY_ASSIGN(const LeafPlace place, state_->place_of(path));
  TRY(state_->free_for_file(place, path));
  const std::string temporary = new_copy_name();
  if (linkat(from_directory.get(), name, place.directory, temporary.c_str(), 0) != 0) {
    return failure("write", path);
  }
  return state_->put(place, temporary, path);
}

// From the innermost, since a directory may lose the permission to enter it.
Status ExtractionRoot::finish() {
  for (auto made = state_->made.rbegin(); made != state_->made.rend(); ++made) {
    TRY_ASSIGN(const LeafPlace place, state_->place_of(made->path));
    const Descriptor directory(openat(place.directory, place.name.c_str(), k_directory));
    if (!directory) return failure("open the directory", made->path);
    futimens(directory.get(), times_of(made->facts).data());
    if (fchmod(directory.get(), state_->permissions(made->facts)) != 0) {
      return failure("set the mode of", made->path);
    }
  }
  state_->made.clear();
  return {};
}

}  // namespace trainctl
