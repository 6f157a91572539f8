// Spreads requests over lanes, and moves those that got no place.
#include "net/curl_transport.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "net/curl_lane.h"
#include "net/curl_websocket.h"

namespace trainctl::net {
namespace {

constexpr auto k_check_interval = std::chrono::milliseconds(250);
// A connection with fewer streams than this is not at a server's limit but is being closed.
constexpr std::size_t k_smallest_limit = 10;
// On a full connection the heartbeat would wait for a place and could not detect anything.
constexpr std::size_t k_heartbeat_room = 1;
// With libcurl's default of 16 KiB, the buffers of a thousand streams would be most of the
// program's memory, while each of so many streams carries little.
constexpr std::size_t k_few_streams = 8;
constexpr long k_buffer_of_some = 4096;
constexpr long k_buffer_of_many = 1024;  // for streams beyond one connection

// libcurl counts init and cleanup calls itself.
class CurlLibrary {
 public:
  CurlLibrary() { curl_global_init(CURL_GLOBAL_DEFAULT); }
  ~CurlLibrary() { curl_global_cleanup(); }
  CurlLibrary(const CurlLibrary&) = delete;
  CurlLibrary& operator=(const CurlLibrary&) = delete;
};

class TransferHandle : public Handle {
 public:
  explicit TransferHandle(std::shared_ptr<Transfer> transfer) : transfer_(std::move(transfer)) {}
  ~TransferHandle() override {
    transfer_->abandon();
    if (transfer_->lane != nullptr) transfer_->lane->drop(*transfer_);
  }

 private:
  std::shared_ptr<Transfer> transfer_;
};

class CurlTransport : public Transport {
 public:
  CurlTransport(UvLoop& loop, CurlSettings settings)
      : loop_(loop),
        settings_(std::move(settings)),
        control_(loop, settings_, learned_, Sharing::possible),
        open_(loop, settings_, learned_, Sharing::none),
        upgraded_(loop, settings_, learned_, Sharing::none) {
    if (settings_.url.scheme != "http") return;
    learned_.protocol = Protocol::http1;
    connected_ = true;
  }

  ~CurlTransport() override {
    for (const auto& transfer : behind_scout_) transfer->release();
  }
  CurlTransport(const CurlTransport&) = delete;
  CurlTransport& operator=(const CurlTransport&) = delete;

  HandlePtr start(Request request, Handlers handlers) override {
    if (!request.protocols.empty()) {
      return open_websocket({loop_, settings_, learned_, upgraded_}, std::move(request),
                            std::move(handlers));
    }
    const auto on_done = handlers.on_done;
    auto transfer =
        std::make_shared<Transfer>(settings_, learned_, std::move(request), std::move(handlers));
    if (Status ready = transfer->prepare(); !ready) {
      return loop_.after(Duration::zero(), [on_done, ready] {
        if (on_done) on_done(ready);
      });
    }
    place(transfer);
    return std::make_unique<TransferHandle>(std::move(transfer));
  }

 private:
  // Waiting for a place on a shared connection is right only where connections can be shared: with
  // HTTP/1.1, all requests but one would wait for ever. So while the protocol is unknown, only one
  // request tries.
  void place(const std::shared_ptr<Transfer>& transfer) {
    const bool http2 = learned_.protocol == Protocol::http2;
    curl_easy_setopt(transfer->easy(), CURLOPT_PIPEWAIT, http2 ? 1L : 0L);
    if (transfer->request().lane == Lane::control) return place_control(transfer);
    const bool tries = learned_.protocol == Protocol::unknown && shared_.empty();
    if (!http2 && !tries) return open_.add(transfer);
    CurlLane& lane = shared_lane();
    if (shared_.size() > 1 || lane.size() >= k_few_streams) {
      const long size = shared_.size() > 1 ? k_buffer_of_many : k_buffer_of_some;
      // libcurl 7.88 mishandles headers that do not fit into the buffer.
      transfer->set_buffer(std::max(size, 2 * static_cast<long>(learned_.longest_head)));
    }
    lane.add(transfer);
    if (!check_) check_later();
  }

  // libcurl would open a connection for each of several first requests. So one goes ahead, and the
  // others follow once its connection is established, which HTTP/2 then shares.
  void place_control(const std::shared_ptr<Transfer>& transfer) {
    if (connected_) return control_.add(transfer);
    if (!scout_.expired()) return behind_scout_.push_back(transfer);
    learned_.hopeless.reset();
    scout_ = transfer;
    transfer->on_contact = [this](bool connected) {
      connected_ = connected;
      if (connected) learned_.hopeless.reset();
      scout_.reset();
      follow_ = loop_.after(Duration::zero(), [this] { follow_scout(); });
    };
    control_.add(transfer);
  }

  // The others follow even when the first found no server, since failing one after the other would
  // take much longer. After a permanent failure, such as a certificate that is not trusted, they
  // are not sent.
  void follow_scout() {
    const std::optional<Error> hopeless = std::exchange(learned_.hopeless, std::nullopt);
    for (const auto& transfer : std::exchange(behind_scout_, {})) {
      if (transfer->is_abandoned()) continue;
      if (!hopeless) {
        control_.add(transfer);
      } else {
        transfer->fail(*hopeless, false);
      }
    }
  }

  CurlLane& shared_lane() {
    for (const auto& lane : shared_) {
      if (!lane->closed && lane->size() + k_heartbeat_room < learned_.streams) return *lane;
    }
    return *shared_.emplace_back(
        std::make_unique<CurlLane>(loop_, settings_, learned_, Sharing::one));
  }

  void check_later() {
    check_ = loop_.after(k_check_interval, [this] { move_stuck(); });
  }

  void move_stuck() {
    std::vector<std::shared_ptr<Transfer>> stuck;
    for (const auto& lane : shared_) {
      const auto taken = lane->take_stuck();
      if (taken.empty()) continue;
      lane->closed = true;
      if (lane->size() >= k_smallest_limit)
        learned_.streams = std::min(learned_.streams, lane->size());
      stuck.insert(stuck.end(), taken.begin(), taken.end());
    }
    check_.reset();
    for (const auto& transfer : stuck) place(transfer);
    const auto has_unsent = [](const auto& lane) { return lane->has_unsent(); };
    if (std::ranges::any_of(shared_, has_unsent)) check_later();
  }

  CurlLibrary library_;
  UvLoop& loop_;
  CurlSettings settings_;
  Learned learned_;
  bool connected_ = false;  // a connection existed, so libcurl knows whether it can be shared
  std::weak_ptr<Transfer> scout_;
  std::vector<std::shared_ptr<Transfer>> behind_scout_;
  HandlePtr follow_;
  CurlLane control_;
  CurlLane open_;      // streams while the protocol is HTTP/1.1 or unknown
  CurlLane upgraded_;  // connections that become WebSockets
  std::vector<std::unique_ptr<CurlLane>> shared_;
  HandlePtr check_;
};

}  // namespace

Result<std::unique_ptr<Transport>> make_curl_transport(UvLoop& loop, Endpoint endpoint) {
  TRY_ASSIGN(CurlSettings settings, make_settings(std::move(endpoint)));
  return std::unique_ptr<Transport>(std::make_unique<CurlTransport>(loop, std::move(settings)));
}

}  // namespace trainctl::net
