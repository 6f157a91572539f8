// Goes name by name. Each is opened before it is looked at, so what was checked is what is
// followed.
#include "base/file/output_place.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/text/number.h"
#include "base/text/text.h"

namespace trainctl {
namespace {

constexpr int k_most_links = 40;  // as in the kernel
constexpr int k_look = O_PATH | O_CLOEXEC;

class Walk {
 public:
  Walk(const std::string& path, NewDirectories missing) : path_(path), missing_(missing) {
    add_names(path);
  }

  Result<OutputPlace> run();

 private:
  void add_names(const std::string& path);
  Status step(const std::string& name);
  Status make(const std::string& name);
  Status follow(const std::string& name, const Descriptor& link);
  bool is_at_open_files() const;
  Error failure(std::string_view why) const {
    return {Code::error, cat("cannot write ", printable_line(path_), ": ", why), ""};
  }
  Error failure() const { return failure(system_words(errno)); }

  const std::string& path_;
  const NewDirectories missing_;
  std::vector<std::string> ahead_;  // the names to go, the next one last
  Descriptor at_;
  int links_ = 0;
  bool arrived_ = false;
  OutputPlace place_;
};

void Walk::add_names(const std::string& path) {
  if (path.starts_with('/')) at_ = Descriptor(::open("/", k_look | O_DIRECTORY));
  if (!at_) at_ = Descriptor(::open(".", k_look | O_DIRECTORY));
  std::vector<std::string> names = split(path, '/');
  std::erase(names, "");
  ahead_.insert(ahead_.end(), names.rbegin(), names.rend());
}

// Below /proc there are links whose text is not a path, such as "pipe:[4711]".
bool Walk::is_at_open_files() const {
  struct statfs facts {};
  return ::fstatfs(at_.get(), &facts) == 0 && facts.f_type == PROC_SUPER_MAGIC;
}

Status Walk::make(const std::string& name) {
  constexpr mode_t k_as_umask_says = 0777, k_closed = 0700;
  if (missing_ == NewDirectories::none) return failure();
  const bool is_closed = missing_ == NewDirectories::closed_to_others;
  const mode_t mode = is_closed ? k_closed : k_as_umask_says;
  if (::mkdirat(at_.get(), name.c_str(), mode) != 0 && errno != EEXIST) return failure();
  Descriptor made(::openat(at_.get(), name.c_str(), k_look | O_DIRECTORY | O_NOFOLLOW));
  if (!made) return failure();
  at_ = std::move(made);
  return {};
}

Status Walk::follow(const std::string& name, const Descriptor& link) {
  if (is_at_open_files()) {
    if (ahead_.empty()) {
      place_.is_open_file = arrived_ = true;
      return {};
    }
    at_ = Descriptor(::openat(at_.get(), name.c_str(), k_look));
    return at_ ? Status() : failure();
  }
  std::array<char, PATH_MAX> target{};
  const ssize_t size = ::readlinkat(link.get(), "", target.data(), target.size());
  if (size <= 0) return failure();
  if (++links_ > k_most_links) return failure(system_words(ELOOP));
  add_names({target.data(), static_cast<std::size_t>(size)});
  return {};
}

Status Walk::step(const std::string& name) {
  const bool is_last = ahead_.empty();
  Descriptor node(::openat(at_.get(), name.c_str(), k_look | O_NOFOLLOW));
  if (!node && errno == ENOENT && !is_last) return make(name);
  struct stat facts {};
  const bool is_missing = !node && errno == ENOENT;
  if (!is_missing && (!node || ::fstat(node.get(), &facts) != 0)) return failure();
  const bool is_theirs = !is_missing && facts.st_uid != ::geteuid() && facts.st_uid != 0;
  const bool is_link = S_ISLNK(facts.st_mode);
  if (is_theirs && (is_link || S_ISFIFO(facts.st_mode))) {
    return failure(cat("another user created the ", is_link ? "link " : "pipe ",
                       printable_line(name), " in its path"));
  }
  if (is_link) return follow(name, node);
  if (!is_last) {
    at_ = std::move(node);  // what is not a directory is refused by the next step
    return {};
  }
  arrived_ = true;
  return {};
}

Result<OutputPlace> Walk::run() {
  if (!at_) return failure();
  while (!arrived_ && !ahead_.empty()) {
    place_.name = std::move(ahead_.back());
    ahead_.pop_back();
    const std::string name = place_.name;
    TRY(step(name));
  }
  if (!arrived_) place_.name = ".";
  place_.directory = std::move(at_);
  return std::move(place_);
}

}  // namespace

int OutputPlace::open_flags() const {
  return is_open_file ? 0 : O_NOFOLLOW;
}

int OutputPlace::stat_flags() const {
  return is_open_file ? 0 : AT_SYMLINK_NOFOLLOW;
}

int OutputPlace::inherited_descriptor() const {
  struct stat own {
  }, found{};
  const bool is_own = is_open_file && ::stat("/proc/self/fd", &own) == 0 &&
                      ::fstat(directory.get(), &found) == 0 && own.st_dev == found.st_dev &&
                      own.st_ino == found.st_ino;
  const int descriptor = is_own ? parse_number<int>(name).value_or(-1) : -1;
  const int flags = descriptor < 0 ? -1 : ::fcntl(descriptor, F_GETFD);
  return flags < 0 || (flags & FD_CLOEXEC) != 0 ? -1 : descriptor;
}

Result<OutputPlace> find_output_place(const std::string& path, NewDirectories missing) {
  return Walk(path, missing).run();
}

}  // namespace trainctl
