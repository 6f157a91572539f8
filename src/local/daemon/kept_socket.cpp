// Looks whether the file is there; that it leads to this process is the lock's matter.
#include "local/daemon/kept_socket.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/text/text.h"
#include "local/daemon/places.h"

namespace trainctl::local {
namespace {

Error cannot_listen(const std::string& where) {
  return {Code::error, cat("cannot listen on ", where, ": ", system_words(errno)), ""};
}

}  // namespace

Result<Descriptor> listen_on_socket(const std::string& path) {
  if (reach(path) == Reach::accepts) {
    return Error{
        Code::error, cat("another embedded cluster serves on ", path),
        "stop that cluster with its own state directory: XDG_STATE_HOME=DIR trainctl local down"};
  }
  ::unlink(path.c_str());
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    errno = ENAMETOOLONG;
    return cannot_listen(path);
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  Descriptor fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const auto* where = reinterpret_cast<const sockaddr*>(&address);
  if (!fd || ::bind(fd.get(), where, sizeof address) != 0 || ::listen(fd.get(), SOMAXCONN) != 0) {
    return cannot_listen(path);
  }
  return fd;
}

namespace {

bool is_readable(int fd) {
  pollfd waiting{fd, POLLIN, 0};
  return ::poll(&waiting, 1, 0) == 1;
}

}  // namespace

Status KeptSocket::open() {
  TRY_ASSIGN(Descriptor socket, listen_on_socket(places_.socket));
  listening_ = socket.get();
  TRY_ASSIGN(auto server, HttpServer::start(loop_, std::move(socket), handler_));
  servers_.push_back(std::move(server));
  return {};
}

std::string KeptSocket::keep() {
  if (::access(places_.socket.c_str(), F_OK) == 0) return "";
  Status opened = make_private(places_);
  if (opened) opened = open();
  if (opened) {
    last_fault_.clear();
    return cat("the socket was deleted: serves on a new one, ", places_.socket);
  }
  const std::string fault = cat("the socket was deleted: ", opened.error().message);
  return std::exchange(last_fault_, fault) == fault ? "" : fault;
}

bool KeptSocket::is_used() const {
  const auto serves = [](const auto& server) { return server->active() > 0; };
  return std::ranges::any_of(servers_, serves) || is_readable(listening_);
}

namespace {

constexpr Duration k_lock_patience = std::chrono::seconds(60);
constexpr Duration k_lock_tick = std::chrono::milliseconds(5);

// The holder has our state directory but another run-time directory: two sessions of one user, such
// as a desktop's and cron's.
bool serves_elsewhere(const Holder& holder, const DaemonPaths& places) {
  return !holder.socket.empty() && holder.socket != places.socket &&
         reach(holder.socket) == Reach::accepts;
}

Error lock_taken(const Holder& holder, const DaemonPaths& places) {
  const std::string where = holder.socket.empty() ? "no socket" : holder.socket;
  const bool elsewhere = serves_elsewhere(holder, places);
  return {Code::error,
          cat("process ", holder.pid, " has ", places.lock(), " and serves on ", where,
              elsewhere ? ": set XDG_RUNTIME_DIR or TMPDIR as it was when that process started"
                        : ", where nobody can reach it: trainctl local down ends that process and "
                          "keeps its jobs"),
          ""};
}

}  // namespace

Error held_by_another(const DaemonPaths& places) {
  return lock_taken(read_holder(places), places);
}

Result<Descriptor> take_lock(UvLoop& loop, const DaemonPaths& places) {
  Result<Descriptor> outcome = Descriptor();
  std::optional<bool> decided;
  HandlePtr timer;
  const Time deadline = loop.now() + k_lock_patience;
  std::function<void()> attempt = [&] {
    outcome = try_lock(places);
    decided = !outcome || *outcome || reach(places.socket) == Reach::accepts;
    if (!*decided && serves_elsewhere(read_holder(places), places)) return;
    if (*decided || loop.now() >= deadline) return;
    decided.reset();
    timer = loop.after(k_lock_tick, attempt);
  };
  attempt();
  loop.run_until([&] { return decided.has_value(); });
  if (*decided) return outcome;
  return held_by_another(places);
}

}  // namespace trainctl::local
