// Reads the messages that training-operator writes (pkg/controller.v1/common, pkg/core).
#include "job/status/operator_events.h"

#include <cstdlib>

#include "base/text/text.h"
#include "job/status/events.h"

namespace trainctl::job {

// "Pod: NS.POD exited with code N"
std::vector<PodExit> read_exits(std::span<const Json* const> job_events, const std::string& pod) {
  const std::string start = cat('.', pod, " exited with code ");
  std::vector<PodExit> exits;
  for (const Json* event : job_events) {
    if (text_at(*event, "/reason") != "ExitedWithCode") continue;
    const std::string message = text_at(*event, "/message");
    const auto at = message.find(start);
    if (at == std::string::npos) continue;
    exits.push_back({std::atoi(message.c_str() + at + start.size()), first_event_time(*event),
                     event_time(*event), event_count(*event)});
  }
  return exits;
}

std::int64_t count_restarts(std::span<const Json* const> job_events, std::string_view job_name,
                            const Role& role) {
  const std::string message =
      cat("job ", job_name, " is restarting because ", role.name, " replica(s) failed.");
  std::int64_t restarts = 0;
  for (const Json* event : job_events) {
    if (text_at(*event, "/message") == message) restarts += event_count(*event);
  }
  return restarts;
}

// "Error pod POD container CONTAINER exitCode: N terminated message: WORDS"
RepeatedEnd read_repeated_end(const Kind& kind, std::span<const Json* const> job_events,
                              const std::string& pod, int exit_code) {
  const std::string start = cat("Error pod ", pod, " container ");
  const std::string middle = cat(" exitCode: ", exit_code, " terminated message: ");
  RepeatedEnd end;
  for (const Json* event : job_events) {
    const std::string message = text_at(*event, "/message");
    const auto at = message.find(middle);
    if (!message.starts_with(start) || at == std::string::npos) continue;
    const std::string container = message.substr(start.size(), at - start.size());
    if (kind.container_required && container != kind.container) continue;
    end = {text_at(*event, "/reason"), std::string(trim(message.substr(at + middle.size())))};
  }
  return end;
}

}  // namespace trainctl::job
