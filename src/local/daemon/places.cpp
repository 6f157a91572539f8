// Manages the two directories of the embedded cluster, its lock file and its socket, through POSIX
// calls.
#include "local/daemon/places.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/environment.h"
#include "base/file/files.h"
#include "base/text/text.h"

namespace trainctl::local {
namespace {

constexpr std::size_t k_longest_socket_path = sizeof(sockaddr_un::sun_path) - 1;

Result<std::string> cluster_directory(const Environment& environment) {
  const std::string state = state_directory(environment);
  if (!state.empty()) return state + "/local";
  return Error{Code::usage,
               "no place for the embedded cluster's files: HOME is not an absolute path",
               "set HOME or XDG_STATE_HOME to the absolute path of a directory of yours"};
}

std::string socket_path(const Environment& environment) {
  if (const auto session = absolute_directory(environment, "XDG_RUNTIME_DIR"); !session.empty()) {
    return session + "/trainctl/local.sock";
  }
  const std::string temporary = absolute_directory(environment, "TMPDIR");
  return cat(temporary.empty() ? "/tmp" : temporary, "/trainctl-", ::getuid(), "/local.sock");
}

Error not_private(const std::string& path, std::string_view why) {
  return {Code::error, cat("cannot use ", path, ": ", why),
          "move it away, or set XDG_STATE_HOME and XDG_RUNTIME_DIR to directories of yours"};
}

Status check_private(const std::string& path) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) != 0) return system_error("look at", path);
  if (S_ISLNK(facts.st_mode)) return not_private(path, "it is a symbolic link");
  if (!S_ISDIR(facts.st_mode)) return not_private(path, "it is not a directory");
  if (facts.st_uid != ::getuid()) return not_private(path, "it belongs to another user");
  if ((facts.st_mode & 0022U) != 0) return not_private(path, "other users may write there");
  return {};
}

// Creates the missing directories above a path, closed to others regardless of the umask: a user
// who could write there could replace our directory.
Status make_above(const std::string& path) {
  const std::string above = directory_of(path);
  std::error_code trouble;
  if (std::filesystem::is_directory(above, trouble)) return {};
  TRY(make_above(above));
  if (::mkdir(above.c_str(), 0700) != 0 && errno != EEXIST) return system_error("make", above);
  return {};
}

Status make_private_directory(const std::string& path) {
  TRY(make_above(path));
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return system_error("make", path);
  TRY(check_private(path));
  // The directory is ours, but was created under a permissive umask.
  if (::chmod(path.c_str(), 0700) != 0) return system_error("restrict the permissions of", path);
  return {};
}

std::string read_some(int fd) {
  std::array<char, 512> buffer{};
  const ssize_t size = ::pread(fd, buffer.data(), buffer.size(), 0);
  return size > 0 ? std::string(buffer.data(), static_cast<std::size_t>(size)) : "";
}

}  // namespace

Error system_error(std::string_view doing, const std::string& path) {
  const std::string reason = system_words(errno);
  return {Code::error, cat("cannot ", doing, ' ', path, ": ", reason), ""};
}

namespace {

// The socket by which the daemon of this state directory serves; "" = its own, or none.
std::string socket_elsewhere(const DaemonPaths& places) {
  const std::string socket = read_holder(places).socket;
  const bool is_place = socket.starts_with('/') && socket.size() <= k_longest_socket_path;
  if (!is_place || socket == places.socket || !check_private(directory_of(socket))) return "";
  return reach(socket) == Reach::accepts ? socket : "";
}

}  // namespace

Result<DaemonPaths> places(const Environment& environment) {
  DaemonPaths places;
  TRY_ASSIGN(places.state, cluster_directory(environment));
  places.socket = socket_path(environment);
  if (const std::string living = socket_elsewhere(places); !living.empty()) places.socket = living;
  if (places.socket.size() > k_longest_socket_path) {
    return Error{
        Code::usage,
        cat("the socket's path is longer than ", k_longest_socket_path, " bytes: ", places.socket),
        "set XDG_RUNTIME_DIR to a directory with a shorter path"};
  }
  return places;
}

Status make_private(const DaemonPaths& places) {
  TRY(make_private_directory(places.state));
  return make_private_directory(directory_of(places.socket));
}

Status check_socket_directory(const DaemonPaths& places) {
  const std::string directory = directory_of(places.socket);
  struct stat facts {};
  if (::lstat(directory.c_str(), &facts) != 0 && errno == ENOENT) return {};
  return check_private(directory);
}

Reach reach(const std::string& socket) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket.data(), std::min(socket.size(), k_longest_socket_path));
  const Descriptor connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!connection) return Reach::failed;
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  while (::connect(connection.get(), where, sizeof address) != 0) {
    if (errno == EINTR) continue;
    const bool nobody = errno == ENOENT || errno == ECONNREFUSED;
    return nobody ? Reach::nobody : Reach::failed;
  }
  return Reach::accepts;
}

Result<Descriptor> try_lock(const DaemonPaths& places) {
  const std::string path = places.lock();
  Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return system_error("open", path);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno == EWOULDBLOCK) return Descriptor();
  return system_error("lock", path);
}

Holder read_holder(const DaemonPaths& places) {
  const Descriptor file(::open(places.lock().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  Holder holder;
  if (!file) return holder;
  const Halves lines = split_once(read_some(file.get()), '\n');
  std::from_chars(lines.first.data(), lines.first.data() + lines.first.size(), holder.pid);
  const Halves more = split_once(lines.second, '\n');
  holder.socket = trim(more.first);
  holder.mark = parse_mark(more.second);
  return holder;
}

void write_holder(const Descriptor& lock, const Holder& holder) {
  std::string text = holder.pid == 0 ? "" : cat(holder.pid, '\n', holder.socket, '\n');
  if (holder.mark) text += cat(mark_text(*holder.mark), '\n');
  // Read by people, by `local status`, and by clients that ask whether the daemon was ended on
  // purpose. Written in one call, because a daemon might die at a moment when the file is empty.
  [[maybe_unused]] const ssize_t written = ::pwrite(lock.get(), text.data(), text.size(), 0);
  [[maybe_unused]] const int cut = ::ftruncate(lock.get(), static_cast<off_t>(text.size()));
}

}  // namespace trainctl::local
