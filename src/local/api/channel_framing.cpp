// The table of the kubelet's framings (pkg/kubelet/cri/streaming), and the translation of messages.
#include "local/api/channel_framing.h"

#include <utility>

#include "base/text/text.h"
#include "base/value/base64.h"
#include "base/value/json.h"
#include "kube/stream/channel_stream.h"

namespace trainctl::local {
namespace {

constexpr ChannelFraming k_framings[] = {
    {kube::k_channels_v5},
    {kube::k_channels_v4, false, false, true},
    {"v4.base64.channel.k8s.io", true, false, true},
    {"channel.k8s.io", false, true},
    {"base64.channel.k8s.io", true, true},
    {"", false, true, true},
};

// Returns the text that clients before v4 read as the fault; "" = the command succeeded.
std::string plain_words(std::string_view status) {
  const auto parsed = parse_json(status, "the status");
  if (!parsed || text_at(*parsed, "/status") == "Success") return "";
  return text_at(*parsed, "/message");
}

class FramedSession : public ApiSession, public ApiSocket {
 public:
  FramedSession(std::unique_ptr<ApiSession> session, bool base64, bool plain_status)
      : session_(std::move(session)), base64_(base64), plain_status_(plain_status) {}

  void begin(ApiSocket& socket) override {
    socket_ = &socket;
    session_->begin(*this);
  }
  void on_drained() override { session_->on_drained(); }
  void take(std::string_view message) override;

  void send(std::string_view head, std::string_view body) override;
  std::size_t waiting() const override { return socket_->waiting(); }
  void pause(bool paused) override { socket_->pause(paused); }
  void close() override { socket_->close(); }

 private:
  std::unique_ptr<ApiSession> session_;
  bool base64_;
  bool plain_status_;
  ApiSocket* socket_ = nullptr;
};

// As by a kubelet, a message that is not base64 ends the connection.
void FramedSession::take(std::string_view message) {
  if (!base64_) return session_->take(message);
  if (message.empty()) return;
  const auto bytes = base64_decode(message.substr(1));
  if (!bytes) return socket_->close();
  const std::string channel(1, static_cast<char>(message.front() - '0'));
  session_->take(channel + *bytes);
}

void FramedSession::send(std::string_view head, std::string_view body) {
  std::string words;
  if (plain_status_ && head == kube::channel_head(kube::Channel::status)) {
    words = plain_words(body);
    if (words.empty()) return;
    body = words;
  }
  if (!base64_) return socket_->send(head, body);
  const std::string digit(1, static_cast<char>('0' + head.front()));
  std::string all(head.substr(1));
  all += body;
  socket_->send(digit, base64_encode(all));
}

}  // namespace

const ChannelFraming* chosen_framing(const std::vector<std::string>& offered, bool for_ports) {
  const std::vector<std::string> none = {""};
  for (const std::string& name : offered.empty() ? none : offered) {
    for (const ChannelFraming& row : k_framings) {
      if (row.protocol == name && (row.for_ports || !for_ports)) return &row;
    }
  }
  return nullptr;
}

std::string framing_names(bool for_ports) {
  std::vector<std::string> names;
  for (const ChannelFraming& row : k_framings) {
    if (!row.protocol.empty() && (row.for_ports || !for_ports)) names.emplace_back(row.protocol);
  }
  return join(names, ", ");
}

std::unique_ptr<ApiSession> framed(std::unique_ptr<ApiSession> session,
                                   const ChannelFraming& framing, bool for_ports) {
  const bool plain_status = framing.plain_status && !for_ports;
  if (!framing.base64 && !plain_status) return session;
  return std::make_unique<FramedSession>(std::move(session), framing.base64, plain_status);
}

}  // namespace trainctl::local
