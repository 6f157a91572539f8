// The cells of `kubectl get`, as the API server computes them.
#include "local/api/table_view.h"

#include <doctest/doctest.h>

#include "base/value/yaml.h"
#include "local/api/admitting.h"

namespace TEST_FILE {

using namespace trainctl;
using namespace trainctl::local;
using namespace trainctl::testing::local_objects;

const Time k_now = *parse_time("2026-01-02T03:04:05Z");

Json table(std::string_view plural, const Json& object, std::string_view include = "Metadata") {
  return table_of(served(plural), {std::make_shared<const Json>(object)}, k_now, include, true);
}

std::string cells(std::string_view plural, const Json& object) {
  return dump(*find(table(plural, object), "/rows/0/cells"));
}

std::vector<std::string> columns(std::string_view plural) {
  std::vector<std::string> names;
  const Json empty = table(plural, Json::object());
  for (const Json& column : array_at(empty, "/columnDefinitions")) {
    names.push_back(text_at(column, "/name") + (int_at(column, "/priority") == 1 ? "*" : ""));
  }
  return names;
}

// A pod's ready, status and restarts cells.
std::string pod_words(std::string_view yaml) {
  const Json row = table("pods", from_text(yaml));
  const Json& all = array_at(row, "/rows/0/cells");
  return cat(text_at(all, "/1"), ' ', text_at(all, "/2"), ' ', text_at(all, "/3"));
}

TEST_CASE("a job's row has its last condition and its age") {
  const Json job = from_text(R"(
metadata: {name: ddp, creationTimestamp: "2026-01-02T03:03:45Z"}
status: {conditions: [{type: Created}, {type: Running}]}
)");
  CHECK(cells("pytorchjobs", job) == R"(["ddp","Running","20s"])");
  CHECK(cells("mpijobs", job) == R"(["ddp","20s","Running"])");
  CHECK(columns("pytorchjobs") == std::vector<std::string>{"Name", "State", "Age"});
  CHECK(columns("mpijobs") == std::vector<std::string>{"Name", "Age", "State"});
  CHECK(text_at(table("tfjobs", job), "/columnDefinitions/2/type") == "date");
  CHECK(cells("tfjobs", named("default", "new")) == R"(["new",null,"<unknown>"])");
}

TEST_CASE("rows carry as much of the object as was asked for") {
  const Json job = from_text("{metadata: {name: a}, spec: {b: 1}}");
  const Json metadata = table("pytorchjobs", job);
  CHECK(text_at(metadata, "/kind") == "Table");
  CHECK(text_at(metadata, "/rows/0/object/kind") == "PartialObjectMetadata");
  CHECK(text_at(metadata, "/rows/0/object/metadata/name") == "a");
  CHECK(find(metadata, "/rows/0/object/spec") == nullptr);
  CHECK(*find(table("pytorchjobs", job, "Object"), "/rows/0/object") == job);
  CHECK(find(table("pytorchjobs", job, "None"), "/rows/0/object")->is_null());
  const Json bare = table_of(served("pods"), {}, k_now, "Metadata", false);
  CHECK(find(bare, "/columnDefinitions")->is_null());
  CHECK(array_at(bare, "/rows").empty());
}

TEST_CASE("a pod's status word is the one that kubectl users know") {
  CHECK(pod_words("{spec: {containers: [{}, {}]}, status: {phase: Pending}}") == "0/2 Pending 0");
  CHECK(pod_words(R"(
spec: {containers: [{name: a}], initContainers: [{name: i}]}
status: {phase: Pending, initContainerStatuses: [{state: {running: {}}}],
         containerStatuses: [{state: {waiting: {reason: PodInitializing}}}]}
)") == "0/1 Init:0/1 0");
  CHECK(pod_words(R"(
spec: {containers: [{name: a}], initContainers: [{name: i}]}
status: {phase: Pending, initContainerStatuses: [{state: {terminated: {exitCode: 0}}}],
         containerStatuses: [{state: {waiting: {reason: PodInitializing}}}]}
)") == "0/1 PodInitializing 0");
  CHECK(pod_words(R"(
spec: {containers: [{name: a}], initContainers: [{name: i}]}
status: {phase: Pending, initContainerStatuses:
  [{restartCount: 2, state: {waiting: {reason: CrashLoopBackOff}}}]}
)") == "0/1 Init:CrashLoopBackOff 2");
  CHECK(pod_words(R"(
spec: {containers: [{name: a}], initContainers: [{name: i}]}
status: {phase: Failed, initContainerStatuses: [{state: {terminated: {exitCode: 3}}}]}
)") == "0/1 Init:ExitCode:3 0");
  CHECK(pod_words(R"(
spec: {containers: [{name: a}]}
status: {phase: Running, containerStatuses: [{ready: true, state: {running: {}}}]}
)") == "1/1 Running 0");
  CHECK(pod_words(R"(
spec: {containers: [{name: a}]}
status: {phase: Succeeded, containerStatuses: [{state: {terminated: {reason: Completed}}}]}
)") == "0/1 Completed 0");
  CHECK(pod_words(R"(
spec: {containers: [{name: a}]}
status: {phase: Failed, containerStatuses: [{state: {terminated: {exitCode: 1, reason: Error}}}]}
)") == "0/1 Error 0");
  CHECK(pod_words(R"(
spec: {containers: [{name: a}]}
status: {phase: Failed, containerStatuses: [{state: {terminated: {signal: 9}}}]}
)") == "0/1 Signal:9 0");
  CHECK(pod_words(R"(
metadata: {deletionTimestamp: "2026-01-02T03:04:05Z"}
spec: {containers: [{name: a}]}
status: {phase: Running, containerStatuses: [{ready: true, state: {running: {}}}]}
)") == "1/1 Terminating 0");
  CHECK(pod_words("{spec: {containers: [{}]}, status: {phase: Failed, reason: Evicted}}") ==
        "0/1 Evicted 0");
  CHECK(pod_words(R"(
spec: {containers: [{}]}
status: {phase: Pending, conditions: [{type: PodScheduled, reason: SchedulingGated}]}
)") == "0/1 SchedulingGated 0");
}

TEST_CASE("a sidecar counts among the containers, and as ready once it started") {
  const auto words = [](std::string_view state) {
    return pod_words(cat(R"(
spec: {containers: [{name: a}], initContainers: [{name: s, restartPolicy: Always}]}
status: {phase: Running, containerStatuses: [{ready: true, state: {running: {}}}],
         initContainerStatuses: [{name: s, )",
                         state, "}]}\n"));
  };
  CHECK(words("ready: true, started: true, state: {running: {}}") == "2/2 Running 0");
  CHECK(words("ready: false, started: true, state: {running: {}}") == "1/2 Running 0");
  CHECK(words("started: false, state: {running: {}}") == "0/2 Init:0/1 0");
  CHECK(words("ready: true, started: true, state: {terminated: {exitCode: 1}}") == "2/2 Running 0");
  CHECK(words("ready: true, state: {terminated: {exitCode: 0}}") == "1/2 Running 0");
}

TEST_CASE("a crash loop shows how often and how long ago it restarted") {
  CHECK(pod_words(R"(
spec: {containers: [{name: a}]}
status:
  phase: Running
  containerStatuses:
    - restartCount: 3
      state: {waiting: {reason: CrashLoopBackOff}}
      lastState: {terminated: {finishedAt: "2026-01-02T03:03:53Z"}}
)") == "0/1 CrashLoopBackOff 3 (12s ago)");
}

TEST_CASE("a pod whose main container is done but that still runs is not ready") {
  const std::string_view pod = R"(
spec: {containers: [{name: a}, {name: b}]}
status:
  phase: Running
  containerStatuses:
    - {state: {terminated: {reason: Completed}}}
    - {ready: true, state: {running: {}}}
)";
  CHECK(pod_words(pod) == "1/2 NotReady 0");
  CHECK(pod_words(std::string(pod) + "  conditions: [{type: Ready, status: \"True\"}]\n") ==
        "1/2 Running 0");
}

TEST_CASE("the wide columns of a pod, and the mark of a finished one") {
  CHECK(columns("pods") == std::vector<std::string>{"Name", "Ready", "Status", "Restarts", "Age",
                                                    "IP*", "Node*", "Nominated Node*",
                                                    "Readiness Gates*"});
  const Json pod = from_text(R"(
metadata: {name: a, creationTimestamp: "2026-01-02T03:02:05Z"}
spec: {nodeName: here, containers: [{}]}
status: {phase: Succeeded, podIPs: [{ip: 127.0.0.1}]}
)");
  CHECK(cells("pods", pod) ==
        R"(["a","0/1","Succeeded","0","2m","127.0.0.1","here","<none>","<none>"])");
  CHECK(text_at(table("pods", pod), "/rows/0/conditions/0/type") == "Completed");
  CHECK(find(table("pods", named("a", "b")), "/rows/0/conditions") == nullptr);
}

TEST_CASE("an event's row shows when, what and about whom") {
  const Json event = from_text(R"(
metadata: {name: ddp.1}
involvedObject: {kind: PyTorchJob, name: ddp}
firstTimestamp: "2026-01-02T03:00:05Z"
lastTimestamp: "2026-01-02T03:04:00Z"
count: 4
type: Normal
reason: SuccessfulCreatePod
message: "Created pod: ddp-master-0\n"
source: {component: pytorchjob-controller}
)");
  CHECK(cells("events", event) ==
        R"(["5s","Normal","SuccessfulCreatePod","pytorchjob/ddp","","pytorchjob-controller",)"
        R"("Created pod: ddp-master-0","4m",4,"ddp.1"])");
  const Json scheduled = from_text(R"(
eventTime: "2026-01-02T03:04:03.000000Z"
involvedObject: {kind: Pod, name: a, fieldPath: "spec.containers{c}"}
reportingComponent: default-scheduler
reportingInstance: here
)");
  CHECK(cells("events", scheduled) ==
        R"(["2s","","","pod/a","spec.containers{c}","default-scheduler, here","","2s",1,""])");
}

TEST_CASE("services, claims, nodes and the rest have kubectl's columns") {
  CHECK(cells("services", from_text(R"(
metadata: {name: a}
spec: {type: ClusterIP, clusterIPs: [None], ports: [{port: 23456, protocol: TCP}],
       selector: {b: c, a: d}}
)")) == R"(["a","ClusterIP","None","<none>","23456/TCP","<unknown>","a=d,b=c"])");
  CHECK(cells("persistentvolumeclaims", from_text(R"(
metadata: {name: a}
spec: {volumeName: v, volumeMode: Filesystem}
status: {phase: Bound, capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce]}
)")) == R"(["a","Bound","v","1Gi","RWO","","<unset>","<unknown>","Filesystem"])");
  CHECK(cells("nodes", from_text(R"(
metadata: {name: here, labels: {node-role.kubernetes.io/control-plane: ""}}
status: {conditions: [{type: Ready, status: "True"}], nodeInfo: {kubeletVersion: v1},
         addresses: [{type: InternalIP, address: 127.0.0.1}]}
)")) == R"(["here","Ready","control-plane","<unknown>","v1","127.0.0.1","<none>","<unknown>",)"
        R"("<unknown>","<unknown>"])");
  CHECK(cells("configmaps", from_text("{metadata: {name: a}, data: {x: y, z: w}}")) ==
        R"(["a",2,"<unknown>"])");
  CHECK(cells("secrets", from_text("{metadata: {name: a}, type: Opaque, data: {x: eQ==}}")) ==
        R"(["a","Opaque",1,"<unknown>"])");
  CHECK(cells("namespaces", from_text("{metadata: {name: a}, status: {phase: Active}}")) ==
        R"(["a","Active","<unknown>"])");
  CHECK(cells("serviceaccounts", from_text("{metadata: {name: a}}")) == R"(["a",0,"<unknown>"])");
}

}  // namespace TEST_FILE
