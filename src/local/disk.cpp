// Finds mount points, and allocates a file that exists only to be removed.
#include "local/disk.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file/descriptor.h"
#include "base/file/files.h"
#include "base/text/text.h"

namespace trainctl::local {

namespace {

// The mount point of the file system of `path`, the name by which a user knows a disk.
std::string disk_of(const std::string& path) {
  struct stat facts {};
  std::string mount = path;
  while (::stat(mount.c_str(), &facts) != 0 && mount.size() > 1) mount = directory_of(mount);
  const dev_t device = facts.st_dev;
  while (mount.size() > 1) {
    const std::string above = directory_of(mount);
    if (::stat(above.c_str(), &facts) != 0 || facts.st_dev != device) break;
    mount = above;
  }
  return mount;
}

}  // namespace

std::string disk_is_full(const std::string& path) {
  return cat("no space left on ", disk_of(path), ", the disk of ", path);
}

std::string what_disk_hinders(const std::string& path) {
  struct statvfs disk {};
  if (::statvfs(path.c_str(), &disk) != 0) return "";
  if (static_cast<unsigned long long>(disk.f_bavail) * disk.f_frsize >= k_left_by_logs) return "";
  return cat(
      disk_is_full(path), " (", k_left_by_logs >> 20,
      " MiB are reserved for stopping replicas): programs wait until the disk has room for their "
      "output");
}

void DiskReserve::hold() {
  struct statvfs disk {};
  if (held_ || path_.empty() || ::statvfs(directory_of(path_).c_str(), &disk) != 0) return;
  struct stat facts {};
  held_ = ::stat(path_.c_str(), &facts) == 0 && facts.st_size == size_;
  const auto room = static_cast<off_t>(disk.f_bavail * disk.f_frsize);
  if (held_ || room < 2 * size_) return;
  const Descriptor file(::open(path_.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  held_ = file && ::posix_fallocate(file.get(), 0, size_) == 0;
  if (!held_) ::unlink(path_.c_str());
}

bool DiskReserve::release() {
  held_ = false;
  return !path_.empty() && ::unlink(path_.c_str()) == 0;
}

}  // namespace trainctl::local
