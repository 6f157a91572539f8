// Accepts connections, and has each carried by a stream of its own.
#include "work/session/forwarding.h"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/file/descriptor.h"
#include "base/loop/ending_signals.h"
#include "base/text/text.h"
#include "kube/stream/port_stream.h"

namespace trainctl::work {
namespace {

constexpr int k_most_port = 65535;

std::optional<int> port_in(std::string_view text) {
  const auto port = parse_number<int>(text);
  return port && *port >= 1 && *port <= k_most_port ? port : std::nullopt;
}

// The embedded cluster connects to the loopback addresses. A connection accepted there may be our
// own, and would be forwarded again for ever.
bool may_come_back(const std::vector<PortPair>& ports, int local, const std::string& address) {
  return includes_loopback(address) &&
         std::ranges::any_of(ports, [local](const PortPair& pair) { return pair.remote == local; });
}

Error own_port_of_replica(const std::string& address, int port) {
  return {Code::usage,
          cat("cannot listen on ", address, " port ", port,
              ": with --local, this is the replica's own port"),
          "choose another local port, or any free one: :REMOTE"};
}

}  // namespace

Result<PortPair> parse_port_pair(const std::string& text) {
  const Halves halves = split_once(text, ':');
  const auto remote = port_in(halves.found ? halves.second : halves.first);
  const auto local =
      halves.found && halves.first.empty() ? std::optional<int>(0) : port_in(halves.first);
  if (local && remote) return PortPair{*local, *remote};
  return Error{Code::usage, cat("`", printable_line(text), "` names no ports"),
               "write 8080, LOCAL:REMOTE as 8080:80, or :80 for any free local port"};
}

std::string LocalPort::leading_to(const Target& target) const {
  const bool is_six = address.find(':') != std::string::npos;
  const std::string shown = is_six ? cat('[', address, ']') : address;
  return cat(shown, ':', own != 0 ? own : socket.port(), " -> ", target.name(), ':', remote);
}

Result<std::vector<LocalPort>> listen_on_all(const Access& access,
                                             const std::vector<PortPair>& ports,
                                             const std::vector<std::string>& addresses) {
  std::vector<LocalPort> all;
  for (const PortPair& pair : ports) {
    int local = pair.local;
    for (const std::string& address : addresses) {
      if (access.embedded && may_come_back(ports, local, address)) {
        const bool is_own = local == pair.remote && !is_any_address(address);
        if (!is_own) return own_port_of_replica(address, local);
        all.push_back({TcpSocket(), address, pair.remote, pair.remote});
        continue;
      }
      TRY_ASSIGN(TcpSocket socket, listen_on(address, local));
      local = socket.port();
      all.push_back({std::move(socket), address, pair.remote});
    }
  }
  return all;
}

Status find_own_ports(Access& access, const Target& target, std::vector<LocalPort>& ports) {
  if (!access.embedded || ports.empty()) return {};
  TRY_ASSIGN(const Json numbers, access.embedded->ports(target.job_uid));
  for (LocalPort& port : ports) {
    const auto told = int_at(numbers, "/" + pointer_step(cat(target.pod, ":", port.remote)));
    const int here = static_cast<int>(told.value_or(port.remote));
    const bool comes_back =
        port.own == 0 && includes_loopback(port.address) && port.socket.port() == here;
    if (comes_back && is_any_address(port.address)) return own_port_of_replica(port.address, here);
    if (port.own == 0 && !comes_back) continue;
    port.socket = TcpSocket();
    port.own = here;
  }
  return {};
}

namespace {

// As much of what a program sends as may wait for the connection to the cluster.
constexpr std::size_t k_connection_room = std::size_t{256} << 10;
// The protocol cannot say that a program sends no more. It may still wait for the rest of an
// answer, or have gone away; a program that has received nothing for this long after that counts as
// gone. kubectl does not wait at all.
constexpr Duration k_patience_after_end = std::chrono::seconds(10);
// The same for a program that has sent nothing, and so asked for nothing.
constexpr Duration k_patience_without_request = std::chrono::milliseconds(500);

// Files that a connection needs: the program's, the cluster's, and a watcher for each.
constexpr std::size_t k_files_each = 4;
constexpr std::size_t k_files_of_the_command = 64;
constexpr std::size_t k_most_connections = 1000;
// Before a program is looked for again that could not be let in.
constexpr Duration k_pause = std::chrono::milliseconds(100);

// Any user of this machine may connect, as often as they like. So the command keeps enough files
// for itself; further programs wait until a connection ends.
std::size_t connection_limit() {
  const std::size_t files = file_limit();
  const std::size_t left = files > k_files_of_the_command ? files - k_files_of_the_command : 0;
  return std::clamp<std::size_t>(left / k_files_each, 1, k_most_connections);
}

// One connection of a local program.
class Relay {
 public:
  // `on_end` may destroy the relay.
  Relay(Loop& loop, TcpSocket socket, std::function<void(std::optional<kube::Failure>)> on_end)
      : loop_(loop), socket_(std::move(socket)), on_end_(std::move(on_end)) {}

  void start(kube::Client& client, const Target& target, int port) {
    kube::PortHandlers handlers;
    handlers.on_open = [this] { watch(); };
    handlers.on_data = [this](std::string_view bytes) { on_data(bytes); };
    handlers.on_drained = [this] { watch(); };
    handlers.on_end = [this](std::optional<kube::Failure> failure) {
      readable_.reset();
      end_ = std::move(failure);
      ended_ = true;
      if (!writable_) write();
    };
    stream_ = kube::open_port(client, target.ns, target.pod, port, std::move(handlers));
  }

 private:
  void watch() {
    if (readable_ || input_ended_ || ended_) return;
    readable_ = loop_.on_readable(socket_.fd(), [this] { read(); });
  }

  void read() {
    Result<std::optional<std::string>> piece = socket_.read();
    if (!piece) return finish();
    if (!*piece) return;
    if ((*piece)->empty()) {
      input_ended_ = true;
      readable_.reset();
      return await_rest();
    }
    has_sent_ = true;
    stream_->write(**piece);
    if (stream_->waiting() > k_connection_room) readable_.reset();
  }

  void await_rest() {
    patience_ = loop_.after(has_sent_ ? k_patience_after_end : k_patience_without_request,
                            [this] { finish(); });
  }

  void on_data(std::string_view bytes) {
    if (input_ended_) await_rest();
    output_ += bytes;
    if (!writable_) write();
  }

  void write() {
    writable_.reset();
    std::string_view rest = output_;
    while (!rest.empty()) {
      const Result<std::size_t> taken = socket_.write(rest);
      if (!taken) return finish();
      if (*taken == 0) break;
      rest.remove_prefix(*taken);
    }
    output_.erase(0, output_.size() - rest.size());
    stream_->pause(!output_.empty());
    if (!output_.empty()) {
      writable_ = loop_.on_writable(socket_.fd(), [this] { write(); });
    } else if (ended_) {
      finish();
    }
  }

  // On a later turn, since the stream may be calling.
  void finish() {
    readable_.reset();
    writable_.reset();
    patience_.reset();
    if (over_) return;
    over_ = loop_.after({}, [this] {
      const auto on_end = std::move(on_end_);
      on_end(std::move(end_));
    });
  }

  Loop& loop_;
  TcpSocket socket_;
  std::function<void(std::optional<kube::Failure>)> on_end_;
  std::string output_;  // what the program has not taken yet
  bool has_sent_ = false;
  bool input_ended_ = false;
  bool ended_ = false;
  std::optional<kube::Failure> end_;
  std::unique_ptr<kube::PortStream> stream_;
  HandlePtr readable_, writable_, patience_, over_;
};

class Forwarding : public Handle {
 public:
  Forwarding(Access& access, kube::Client& client, Target target, std::vector<LocalPort> ports);

  // Until the user or the server ends it.
  Status run();

 private:
  struct Door {
    LocalPort port;
    HandlePtr watch;
  };

  void open_all();
  void close_all();
  void accept(Door& door);
  void on_end(std::size_t number, const std::optional<kube::Failure>& failure);

  Console& console_;
  Loop& loop_;
  kube::Client& client_;
  Target target_;
  std::list<Door> doors_;
  HandlePtr reopening_;
  const std::size_t limit_ = connection_limit();
  bool was_full_ = false;
  std::map<std::size_t, std::unique_ptr<Relay>> relays_;
  std::size_t accepted_ = 0;
  std::optional<Status> outcome_;
};

Forwarding::Forwarding(Access& access, kube::Client& client, Target target,
                       std::vector<LocalPort> ports)
    : console_(access.console), loop_(access.loop), client_(client), target_(std::move(target)) {
  for (LocalPort& port : ports) {
    if (port.own == 0) doors_.push_back(Door{std::move(port), nullptr});
  }
  open_all();
}

void Forwarding::open_all() {
  reopening_.reset();
  for (Door& door : doors_) {
    if (door.watch) continue;
    door.watch = loop_.on_readable(door.port.socket.fd(), [this, &door] { accept(door); });
  }
}

void Forwarding::close_all() {
  for (Door& door : doors_) door.watch.reset();
}

Status Forwarding::run() {
  const auto signals = loop_.ending_signals().watch([this](const EndingSignal& signal) {
    if (outcome_) return;
    loop_.ending_signals().forget();
    outcome_ = signal.code == Code::interrupted
                   ? Status()
                   : Status(Error{signal.code, std::string(signal.what_happened), ""});
  });
  loop_.run_until([this] { return outcome_.has_value(); });
  return *std::move(outcome_);
}

void Forwarding::accept(Door& door) {
  auto socket = door.port.socket.accept();
  if (!socket) {
    // Perhaps the machine has no file left: the program waits, and so do we.
    reopening_ = loop_.after(k_pause, [this] { open_all(); });
    return close_all();
  }
  const std::size_t number = accepted_++;
  auto relay = std::make_unique<Relay>(
      loop_, *std::move(socket),
      [this, number](const std::optional<kube::Failure>& failure) { on_end(number, failure); });
  Relay& started = *relays_.emplace(number, std::move(relay)).first->second;
  started.start(client_, target_, door.port.remote);
  if (relays_.size() < limit_) return;
  if (!std::exchange(was_full_, true)) {
    console_.warn(cat(limit_, " connections are open: new ones wait until one closes"));
  }
  close_all();
}

// A port that refuses may listen later, but a pod that is gone does not come back.
void Forwarding::on_end(std::size_t number, const std::optional<kube::Failure>& failure) {
  relays_.erase(number);
  open_all();
  if (!failure) return;
  const int status = failure->refusal.status;
  const bool is_final = status == 401 || status == 403 || status == 404;
  if (!is_final) return console_.warn(failure->error.message);
  if (!outcome_) outcome_ = failure->error;
}

}  // namespace

Result<HandlePtr> start_forwarding(Access& access, const Target& target,
                                   std::vector<LocalPort> ports) {
  TRY_ASSIGN(kube::Client * client, access.client());
  return HandlePtr(std::make_unique<Forwarding>(access, *client, target, std::move(ports)));
}

Status forward_ports(Access& access, const Target& target, std::vector<LocalPort> ports) {
  TRY_ASSIGN(kube::Client * client, access.client());
  for (const LocalPort& port : ports) {
    if (port.own == 0 || !listen_on(port.address, port.own)) continue;
    return Error{Code::not_found,
                 cat(target.name(), " does not listen on ", port.address, " port ", port.own),
                 cat("see what it does: trainctl logs ", target.name())};
  }
  for (const LocalPort& port : ports) TRY(access.console.out(port.leading_to(target) + "\n"));
  if (std::ranges::all_of(ports, [](const LocalPort& port) { return port.own != 0; })) {
    access.console.notice("nothing to forward: the replica already listens on this machine");
    return {};
  }
  Forwarding forwarding(access, *client, target, std::move(ports));
  return forwarding.run();
}

}  // namespace trainctl::work
