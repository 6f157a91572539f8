// Finds running containers by their statuses, and the ports that their programs were given.
#include <cerrno>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>

#include "base/loop/loop.h"
#include "base/text/text.h"
#include "local/answer.h"
#include "local/kubelet/exec_session.h"
#include "local/kubelet/pipe_end.h"
#include "local/kubelet/pod_answers.h"

namespace trainctl::local {
namespace {

// Connections of a client to ports in a pod.
struct PodPort {
  int asked = 0;
  // Ports of this machine where a program that means this port may listen, the likeliest first:
  // replicas share the machine's ports.
  std::vector<int> here;
};

struct Address {
  bool six = false;
  int port = 0;
};

bool connect_to(int fd, const Address& address) {
  if (!address.six) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(address.port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return ::connect(fd, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
  }
  sockaddr_in6 place{};
  place.sin6_family = AF_INET6;
  place.sin6_port = htons(static_cast<std::uint16_t>(address.port));
  place.sin6_addr = in6addr_loopback;
  return ::connect(fd, reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
}

// The connection of one port.
class Leg {
 public:
  struct Handlers {
    std::function<void(std::string_view)> on_bytes;
    std::function<void()> on_drained;
    std::function<void(bool refused)> on_end;
  };
  Leg(UvLoop& loop, const PodPort& port, Handlers handlers)
      : loop_(loop), handlers_(std::move(handlers)) {
    for (const bool six : {false, true}) {
      for (const int here : port.here) addresses_.push_back({six, here});
    }
  }

  void connect();
  void write(std::string_view bytes) {
    if (pipe_) {
      pipe_->write(bytes);
    } else if (!over_) {
      early_ += bytes;
    }
  }
  std::size_t waiting() const { return pipe_ ? pipe_->waiting() : early_.size(); }
  void pause(bool paused) {
    if (pipe_) pipe_->pause(paused);
  }
  bool is_over() const { return over_; }

 private:
  void on_connected();
  void end(bool refused);

  UvLoop& loop_;
  Handlers handlers_;
  std::vector<Address> addresses_;
  std::size_t tried_ = 0;
  Descriptor connecting_;
  HandlePtr watch_;
  std::string early_;  // what the client sent before there was a connection
  std::unique_ptr<PipeEnd> pipe_;
  bool over_ = false;
};

void Leg::connect() {
  while (tried_ < addresses_.size()) {
    const Address& address = addresses_[tried_++];
    const int family = address.six ? AF_INET6 : AF_INET;
    connecting_.reset(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!connecting_) continue;
    if (connect_to(connecting_.get(), address)) return on_connected();
    if (errno != EINPROGRESS) continue;
    watch_ = loop_.on_fd(connecting_.get(), false, true, [this](bool, bool) {
      watch_.reset();  // reset first, since the loop allows one watch per descriptor
      int fault = 0;
      socklen_t size = sizeof fault;
      ::getsockopt(connecting_.get(), SOL_SOCKET, SO_ERROR, &fault, &size);
      if (fault == 0) return on_connected();
      connect();
    });
    return;
  }
  end(true);
}

void Leg::on_connected() {
  PipeEnd::Handlers handlers;
  handlers.on_bytes = handlers_.on_bytes;
  handlers.on_drained = handlers_.on_drained;
  handlers.on_end = [this] { end(false); };
  pipe_ = std::make_unique<PipeEnd>(loop_, std::move(connecting_), std::move(handlers));
  pipe_->write(std::exchange(early_, {}));
  handlers_.on_drained();
}

void Leg::end(bool refused) {
  if (std::exchange(over_, true)) return;
  early_.clear();
  handlers_.on_end(refused);
}

class PortSession : public ApiSession {
 public:
  PortSession(UvLoop& loop, std::string pod_uid, std::vector<PodPort> ports)
      : loop_(loop), pod_uid_(std::move(pod_uid)), ports_(std::move(ports)) {}

  void begin(ApiSocket& socket) override;
  void take(std::string_view message) override;
  void on_drained() override {
    for (const auto& leg : legs_) leg->pause(false);
  }

 private:
  static std::string channel(std::size_t leg, bool fault) {
    return {static_cast<char>(2 * leg + (fault ? 1 : 0))};
  }
  void on_bytes(std::size_t leg, std::string_view bytes);
  void on_end(std::size_t leg, bool refused);
  void go_on();

  UvLoop& loop_;
  std::string pod_uid_;
  std::vector<PodPort> ports_;
  ApiSocket* socket_ = nullptr;
  std::vector<std::unique_ptr<Leg>> legs_;
};

void PortSession::begin(ApiSocket& socket) {
  socket_ = &socket;
  for (std::size_t i = 0; i < ports_.size(); ++i) {
    const auto port = static_cast<unsigned>(ports_[i].asked);
    const std::string number = {static_cast<char>(port & 0xFFU), static_cast<char>(port >> 8U)};
    socket.send(channel(i, false), number);
    socket.send(channel(i, true), number);
    Leg::Handlers handlers;
    handlers.on_bytes = [this, i](std::string_view bytes) { on_bytes(i, bytes); };
    handlers.on_drained = [this] { go_on(); };
    handlers.on_end = [this, i](bool refused) { on_end(i, refused); };
    legs_.push_back(std::make_unique<Leg>(loop_, ports_[i], std::move(handlers)));
  }
  for (const auto& leg : legs_) leg->connect();
}

void PortSession::take(std::string_view message) {
  if (message.size() < 2) return;
  const auto number = static_cast<unsigned char>(message.front());
  const std::size_t leg = number / 2U;
  if (number % 2U != 0 || leg >= legs_.size()) return;
  legs_[leg]->write(message.substr(1));
  if (legs_[leg]->waiting() > k_session_room) socket_->pause(true);
}

void PortSession::on_bytes(std::size_t leg, std::string_view bytes) {
  socket_->send(channel(leg, false), bytes);
  if (socket_->waiting() <= k_session_room) return;
  for (const auto& one : legs_) one->pause(true);
}

void PortSession::go_on() {
  for (const auto& leg : legs_) {
    if (leg->waiting() > k_session_room) return;
  }
  socket_->pause(false);
}

void PortSession::on_end(std::size_t leg, bool refused) {
  const int port = ports_[leg].asked;
  if (refused) {
    socket_->send(channel(leg, true),
                  cat("error forwarding port ", port, " to pod ", pod_uid_,
                      ", uid : failed to execute portforward in network namespace \"host\": failed "
                      "to connect to localhost:",
                      port, " inside namespace \"host\": connection refused"));
  }
  go_on();
  for (const auto& one : legs_) {
    if (!one->is_over()) return;
  }
  socket_->close();
}

// Speaks v4.channel.k8s.io: two channels for each port, for data and for what went wrong.
std::unique_ptr<ApiSession> port_session(UvLoop& loop, std::string pod_uid,
                                         std::vector<PodPort> ports) {
  return std::make_unique<PortSession>(loop, std::move(pod_uid), std::move(ports));
}

constexpr std::string_view k_status_lists[] = {"/status/containerStatuses",
                                               "/status/initContainerStatuses"};
constexpr std::string_view k_spec_lists[] = {"/spec/containers", "/spec/initContainers"};

const Json* named_in(const Json& pod, std::span<const std::string_view> lists,
                     std::string_view container) {
  for (const std::string_view list : lists) {
    for (const Json& one : array_at(pod, list)) {
      if (text_at(one, "/name") == container) return &one;
    }
  }
  return nullptr;
}

// The directory of the container's present run; "" when it does not run.
std::string running_attempt(const KubeletContext& context, const Json& pod,
                            const std::string& container) {
  const Json* status = named_in(pod, k_status_lists, container);
  if (status == nullptr || find(*status, "/state/running") == nullptr) return "";
  const std::string uid = uid_of(pod);
  for (const int attempt : attempts_of(context, uid, container)) {
    if (container_id(uid, container, attempt) == text_at(*status, "/containerID")) {
      return attempt_directory(context, uid, container, attempt);
    }
  }
  return "";
}

std::string not_running(std::string_view container) {
  return cat("unable to upgrade connection: container not found (\"", container, "\")");
}

}  // namespace

std::unique_ptr<ApiSession> open_exec(const KubeletContext& context, const Json& pod,
                                      const StreamQuestion& question) {
  std::string directory = running_attempt(context, pod, question.container);
  if (directory.empty()) return refused_session(not_running(question.container));
  return exec_session(context.loop, std::move(directory), question);
}

std::unique_ptr<ApiSession> open_attach(const KubeletContext& context, LogWatcher& watcher,
                                        const Json& pod, const StreamQuestion& question) {
  std::string directory = running_attempt(context, pod, question.container);
  if (directory.empty()) return refused_session(not_running(question.container));
  const Json* spec = named_in(pod, k_spec_lists, question.container);
  const bool once = spec != nullptr && true_at(*spec, "/stdinOnce");
  return attach_session(context.loop, watcher, std::move(directory), question, once);
}

// A program listens on the port of its service that it was given, or on a port of its own choice.
std::unique_ptr<ApiSession> open_ports(const KubeletContext& context, const Json& pod,
                                       const std::vector<int>& ports) {
  const auto told = context.ports.ports_of(port_owner(pod));
  std::vector<PodPort> chosen;
  for (const int port : ports) {
    PodPort one{port, {}};
    const auto found = told.find(cat(name_of(pod), ":", port));
    if (found != told.end()) one.here.push_back(found->second);
    one.here.push_back(port);
    chosen.push_back(std::move(one));
  }
  return port_session(context.loop, uid_of(pod), std::move(chosen));
}

}  // namespace trainctl::local
