// Plays the steps one after another.
#include "support/fake_socket.h"

#include <utility>

namespace trainctl::testing {
namespace {

constexpr std::size_t k_channels = 256;
constexpr Duration k_look_again = std::chrono::milliseconds(50);

}  // namespace

FakeSocket::FakeSocket(Loop& loop, SocketScript script,
                       std::function<void(std::string_view)> on_message, std::function<void()> done)
    : loop_(loop),
      script_(std::move(script)),
      on_message_(std::move(on_message)),
      done_(std::move(done)),
      received_(k_channels) {}

void FakeSocket::send(std::string_view head, std::string_view body) {
  const std::string message = std::string(head).append(body);
  received_.at(static_cast<unsigned char>(message.at(0))) += message.substr(1);
}

void FakeSocket::next() {
  const Duration wait = at_ < script_.steps.size() ? script_.steps[at_].after : Duration{};
  timer_ = loop_.after(wait, [this] { act(); });
}

void FakeSocket::act() {
  if (at_ == script_.steps.size()) return done_();
  const SocketScript::Step& step = script_.steps[at_];
  const auto channel = static_cast<std::size_t>(step.channel);
  const bool comes_later =
      step.awaits && received_.at(channel).find(step.text) == std::string::npos;
  if (comes_later || paused_) {
    timer_ = loop_.after(k_look_again, [this] { act(); });
    return;
  }
  ++at_;
  next();
  if (!step.awaits) on_message_(std::string(1, static_cast<char>(step.channel)) + step.text);
}

}  // namespace trainctl::testing
