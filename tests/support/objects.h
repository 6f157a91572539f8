// Builds Kubernetes objects as the operator and the kubelet write them, in few words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/text.h"
#include "base/value/json.h"
#include "base/value/yaml.h"

namespace trainctl::testing {

// Converts YAML text, which must be valid, to JSON.
inline Json yaml(std::string_view text) {
  Result<Json> value = from_yaml(text, "test");
  if (!value) throw std::runtime_error(value.error().message);
  return *std::move(value);
}

// A PyTorchJob "ddp" of one master and `workers` workers.
inline Json pytorch_job(int workers, std::string_view conditions = "[]") {
  const bool suspended = conditions.find("type: Suspended, status: \"True\"") != conditions.npos;
  return yaml(cat(R"(
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: ddp, namespace: ml, uid: job-uid, creationTimestamp: "2026-01-02T03:00:00Z",
           resourceVersion: "10"}
spec:
  runPolicy: {cleanPodPolicy: Running, backoffLimit: 6, suspend: )",
                  suspended ? "true" : "false", R"(}
  pytorchReplicaSpecs:
    Master: {replicas: 1, restartPolicy: OnFailure,
             template: {spec: {containers: [{name: pytorch, image: i}]}}}
    Worker: {replicas: )",
                  workers, R"(, restartPolicy: OnFailure,
             template: {spec: {containers: [{name: pytorch, image: i}]}}}
status: {conditions: )",
                  conditions, "}\n"));
}

inline std::string condition(std::string_view type, std::string_view status,
                             std::string_view message = "",
                             std::string_view time = "2026-01-02T03:01:00Z") {
  return cat("{type: ", type, ", status: \"", status, "\", reason: PyTorchJob", type,
             ", message: \"", message, "\", lastTransitionTime: \"", time, "\"}");
}

// A pod of job "ddp"; `status` is a flow-style YAML map.
inline Json pod(std::string_view role, int index, std::string_view status,
                std::string_view job_uid = "job-uid") {
  return yaml(
      cat("metadata: {name: ddp-", role, "-", index, ", namespace: ml, uid: pod-", role, "-", index,
          R"(, creationTimestamp: "2026-01-02T03:00:01Z", resourceVersion: "11",
  labels: {training.kubeflow.org/job-name: ddp,
           training.kubeflow.org/operator-name: pytorchjob-controller,
           training.kubeflow.org/replica-type: )",
          role, ", training.kubeflow.org/replica-index: \"", index,
          "\"}, ownerReferences: [{uid: ", job_uid, ", controller: true}]}\n",
          "spec: {nodeName: node1, restartPolicy: OnFailure, containers: [{name: pytorch}]}\n",
          "status: ", status, "\n"));
}

inline std::string running(std::string_view container_id = "c1", int restarts = 0,
                           std::string_view last_state = "{}") {
  return cat("{phase: Running, containerStatuses: [{name: pytorch, containerID: ", container_id,
             ", restartCount: ", restarts,
             ", state: {running: {startedAt: \"2026-01-02T03:00:02Z\"}}, lastState: ", last_state,
             "}]}");
}

inline std::string terminated(int exit_code, std::string_view phase,
                              std::string_view container_id = "c1",
                              std::string_view reason = "Error",
                              std::string_view finished = "2026-01-02T03:00:09Z") {
  return cat("{phase: ", phase, ", containerStatuses: [{name: pytorch, containerID: ", container_id,
             ", restartCount: 0, state: {terminated: {exitCode: ", exit_code, ", reason: ", reason,
             ", containerID: ", container_id, ", finishedAt: \"", finished, "\"}}}]}");
}

inline std::string waiting(std::string_view reason, std::string_view message = "") {
  return cat("{phase: Pending, containerStatuses: [{name: pytorch, restartCount: 0, ",
             "state: {waiting: {reason: ", reason, ", message: \"", message, "\"}}}]}");
}

inline Json event(std::string_view about_uid, std::string_view type, std::string_view reason,
                  std::string_view message, std::string_view time = "2026-01-02T03:00:05Z") {
  return yaml(cat("metadata: {name: e, uid: e-", reason, "-", time, "}\ntype: ", type,
                  "\nreason: ", reason, "\nmessage: '", message, "'\nlastTimestamp: \"", time,
                  "\"\ninvolvedObject: {uid: ", about_uid, "}\n"));
}

}  // namespace trainctl::testing
