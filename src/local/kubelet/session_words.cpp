// Words Status objects as kube-apiserver 1.34 and its kubelet do.
#include "local/kubelet/session_words.h"

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/stream/channel_stream.h"
#include "local/api_error.h"

namespace trainctl::local {
namespace {

class RefusedSession : public ApiSession {
 public:
  explicit RefusedSession(std::string words) : words_(std::move(words)) {}
  void begin(ApiSocket& socket) override { finish_session(socket, words_); }
  void take(std::string_view) override {}
  void on_drained() override {}

 private:
  std::string words_;
};

}  // namespace

std::string success_words() {
  return dump(Json{{"metadata", Json::object()}, {"status", "Success"}});
}

std::string exit_words(int code, std::string_view protocol,
                       const std::vector<std::string>& command) {
  if (code == 0) return success_words();
  const std::string how =
      protocol == kube::k_channels_v5
          ? cat("command terminated with exit code ", code)
          : cat("error executing command [", join(command, " "), "], exit code ", code);
  const Json cause = {{"reason", "ExitCode"}, {"message", cat(code)}};
  return dump(Json{{"metadata", Json::object()},
                   {"status", "Failure"},
                   {"message", cat("command terminated with non-zero exit code: ", how)},
                   {"reason", "NonZeroExitCode"},
                   {"details", {{"causes", Json::array({cause})}}}});
}

std::string fault_words(std::string_view why) {
  ApiError error;
  error.code = 500;
  error.reason = "InternalError";
  error.message = cat("Internal error occurred: ", why);
  error.details = {{"causes", Json::array({Json{{"message", why}}})}};
  Json status = status_object(error);
  status.erase("kind");
  status.erase("apiVersion");
  return dump(status);
}

void finish_session(ApiSocket& socket, std::string_view words) {
  socket.send(kube::channel_head(kube::Channel::status), words);
  socket.close();
}

std::unique_ptr<ApiSession> refused_session(std::string_view why) {
  return std::make_unique<RefusedSession>(fault_words(why));
}

}  // namespace trainctl::local
