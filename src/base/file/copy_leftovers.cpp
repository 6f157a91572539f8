// A lock ends with its process, however that ends, which no list of process ids could tell on a
// file system that several machines share. The minute is for the moment before the lock is there,
// and for file systems whose locks do not reach other machines: a copy whose file is removed under
// it fails at its end, and loses nothing that had its final name.
#include "base/file/copy_leftovers.h"

#include <array>
#include <ctime>
#include <memory>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file/descriptor.h"

namespace trainctl {
namespace {

constexpr std::string_view k_name_begin = ".trainctl-";
constexpr std::string_view k_name_end = ".part";
constexpr std::string_view k_letters = "abcdefghijklmnopqrstuvwxyz012345";
constexpr std::size_t k_random = 8;
constexpr std::time_t k_idle_seconds = 60;

bool looks_abandoned(const struct stat& found) {
  return S_ISREG(found.st_mode) && (found.st_mode & ALLPERMS) == k_copy_mode &&
         found.st_uid == ::geteuid() && found.st_nlink == 1 &&
         found.st_mtim.tv_sec < std::time(nullptr) - k_idle_seconds;
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

}  // namespace

std::string new_copy_name() {
  std::array<unsigned char, k_random> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) < 0) bytes.fill(0);
  std::string name(k_name_begin);
  for (const unsigned char byte : bytes) name += k_letters[byte % k_letters.size()];
  return name.append(k_name_end);
}

bool is_copy_name(std::string_view name) {
  if (name.size() != k_name_begin.size() + k_random + k_name_end.size()) return false;
  if (!name.starts_with(k_name_begin) || !name.ends_with(k_name_end)) return false;
  return name.substr(k_name_begin.size(), k_random).find_first_not_of(k_letters) == name.npos;
}

void hold_copy(int file) {
  static_cast<void>(::flock(file, LOCK_EX | LOCK_NB));
}

void remove_abandoned_copies(int directory) {
  for (const std::string& name : copy_names(directory)) remove_if_abandoned(directory, name);
}

}  // namespace trainctl
