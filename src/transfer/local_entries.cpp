// Links are taken as links, except the one that the user has named.
#include "transfer/local_entries.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text/text.h"

namespace trainctl::work {
namespace {

namespace fs = std::filesystem;

constexpr unsigned k_permissions = 0777;
constexpr std::size_t k_piece = std::size_t{128} << 10;  // one message of a WebSocket

Error failure(const std::string& path) {
  return {Code::usage, cat("cannot read ", printable_line(path), ": ", system_words(errno))};
}

TarEntry entry_of(const std::string& path, const struct stat& found) {
  TarEntry entry{path, TarDirectory{}, found.st_mode & k_permissions, found.st_mtime};
  if (S_ISREG(found.st_mode)) entry.what = TarFile{static_cast<std::uint64_t>(found.st_size)};
  return entry;
}

class Walk {
 public:
  Walk(fs::path root, const std::function<void(const Error&)>& leave_out)
      : root_(std::move(root)), leave_out_(leave_out) {}

  Status enter(const std::string& path);
  std::vector<TarEntry> entries;

 private:
  Status add(const std::string& path);

  fs::path root_;
  const std::function<void(const Error&)>& leave_out_;
};

Status Walk::enter(const std::string& path) {
  std::error_code trouble;
  std::vector<std::string> names;
  for (fs::directory_iterator at(root_ / path, trouble); !trouble && at != fs::directory_iterator();
       at.increment(trouble)) {
    names.push_back(at->path().filename().string());
  }
  if (trouble) {
    return Error{Code::usage, cat("cannot read ", printable_line((root_ / path).string()), ": ",
                                  trouble.message())};
  }
  std::ranges::sort(names);
  for (const std::string& name : names) TRY(add(cat(path, '/', name)));
  return {};
}

Status Walk::add(const std::string& path) {
  const std::string whole = (root_ / path).string();
  struct stat found {};
  if (lstat(whole.c_str(), &found) != 0) return failure(whole);
  if (S_ISLNK(found.st_mode)) {
    std::error_code trouble;
    entries.push_back(entry_of(path, found));
    entries.back().what = TarSymlink{fs::read_symlink(whole, trouble).string()};
    return {};
  }
  if (!S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)) {
    leave_out_(Error{Code::refused, cat(printable_line(path), ": neither file nor directory")});
    return {};
  }
  entries.push_back(entry_of(path, found));
  return S_ISDIR(found.st_mode) ? enter(path) : Status();
}

}  // namespace

Result<std::vector<TarEntry>> local_entries(const std::string& directory,
                                            const std::function<void(const Error&)>& leave_out) {
  Walk walk(directory, leave_out);
  TRY(walk.enter("."));
  return std::move(walk.entries);
}

Result<TarEntry> local_entry(const std::string& path, const std::string& typed) {
  struct stat found {};
  if (stat(path.c_str(), &found) != 0) return failure(typed);
  if (S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) return entry_of(path, found);
  return Error{Code::usage, cat(printable_line(typed), " is neither file nor directory")};
}

LocalFile::LocalFile(std::string path, Descriptor file)
    : path_(std::move(path)), file_(std::move(file)), buffer_(k_piece) {}

Result<LocalFile> LocalFile::open(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return failure(path);
  return LocalFile(path, std::move(file));
}

Result<std::string_view> LocalFile::read(std::uint64_t at) {
  ssize_t count = -1;
  do {
    count = pread(file_.get(), buffer_.data(), buffer_.size(), static_cast<off_t>(at));
  } while (count < 0 && errno == EINTR);
  if (count < 0) return failure(path_);
  return std::string_view(buffer_.data(), static_cast<std::size_t>(count));
}

}  // namespace trainctl::work
