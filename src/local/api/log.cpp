// Parses PodLogOptions from a query, with the API server's refusals.
#include "local/api/log.h"

#include "base/text/text.h"
#include "local/api/container_choice.h"

namespace trainctl::local {

namespace {

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

}  // namespace trainctl::local
