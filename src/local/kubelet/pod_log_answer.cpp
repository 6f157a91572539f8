// Chooses the run of a container whose log was requested, or says why there is none.
#include "base/text/text.h"
#include "local/kubelet/log_files.h"
#include "local/kubelet/log_reader.h"
#include "local/kubelet/pod_answers.h"

namespace trainctl::local {
namespace {

ApiAnswer refusal(const std::string& message) {
  ApiAnswer answer;
  answer.code = 400;
  answer.body = dump(status_object(bad_request(message))) + "\n";
  return answer;
}

std::string names(const Json& containers) {
  std::vector<std::string> all;
  for (const Json& one : containers) all.push_back(text_at(one, "/name"));
  return cat("[", join(all, " "), "]");
}

// The container to read; "" and a message when the request does not determine it.
std::string chosen_container(const Json& pod, const std::string& asked, std::string& fault) {
  const Json& containers = array_at(pod, "/spec/containers");
  const Json& init = array_at(pod, "/spec/initContainers");
  if (asked.empty()) {
    if (containers.size() == 1) return text_at(containers.front(), "/name");
    fault = cat("a container name must be specified for pod ", name_of(pod),
                ", choose one of: ", names(containers));
    if (!init.empty()) fault += cat(" or one of the init containers: ", names(init));
    return "";
  }
  for (const Json* list : {&containers, &init}) {
    for (const Json& one : *list) {
      if (text_at(one, "/name") == asked) return asked;
    }
  }
  fault = cat("container ", asked, " is not valid for pod ", name_of(pod));
  return "";
}

const Json* status_of(const Json& pod, std::string_view container) {
  for (const std::string_view list :
       {"/status/containerStatuses", "/status/initContainerStatuses"}) {
    for (const Json& status : array_at(pod, list)) {
      if (text_at(status, "/name") == container) return &status;
    }
  }
  return nullptr;
}

std::string shown_reason(const std::string& reason) {
  const bool image = reason == "ErrImagePull" || reason == "ImagePullBackOff";
  return image ? "image can't be pulled" : reason;
}

// Finds the run before the last one. The status no longer names it, but its log remains, so that
// followers read it to the end.
std::string run_before_last(const KubeletContext& context, const Json& pod,
                            const std::string& container, const Json& status) {
  const auto restarts = int_at(status, "/restartCount").value_or(0);
  for (const int attempt : attempts_of(context, uid_of(pod), container)) {
    if (attempt == restarts - 1) return container_id(uid_of(pod), container, attempt);
  }
  return "";
}

std::string quoted(const Json& pod, const std::string& container) {
  return cat("container \"", container, "\" in pod \"", name_of(pod), "\"");
}

std::string no_run_before(const Json& pod, const std::string& container) {
  return cat("previous terminated ", quoted(pod, container), " not found");
}

// Warns a reader of the whole log how much of its beginning is gone.
void warn_of_rotation(const Json& pod, const std::string& directory, const LogQuestion& question,
                      ApiAnswer& answer) {
  if (question.tail_lines || question.since || question.limit_bytes) return;
  const std::vector<int> numbers = log_numbers(directory);
  if (numbers.empty() || numbers.front() == 0) return;
  const auto lost = numbers.front() * (k_log_file_size >> 20U);
  answer.headers.push_back({"Warning", cat("299 - \"the log of ", name_of(pod), " lacks its first ",
                                           lost, " MiB: the node has rotated them away\"")});
}

// The ID of the requested run; "" and a message when there is none.
std::string chosen_run(const KubeletContext& context, const Json& pod, const std::string& container,
                       bool previous, std::string& fault) {
  const Json* status = status_of(pod, container);
  std::string last = status ? text_at(*status, "/lastState/terminated/containerID") : std::string();
  if (previous && status && last.empty()) {
    last = run_before_last(context, pod, container, *status);
  }
  if (previous) {
    if (last.empty()) fault = no_run_before(pod, container);
    return last;
  }
  if (!status) {
    fault = cat(quoted(pod, container), " is not available");
    return "";
  }
  if (find(*status, "/state/running") || find(*status, "/state/terminated")) {
    return text_at(*status, "/containerID");
  }
  if (!last.empty()) return last;
  const auto reason = text_at(*status, "/state/waiting/reason", "ContainerCreating");
  fault = cat(quoted(pod, container), " is waiting to start: ", shown_reason(reason));
  return "";
}

}  // namespace

ApiAnswer log_answer(const KubeletContext& context, LogWatcher& watcher, const Json& pod,
                     const LogQuestion& question) {
  std::string fault;
  const std::string container = chosen_container(pod, question.container, fault);
  if (container.empty()) return refusal(fault);
  ApiAnswer answer;
  answer.content_type = "text/plain";
  if (text_at(pod, "/spec/nodeName").empty()) {
    answer.code = 204;
    return answer;
  }
  const std::string id = question.run.empty()
                             ? chosen_run(context, pod, container, question.previous, fault)
                             : question.run;
  if (!fault.empty()) return refusal(fault);
  const std::string uid = uid_of(pod);
  for (const int attempt : attempts_of(context, uid, container)) {
    if (container_id(uid, container, attempt) != id) continue;
    answer.headers.push_back({"Cache-Control", "no-cache, private"});
    const std::string directory = attempt_directory(context, uid, container, attempt);
    warn_of_rotation(pod, directory, question, answer);
    answer.stream = open_log(watcher, directory, question);
    return answer;
  }
  if (!question.run.empty()) return refusal(no_run_before(pod, container));
  return refusal(cat("unable to retrieve container logs for ", id));
}

}  // namespace trainctl::local
