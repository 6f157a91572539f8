// Parses PodLogOptions from a query, with the API server's refusals.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/text/text.h"
#include "base/value/json.h"
#include "kube/stream/channel_stream.h"
#include "local/api/handlers.h"
#include "local/api_error.h"

namespace trainctl::local {
namespace {

// Chooses the container of a pod that a request for a log or a stream is about.
std::vector<std::string> container_names(const Json& pod, const char* list) {
  std::vector<std::string> names;
  for (const Json& container : array_at(pod, list)) names.push_back(text_at(container, "/name"));
  return names;
}

// Fills in the only container where none is named; 400 for a name that the pod does not have.
std::optional<ApiError> choose_container(const Json& pod, std::string& container) {
  const std::vector<std::string> main = container_names(pod, "/spec/containers");
  const std::vector<std::string> init = container_names(pod, "/spec/initContainers");
  const std::string name = text_at(pod, "/metadata/name");
  const auto has = [&](const std::vector<std::string>& names) {
    return std::ranges::find(names, container) != names.end();
  };
  if (!container.empty()) {
    if (has(main) || has(init)) return std::nullopt;
    return bad_request(cat("container ", container, " is not valid for pod ", name));
  }
  if (main.size() == 1) {
    container = main[0];
    return std::nullopt;
  }
  std::string text = cat("a container name must be specified for pod ", name);
  if (!main.empty()) text += cat(", choose one of: [", join(main, " "), "]");
  if (!init.empty()) text += cat(" or one of the init containers: [", join(init, " "), "]");
  return bad_request(text);
}

struct Numbers {
  std::optional<std::int64_t> since_seconds, tail_lines, limit_bytes;
};

Answered<Numbers> numbers_of(const ApiQuery& query) {
  Numbers numbers;
  struct Parameter {
    const char* name;
    std::optional<std::int64_t>* number;
  };
  for (const Parameter& one : {Parameter{"sinceSeconds", &numbers.since_seconds},
                               Parameter{"tailLines", &numbers.tail_lines},
                               Parameter{"limitBytes", &numbers.limit_bytes}}) {
    auto number = query.number(one.name);
    if (auto* error = std::get_if<ApiError>(&number)) return std::move(*error);
    *one.number = std::get<0>(number);
  }
  return numbers;
}

FieldFault too_small(const char* field, std::int64_t value, const char* why) {
  return {field, cat("Invalid value: ", value, ": must be greater than ", why)};
}

// ValidatePodLogOptions (pkg/apis/core/validation).
std::vector<FieldFault> faults_of(const Numbers& numbers, const ApiQuery& query) {
  std::vector<FieldFault> faults;
  if (numbers.tail_lines && *numbers.tail_lines < 0) {
    faults.push_back(too_small("tailLines", *numbers.tail_lines, "or equal to 0"));
  }
  if (numbers.limit_bytes && *numbers.limit_bytes < 1) {
    faults.push_back(too_small("limitBytes", *numbers.limit_bytes, "0"));
  }
  if (numbers.since_seconds && !query.text("sinceTime").empty()) {
    faults.push_back(
        {"[]", "Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"});
  } else if (numbers.since_seconds && *numbers.since_seconds < 1) {
    faults.push_back(too_small("sinceSeconds", *numbers.since_seconds, "0"));
  }
  if (query.get("stream")) faults.push_back({"stream", "Forbidden: may not be specified"});
  return faults;
}

ApiError bad_time(std::string_view text) {
  return bad_request(cat("parsing time \"", text, "\" as \"2006-01-02T15:04:05Z07:00\": cannot ",
                         "parse \"", text, "\" as \"2006\""));
}

}  // namespace

Answered<ApiAnswer> read_log(const ApiParts& parts, const ApiCall& call) {
  auto parsed = numbers_of(call.query);
  if (auto* error = std::get_if<ApiError>(&parsed)) return std::move(*error);
  const Numbers& numbers = std::get<Numbers>(parsed);
  const std::string since = call.query.text("sinceTime");
  const auto since_time = parse_time(since);
  if (!since.empty() && !since_time) return bad_time(since);
  const std::vector<FieldFault> faults = faults_of(numbers, call.query);
  if (!faults.empty()) return invalid("PodLogOptions", call.name, faults);

  const auto stored = parts.store.get(*call.resource, call.ns, call.name);
  // No parameter of Kubernetes: a pod that is gone may share its name with a newer one.
  const std::string uid = call.query.text("podUID");
  const auto is_meant = [&uid](const Json& pod) {
    return uid.empty() || text_at(pod, "/metadata/uid") == uid;
  };
  auto pod = stored && is_meant(*stored) ? std::optional(*stored)
                                         : parts.logs.ended_pod(call.ns, call.name);
  if (pod && !is_meant(*pod)) pod.reset();
  if (!pod) return not_found(call.resource->qualified(), call.name);
  LogQuestion question;
  question.container = call.query.text("container");
  // No parameter of Kubernetes either: a container may be restarted between two requests.
  question.run = call.query.text("containerID");
  question.follow = call.query.flag("follow");
  question.previous = call.query.flag("previous");
  question.timestamps = call.query.flag("timestamps");
  question.tail_lines = numbers.tail_lines;
  question.limit_bytes = numbers.limit_bytes;
  if (since_time) question.since = std::chrono::floor<std::chrono::seconds>(*since_time);
  if (numbers.since_seconds) {
    question.since = parts.loop.now() - std::chrono::seconds(*numbers.since_seconds);
  }
  if (auto error = choose_container(*pod, question.container)) return *std::move(error);
  return parts.logs.answer(*pod, question);
}

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
