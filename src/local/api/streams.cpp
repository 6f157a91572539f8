// Parses PodExecOptions, PodAttachOptions and PodPortForwardOptions, and chooses the protocol.
#include "local/api/streams.h"

#include "base/text/text.h"
#include "kube/stream/channel_stream.h"
#include "local/api/container_choice.h"

namespace trainctl::local {
namespace {

Answered<std::vector<int>> ports_in(const ApiQuery& query) {
  constexpr int k_most_port = 65535;
  constexpr std::size_t k_most_ports = 16;
  std::vector<int> ports;
  for (const std::string& list : query.all("ports")) {
    for (const std::string& text : split(list, ',')) {
      const auto port = parse_number<int>(text);
      if (!port || *port < 1 || *port > k_most_port) {
        return bad_request(cat("unable to parse \"", printable_line(text), "\" as a port"));
      }
      ports.push_back(*port);
    }
  }
  if (ports.empty()) return bad_request("query parameter \"ports\" is required");
  if (ports.size() > k_most_ports) return bad_request("too many ports for one connection");
  return ports;
}

// The first protocol offered that is spoken here; "" = none.
std::string chosen_protocol(const std::vector<std::string>& offered) {
  for (const std::string& one : offered) {
    if (one == kube::k_channels_v5 || one == kube::k_channels_v4) return one;
  }
  return "";
}

StreamQuestion question_of(const ApiCall& call, std::string container) {
  StreamQuestion question;
  question.container = std::move(container);
  question.command = call.query.all("command");
  question.input = call.query.flag("stdin");
  question.output = call.query.flag("stdout");
  question.error_output = call.query.flag("stderr");
  question.terminal = call.query.flag("tty");
  return question;
}

class FaultySession : public ApiSession {
 public:
  void begin(ApiSocket& socket) override {
    ApiError error = bad_request("you must specify at least 1 of stdin, stdout, stderr");
    socket.send(kube::channel_head(kube::Channel::status), dump(status_object(error)));
    socket.close();
  }
  void take(std::string_view) override {}
  void on_drained() override {}
};

std::unique_ptr<ApiSession> session_of(const ApiParts& parts, const ApiCall& call, const Json& pod,
                                       StreamQuestion question) {
  if (!question.input && !question.output && !question.error_output) {
    return std::make_unique<FaultySession>();
  }
  if (call.subresource == "attach") return parts.streams.attach(pod, question);
  return parts.streams.exec(pod, question);
}

}  // namespace

Answered<ApiAnswer> open_stream(const ApiParts& parts, const ApiCall& call) {
  const auto pod = parts.store.get(*call.resource, call.ns, call.name);
  if (!pod) return not_found(call.resource->qualified(), call.name);
  const bool forwards = call.subresource == "portforward";
  std::string container = call.query.text("container");
  if (!forwards) {
    if (auto error = choose_container(*pod, container)) return *std::move(error);
  }
  if (text_at(*pod, "/spec/nodeName").empty()) {
    return bad_request(cat("pod ", call.name, " does not have a host assigned"));
  }
  if (!call.request->upgrades) {
    return bad_request("Upgrade request required: this cluster upgrades to a WebSocket only");
  }
  ApiAnswer answer;
  answer.protocol = chosen_protocol(call.request->protocols);
  if (answer.protocol.empty()) {
    return ApiError{
        403, "Forbidden",
        cat("the embedded cluster speaks ", kube::k_channels_v5, " and ", kube::k_channels_v4)};
  }
  answer.code = 101;
  if (!forwards) {
    StreamQuestion question = question_of(call, std::move(container));
    question.protocol = answer.protocol;
    answer.session = session_of(parts, call, *pod, std::move(question));
    return answer;
  }
  auto ports = ports_in(call.query);
  if (auto* error = std::get_if<ApiError>(&ports)) return std::move(*error);
  answer.session = parts.streams.forward(*pod, std::get<0>(ports));
  return answer;
}

}  // namespace trainctl::local
