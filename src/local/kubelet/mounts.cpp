// Creates mount namespaces for containers, with or without privileges.
#include "local/kubelet/mounts.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text/text.h"
#include "local/kubelet/process_control.h"

namespace trainctl::local {
namespace {

std::string reason() {
  return std::strerror(errno);
}

bool write_text(const char* path, const std::string& text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool done = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  return done;
}

bool bind_mount(const std::string& source, const std::string& target) {
  return ::mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

bool keep_mounts_private() {
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// The root of a chroot need not be a mount point, but only a mount point can be private. Makes the
// root a mount of itself. That mount covers /proc, because it would appear on the machine if it
// were on a mount that is shared, and each chroot with processes has a /proc to make private.
bool mount_root() {
  return ::mount(nullptr, "/proc", nullptr, MS_PRIVATE, nullptr) == 0 && bind_mount("/", "/proc") &&
         ::chdir("/proc") == 0 && ::chroot(".") == 0;
}

// Creates a mount namespace from which no mount propagates back to the machine's.
std::string unshare_mounts() {
  const uid_t uid = ::geteuid();
  const gid_t gid = ::getegid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
      return cat("no user namespace for mounts: ", reason());
    }
    // Maps only our own user; without "deny", the kernel lets no unprivileged process map groups.
    const bool mapped = write_text("/proc/self/setgroups", "deny") &&
                        write_text("/proc/self/uid_map", cat(uid, " ", uid, " 1\n")) &&
                        write_text("/proc/self/gid_map", cat(gid, " ", gid, " 1\n"));
    if (!mapped) return cat("no user namespace for mounts: ", reason());
  }
  if (keep_mounts_private()) return "";
  if (errno == EINVAL && mount_root() && keep_mounts_private()) return "";
  return cat("no mount namespace: ", reason());
}

bool make_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
  if (fd >= 0) ::close(fd);
  return fd >= 0;
}

bool copy_link(const std::string& from, const std::string& to) {
  char text[4096];
  const ssize_t size = ::readlink(from.c_str(), text, sizeof text);
  if (size < 0) return false;
  const std::string target(text, static_cast<std::size_t>(size));
  return ::symlink(target.c_str(), to.c_str()) == 0;
}

// Binds the same entry at another place. An entry that cannot be bound (a socket that is gone,
// another user's FUSE mount) is skipped, since nothing here depends on it.
void repeat_entry(const std::string& from, const std::string& to) {
  struct stat info {};
  if (::lstat(from.c_str(), &info) != 0) return;
  if (S_ISLNK(info.st_mode)) {
    copy_link(from, to);
    return;
  }
  const bool is_directory = S_ISDIR(info.st_mode);
  const bool made = is_directory ? ::mkdir(to.c_str(), 0755) == 0 : make_file(to);
  if (!made || bind_mount(from, to)) return;
  if (is_directory) {
    ::rmdir(to.c_str());
  } else {
    ::unlink(to.c_str());
  }
}

bool repeat_entries(const std::string& directory, const std::string& stage) {
  DIR* entries = ::opendir(directory.c_str());
  if (entries == nullptr) return false;
  const std::string slash = directory == "/" ? "" : "/";
  while (const dirent* entry = ::readdir(entries)) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    repeat_entry(cat(directory, slash, name), cat(stage, "/", name));
  }
  ::closedir(entries);
  return true;
}

// The container's file system view during its construction.
struct MountView {
  std::string stage;
  std::vector<std::string> opened;  // directories that are on our tmpfs
  int old_root = -1;                // kept until the end, because sources are bound from it
};

// The root cannot be covered by a mount: the copy becomes the root.
bool become_root(MountView& view) {
  view.old_root = ::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
  return view.old_root >= 0 && ::chdir(view.stage.c_str()) == 0 &&
         ::syscall(SYS_pivot_root, ".", ".") == 0 && ::chdir("/") == 0;
}

bool leave_old_root(const MountView& view) {
  if (view.old_root < 0) return true;
  return ::fchdir(view.old_root) == 0 && ::umount2(".", MNT_DETACH) == 0 && ::chdir("/") == 0;
}

std::string mode_option(mode_t mode) {
  std::string text = "mode=";
  for (int shift = 9; shift >= 0; shift -= 3)
    text += static_cast<char>('0' + ((mode >> shift) & 7));
  return text;
}

// Replaces a directory by one in which entries can be created without creating them on the machine.
std::string open_directory(const std::string& directory, MountView& view) {
  struct stat info {};
  if (::stat(directory.c_str(), &info) != 0) return reason();
  const std::string& stage = view.stage;
  const std::string mode = mode_option(info.st_mode);
  if (::mount("tmpfs", stage.c_str(), "tmpfs", 0, mode.c_str()) != 0) return reason();
  if (!repeat_entries(directory, stage)) return reason();
  if (directory == "/") return become_root(view) ? "" : reason();
  if (::mount(stage.c_str(), directory.c_str(), nullptr, MS_MOVE, nullptr) != 0) return reason();
  return "";
}

bool is_there(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

std::string make_target(const std::string& target, bool is_directory, MountView& view) {
  std::vector<std::string> missing;
  std::string above = target;
  for (; !is_there(above); above = parent_of(above)) missing.insert(missing.begin(), above);
  if (missing.empty()) return "";
  auto& opened = view.opened;
  if (std::ranges::find(opened, above) == opened.end()) {
    if (const auto fault = open_directory(above, view); !fault.empty()) return fault;
    opened.push_back(above);
  }
  for (const std::string& path : missing) {
    const bool directory = is_directory || path != target;
    const bool made = directory ? ::mkdir(path.c_str(), 0755) == 0 : make_file(path);
    if (!made) return reason();
    if (directory && path != target) opened.push_back(path);
  }
  return "";
}

bool remount_read_only(const std::string& target) {
  // In a user namespace, the flags of an existing mount are locked and must be repeated.
  constexpr unsigned long k_kept_flags[] = {0,
                                            MS_NODEV,
                                            MS_NOSUID | MS_NODEV,
                                            MS_NOSUID | MS_NODEV | MS_NOEXEC,
                                            MS_NOSUID | MS_NODEV | MS_RELATIME,
                                            MS_NOSUID | MS_NODEV | MS_NOATIME};
  return std::ranges::any_of(k_kept_flags, [&](unsigned long kept) {
    const unsigned long flags = MS_BIND | MS_REMOUNT | MS_RDONLY | kept;
    return ::mount(nullptr, target.c_str(), nullptr, flags, nullptr) == 0;
  });
}

std::string mount_fault(const Mount& mount, const std::string& why) {
  return cat("error mounting \"", mount.source, "\" to rootfs at \"", mount.target, "\": ", why);
}

}  // namespace

std::string enter_mounts(const std::vector<Mount>& mounts, const std::string& stage) {
  if (mounts.empty()) return "";
  if (const auto fault = unshare_mounts(); !fault.empty()) return fault;
  MountView view{stage, {}, -1};
  // Sources are kept open from the start, because their paths lead elsewhere once another mount
  // covers a parent directory.
  std::vector<std::string> sources;
  for (const Mount& mount : mounts) {
    const int fd = ::open(mount.source.c_str(), O_PATH | O_CLOEXEC);
    if (fd < 0) return mount_fault(mount, reason());
    sources.push_back(cat("/proc/self/fd/", fd));
  }
  for (std::size_t i = 0; i < mounts.size(); ++i) {
    const Mount& mount = mounts[i];
    struct stat info {};
    if (::stat(sources[i].c_str(), &info) != 0) return mount_fault(mount, reason());
    const auto fault = make_target(mount.target, S_ISDIR(info.st_mode), view);
    if (!fault.empty()) return mount_fault(mount, fault);
    if (!bind_mount(sources[i], mount.target)) return mount_fault(mount, reason());
    if (mount.read_only && !remount_read_only(mount.target)) return mount_fault(mount, reason());
  }
  return leave_old_root(view) ? "" : cat("leaving the machine's file system: ", reason());
}

std::string why_no_mounts() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return reason();
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string fault = unshare_mounts();
    const bool reported = ::write(ends[1], fault.data(), fault.size()) >= 0;
    end_child(reported ? 0 : 1);
  }
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return reason();
  }
  char text[512];
  const ssize_t size = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return std::string(text, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

}  // namespace trainctl::local
