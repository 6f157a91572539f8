// Parses PodExecOptions, PodAttachOptions and PodPortForwardOptions, and chooses the protocol.
#include "local/api/streams.h"

#include "base/text/text.h"
#include "kube/stream/channel_stream.h"
#include "local/api/channel_framing.h"
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

// A real server refuses it with the same code, and without a word.
ApiError no_protocol(const ApiCall& call, bool forwards) {
  return {403, "Forbidden",
          cat("the embedded cluster speaks none of the WebSocket protocols offered (",
              printable_line(join(call.request->protocols, ", ")), ") for ", call.subresource,
              "; offer one of these, or none: ", framing_names(forwards))};
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
  const ChannelFraming* framing = chosen_framing(call.request->protocols, forwards);
  if (framing == nullptr) return no_protocol(call, forwards);
  answer.protocol = framing->protocol;
  answer.text_messages = framing->base64;
  answer.code = 101;
  if (!forwards) {
    StreamQuestion question = question_of(call, std::move(container));
    question.protocol = answer.protocol;
    answer.session = framed(session_of(parts, call, *pod, std::move(question)), *framing, forwards);
    return answer;
  }
  auto ports = ports_in(call.query);
  if (auto* error = std::get_if<ApiError>(&ports)) return std::move(*error);
  answer.session = framed(parts.streams.forward(*pod, std::get<0>(ports)), *framing, forwards);
  return answer;
}

ApiError forbidden_subresource(const ApiCall& call) {
  std::string verb = lower(call.request->method);
  if (verb == "put") verb = "update";
  const std::string resource = call.resource->qualified();
  ApiError error = not_found(resource, call.name);
  error.code = 403;
  error.reason = "Forbidden";
  error.message = cat(resource, " \"", call.name, "\" is forbidden: User \"admin\" cannot ", verb,
                      " resource \"", resource, '/', call.subresource,
                      "\" in API group \"\" in the namespace \"", call.ns, "\"");
  return error;
}

}  // namespace trainctl::local
