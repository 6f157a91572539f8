// Every row of the flag table: what a user types, and the field it ends in.
#include "manifest/flags/flags.h"

#include <algorithm>
#include <map>
#include <set>

#include <doctest/doctest.h>

#include "manifest/check.h"
#include "manifest/rendering.h"

namespace flags_test {

using namespace trainctl;
using namespace trainctl::job;
using trainctl::testing::kind;
using trainctl::testing::Line;
using trainctl::testing::refusal;
using trainctl::testing::rendered;
using trainctl::testing::yaml;

struct Example {
  std::string_view flag;
  std::vector<std::string> typed;
  std::string_view pointer;   // WORKER, POD and C stand for the places below
  std::string_view expected;  // YAML; "" = nothing there
  std::string_view alias = "pytorch";
};

// clang-format off
const std::vector<Example>& examples() {
  static const std::vector<Example> k_examples = {
      {"name", {"--name=ddp"}, "/metadata", "{labels: {app.kubernetes.io/managed-by: trainctl}, name: ddp}"},
      {"job-name-prefix", {"--job-name-prefix=exp"}, "/metadata/generateName", "exp-"},
      {"label", {"--label=team=nlp"}, "WORKER/template/metadata/labels/team", "nlp"},
      {"label", {"--label=team=nlp"}, "/metadata/labels/team", "nlp"},
      {"label", {"--master-label=team=nlp"}, "/metadata/labels/team", ""},
      {"annotation", {"--annotation=note=a=b, c"}, "WORKER/template/metadata/annotations/note", "\"a=b, c\""},
      {"annotation", {"--annotation=note=a=b, c"}, "/metadata/annotations/note", "\"a=b, c\""},

      {"workers", {"--workers=3"}, "WORKER/replicas", "3"},
      {"replicas", {"--replicas=3"}, "WORKER/replicas", "3"},
      {"no-master", {"--no-master"}, "MASTER", ""},
      {"no-master", {"--no-master=false"}, "MASTER/replicas", "1"},
      {"chief", {"--chief=0"}, "/spec/tfReplicaSpecs/Chief", "", "tf"},
      {"ps", {"--ps=2"}, "/spec/tfReplicaSpecs/PS/replicas", "2", "tf"},
      {"evaluator", {"--evaluator=1"}, "/spec/tfReplicaSpecs/Evaluator/template/spec/containers/0/name", "tensorflow", "tf"},
      {"success-policy", {"--success-policy=AllWorkers"}, "/spec/successPolicy", "AllWorkers", "tf"},
      {"nproc-per-node", {"--nproc-per-node=2"}, "/spec/nprocPerNode", "\"2\""},
      {"slots-per-worker", {"--slots-per-worker=4"}, "/spec/slotsPerWorker", "4", "mpi"},
      {"min-replicas", {"--min-replicas=1", "--max-replicas=4"}, "/spec/elasticPolicy/minReplicas", "1"},
      {"max-replicas", {"--max-replicas=4"}, "/spec/elasticPolicy/maxReplicas", "4", "paddle"},
      {"max-restarts", {"--max-restarts=100", "--no-master"}, "/spec/elasticPolicy/maxRestarts", "100"},
      {"rdzv-backend", {"--rdzv-backend=c10d", "--no-master"}, "/spec/elasticPolicy/rdzvBackend", "c10d"},

      {"image", {"--image=registry/ddp:1"}, "C/image", "registry/ddp:1"},
      {"image-pull-policy", {"--image-pull-policy=Always"}, "C/imagePullPolicy", "Always"},
      {"image-pull-secret", {"--image-pull-secret=a", "--image-pull-secret=b"}, "POD/imagePullSecrets", "[{name: a}, {name: b}]"},
      {"command", {"--command"}, "C/command", "[python3, train.py]"},
      {"arg", {"--worker-arg=--verbose"}, "C/args", "[--verbose]"},
      {"expand", {"--worker-arg=$(RANK)", "--expand"}, "C/args", "[$(RANK)]"},
      {"expand", {"--env=A=$$", "--expand"}, "C/env", "[{name: A, value: $$}]"},
      {"allow-privilege-escalation", {"--allow-privilege-escalation=false"}, "C/securityContext/allowPrivilegeEscalation", "false"},
      {"expand", {"--env=A=$(RANK)", "--expand=false"}, "C/env", "[{name: A, value: $$(RANK)}]"},
      {"working-dir", {"--working-dir=/src"}, "C/workingDir", "/src"},
      {"stdin", {"--stdin"}, "C/stdin", "true"},
      {"tty", {"--tty"}, "C/tty", "true"},
      {"port", {"--port=8080"}, "C/ports", "[{containerPort: 8080, name: port-8080}]"},
      {"port", {"--port=pytorchjob-port=23457"}, "C/ports", "[{containerPort: 23457, name: pytorchjob-port}]"},

      {"env", {"--env=LR=0.1,0.2=x"}, "C/env", "[{name: LR, value: \"0.1,0.2=x\"}]"},
      {"env", {"--env=HOME", "--env=EMPTY"}, "C/env", "[{name: HOME, value: /home/ada}, {name: EMPTY, value: \"\"}]"},
      {"environment", {"--environment=A="}, "C/env", "[{name: A, value: \"\"}]"},
      {"env-secret", {"--env-secret=TOKEN=hub:token"}, "C/env", "[{name: TOKEN, valueFrom: {secretKeyRef: {name: hub, key: token}}}]"},
      {"env-secret", {"--env=TOKEN=a", "--env-secret=TOKEN=hub:token"}, "C/env", "[{name: TOKEN, valueFrom: {secretKeyRef: {name: hub, key: token}}}]"},
      {"env-secret", {"--env-configmap=TOKEN=c:t", "--env-secret=TOKEN=hub:token", "--worker-env=TOKEN=a"}, "C/env", "[{name: TOKEN, value: a}]"},
      {"env-configmap", {"--env-configmap=LR=settings:lr"}, "C/env", "[{name: LR, valueFrom: {configMapKeyRef: {name: settings, key: lr}}}]"},
      {"env-from-configmap", {"--env-from-configmap=settings"}, "C/envFrom", "[{configMapRef: {name: settings}}]"},
      {"env-field", {"--env-field=NODE=spec.nodeName"}, "C/env", "[{name: NODE, valueFrom: {fieldRef: {fieldPath: spec.nodeName}}}]"},
      {"env-field", {"--env-field=TEAM=metadata.labels['team']"}, "C/env", "[{name: TEAM, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['team']\"}}}]"},
      {"flight-recorder", {"--flight-recorder"}, "C/env/2", "{name: TORCH_NCCL_DUMP_ON_TIMEOUT, value: \"1\"}"},
      {"flight-recorder", {"--flight-recorder=false"}, "C/env", ""},
      {"env-file", {"--env-file=LR=0.1", "--env=LR=0.2"}, "C/env", "[{name: LR, value: \"0.2\"}]"},
      {"env-from-secret", {"--env-from-secret=s3"}, "C/envFrom", "[{secretRef: {name: s3}}]"},

      {"gpu", {"--gpu=2"}, "C/resources/limits", "{nvidia.com/gpu: 2}"},
      {"gpu", {"--gpu=0"}, "C/resources", ""},
      {"gpu-resource", {"--gpu=1", "--gpu-resource=amd.com/gpu"}, "C/resources/limits", "{amd.com/gpu: 1}"},
      {"gpu-resource", {"--worker-gpu-resource=amd.com/gpu", "--gpu=1"}, "C/resources/limits", "{amd.com/gpu: 1}"},
      {"gpu-resource", {"--gpu=1", "--worker-gpu-resource=amd.com/gpu", "--gpu-resource=nvidia.com/gpu"}, "C/resources/limits", "{amd.com/gpu: 1}"},
      {"gpu-resource", {"--master-gpu-resource=amd.com/gpu", "--gpu=1"}, "C/resources/limits", "{nvidia.com/gpu: 1}"},
      {"cpu", {"--cpu=500m"}, "C/resources", "{requests: {cpu: 500m}}"},
      {"cpu-limit", {"--cpu-limit=2"}, "C/resources", "{limits: {cpu: \"2\"}}"},
      {"memory", {"--memory=8Gi"}, "C/resources", "{requests: {memory: 8Gi}}"},
      {"memory-limit", {"--memory-limit=1.5G"}, "C/resources", "{limits: {memory: 1.5G}}"},
      {"extended-resource", {"--extended-resource=rdma/hca=1"}, "C/resources/limits", "{rdma/hca: 1}"},
      {"shm-size", {"--shm-size=8Gi"}, "POD/volumes", "[{name: dshm, emptyDir: {medium: Memory, sizeLimit: 8Gi}}]"},
      {"shm-size", {"--shm-size=8Gi", "--large-shm"}, "C/volumeMounts", "[{mountPath: /dev/shm, name: dshm}]"},
      {"large-shm", {"--large-shm"}, "POD/volumes", "[{name: dshm, emptyDir: {medium: Memory, sizeLimit: 16Gi}}]"},

      {"pvc", {"--pvc=data:/data"}, "POD/volumes", "[{name: mount-data, persistentVolumeClaim: {claimName: data}}]"},
      {"pvc", {"--pvc=data/sub/dir:/data:ro"}, "C/volumeMounts", "[{mountPath: /data, name: mount-data, readOnly: true, subPath: sub/dir}]"},
      {"pvc-exists", {"--pvc-exists=claimname=data,path=/data"}, "C/volumeMounts", "[{mountPath: /data, name: mount-data}]"},
      {"pvc-new", {"--pvc-new=data:10Gi:fast:/data"}, "POD/volumes", "[{name: mount-data, persistentVolumeClaim: {claimName: data}}]"},
      {"pvc-new", {"--pvc-new=claimname=data,size=1Gi,path=/data,ro"}, "C/volumeMounts", "[{mountPath: /data, name: mount-data, readOnly: true}]"},
      {"pvc-new", {"--pvc-new=size=1Gi,path=/data,storageclass=fast,ephemeral"}, "POD/volumes/0/ephemeral/volumeClaimTemplate/spec/storageClassName", "fast"},
      {"ephemeral-pvc", {"--ephemeral-pvc=10Gi:/data"}, "POD/volumes",
       "[{name: mount-data, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 10Gi}}}}}}]"},
      {"ephemeral-pvc", {"--ephemeral-pvc=10Gi:fast:/data"}, "POD/volumes/0/ephemeral/volumeClaimTemplate/spec/storageClassName", "fast"},
      {"ephemeral-pvc", {"--ephemeral-pvc=path=/data,size=1Gi,class=fast,from-claim=seed,accessmode-rwm"}, "POD/volumes/0/ephemeral/volumeClaimTemplate/spec",
       "{accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}, storageClassName: fast, dataSource: {kind: PersistentVolumeClaim, name: seed}}"},
      {"ephemeral-pvc", {"--ephemeral-pvc=path=/data,size=1Gi,from-snapshot=snap"}, "POD/volumes/0/ephemeral/volumeClaimTemplate/spec/dataSource",
       "{apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: snap}"},
      {"scratch", {"--scratch=/data"}, "POD/volumes", "[{name: mount-data, emptyDir: {}}]"},
      {"scratch", {"--scratch=/data:10Gi"}, "POD/volumes", "[{name: mount-data, emptyDir: {sizeLimit: 10Gi}}]"},
      {"scratch", {"--pvc=data:/data", "--worker-scratch=/data:memory:1Gi"}, "POD/volumes", "[{name: mount-data, emptyDir: {medium: Memory, sizeLimit: 1Gi}}]"},
      {"secret-volume", {"--secret-volume=keys:/keys"}, "POD/volumes", "[{name: mount-keys, secret: {secretName: keys}}]"},
      {"secret-volume", {"--secret-volume=name=keys,path=/keys"}, "C/volumeMounts", "[{mountPath: /keys, name: mount-keys, readOnly: true}]"},
      {"configmap-volume", {"--configmap-volume=name=conf,path=/etc/conf"}, "POD/volumes", "[{name: mount-etc-conf, configMap: {name: conf}}]"},
      {"volume", {"--volume=/mnt/data:/data:ro"}, "POD/volumes", "[{name: mount-data, hostPath: {path: /mnt/data}}]"},
      {"volume", {"--volume=/export:/data:ro:nfs1"}, "POD/volumes", "[{name: mount-data, nfs: {server: nfs1, path: /export}}]"},
      {"volume", {"--volume=/export:/data:nfs1"}, "C/volumeMounts", "[{mountPath: /data, name: mount-data}]"},
      {"nfs-server", {"--volume=/export:/data", "--nfs-server=nfs2"}, "POD/volumes", "[{name: mount-data, nfs: {server: nfs2, path: /export}}]"},
      {"mount-propagation", {"--pvc=data:/data", "--mount-propagation"}, "C/volumeMounts", "[{mountPath: /data, name: mount-data, mountPropagation: HostToContainer}]"},

      {"node-selector", {"--node-selector=gpu=a100", "--node-selector=zone=a"}, "POD/nodeSelector", "{gpu: a100, zone: a}"},
      {"toleration", {"--toleration=gpu=a100:NoSchedule"}, "POD/tolerations", "[{key: gpu, operator: Equal, value: a100, effect: NoSchedule}]"},
      {"toleration", {"--toleration=gpu:NoExecute"}, "POD/tolerations", "[{key: gpu, operator: Exists, effect: NoExecute}]"},
      {"toleration", {"--toleration=operator=Exists,key=gpu"}, "POD/tolerations", "[{operator: Exists, key: gpu}]"},
      {"toleration", {"--toleration=operator=Equal,key=k,value=v,effect=NoExecute,seconds=60"}, "POD/tolerations",
       "[{operator: Equal, key: k, value: v, effect: NoExecute, tolerationSeconds: 60}]"},
      {"toleration", {"--toleration=key=v:NoSchedule"}, "POD/tolerations", "[{key: key, operator: Equal, value: v, effect: NoSchedule}]"},
      {"node", {"--node=a", "--node=b", "--exclude-node=c"}, "POD/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms",
       "[{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [a, b]}, {key: kubernetes.io/hostname, operator: NotIn, values: [c]}]}]"},
      {"exclude-node", {"--exclude-node=a", "--worker-exclude-node=b"}, "POD/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms",
       "[{matchExpressions: [{key: kubernetes.io/hostname, operator: NotIn, values: [b]}]}]"},
      {"gpu-product", {"--gpu-product=NVIDIA-L4"}, "POD/nodeSelector", "{nvidia.com/gpu.product: NVIDIA-L4}"},
      {"pack", {"--pack=zone"}, "POD/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution",
       "[{weight: 100, podAffinityTerm: {labelSelector: {matchExpressions: [{key: training.kubeflow.org/replica-index, operator: Exists}]}, matchLabelKeys: [training.kubeflow.org/job-name], topologyKey: topology.kubernetes.io/zone}}]"},
      {"pack", {"--pack=required=node"}, "POD/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution",
       "[{labelSelector: {matchExpressions: [{key: training.kubeflow.org/replica-index, operator: Exists}]}, matchLabelKeys: [training.kubeflow.org/job-name], topologyKey: kubernetes.io/hostname}]"},
      {"spread", {"--spread=node"}, "POD/topologySpreadConstraints",
       "[{labelSelector: {matchExpressions: [{key: training.kubeflow.org/replica-index, operator: Exists}]}, matchLabelKeys: [training.kubeflow.org/job-name], maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway}]"},
      {"required-pod-topology-key", {"--required-pod-topology-key=rack"}, "POD/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/0/topologyKey", "rack"},
      {"preferred-pod-topology-key", {"--preferred-pod-topology-key=rack"}, "POD/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/0/weight", "100"},
      {"runtime-class", {"--runtime-class=nvidia"}, "POD/runtimeClassName", "nvidia"},
      {"gang-min-available", {"--gang-min-available=2"}, "/spec/runPolicy/schedulingPolicy/minAvailable", "2"},
      {"gang-timeout", {"--gang-timeout=5m"}, "/spec/runPolicy/schedulingPolicy/scheduleTimeoutSeconds", "300"},
      {"gang-queue", {"--gang-queue=research"}, "/spec/runPolicy/schedulingPolicy/queue", "research"},
      {"git-sync", {"--git-sync=repository=https://git.test/x.git,path=/code,image=git:1"}, "POD/initContainers/0/env/0/value", "\"https://git.test/x.git\""},
      {"download", {"--download=source=s3://data/mnist/,path=/data,image=amazon/aws-cli:2", "--s3=minio"}, "POD/initContainers/0/env/1/name", "AWS_ACCESS_KEY_ID"},
      {"git-sync", {"--git-sync=source=https://git.test/x.git,target=/code,branch=main,secret=hub,image=git:1"}, "POD/initContainers/0/image", "git:1"},
      {"with", {"--with=datasets==3.2.0", "--env=PYTHONPATH=/code"}, "C/env/0/value", "\"/trainctl/site:/code\""},
      {"with", {"--with=datasets==3.2.0"}, "C/env/0/value", "/trainctl/site"},
      {"with", {"--with=wandb$(X)"}, "POD/initContainers/0/command/4", "wandb$$(X)"},
      {"with", {"--with=x", "--env-secret=PIP_INDEX_URL=pypi:url"}, "POD/initContainers/0/env/0/name", "PIP_INDEX_URL"},
      {"suspend", {"--suspend"}, "/spec/runPolicy/suspend", "true"},
      {"run-as-non-root", {"--run-as-non-root", "--run-as=1000"}, "POD/securityContext", "{runAsNonRoot: true, runAsUser: 1000}"},
      {"host-pid", {"--host-pid"}, "POD/hostPID", "true"},
      {"s3", {"--s3=minio"}, "C/env/3", "{name: AWS_ENDPOINT_URL, valueFrom: {secretKeyRef: {name: minio, key: AWS_ENDPOINT_URL, optional: true}}}"},
      {"s3", {"--s3=minio:https://m.test:9000"}, "C/env/3", "{name: AWS_ENDPOINT_URL, value: \"https://m.test:9000\"}"},
      {"torchrun", {"--torchrun=train.py"}, "C/command", "[torchrun, train.py]"},
      {"priority-class", {"--priority-class=high"}, "POD/priorityClassName", "high"},
      {"scheduler-name", {"--scheduler-name=volcano"}, "POD/schedulerName", "volcano"},
      {"queue", {"--queue=team-a"}, "/metadata/labels/kueue.x-k8s.io~1queue-name", "team-a"},

      {"topology", {"--topology=required=cloud.com/rack"},
       "WORKER/template/metadata/annotations/kueue.x-k8s.io~1podset-required-topology", "cloud.com/rack"},
      {"topology", {"--topology=required=a", "--topology=preferred=b"},
       "WORKER/template/metadata/annotations/kueue.x-k8s.io~1podset-required-topology", ""},

      {"restart-policy", {"--restart-policy=ExitCode"}, "WORKER/restartPolicy", "ExitCode"},
      {"backoff-limit", {"--backoff-limit=0"}, "/spec/runPolicy/backoffLimit", "0"},
      {"clean-pod-policy", {"--clean-pod-policy=None"}, "/spec/runPolicy/cleanPodPolicy", "None"},
      {"ttl-after-finish", {"--ttl-after-finish=2h"}, "/spec/runPolicy/ttlSecondsAfterFinished", "7200"},
      {"active-deadline", {"--active-deadline=90s"}, "/spec/runPolicy/activeDeadlineSeconds", "90"},

      {"termination-grace-period", {"--termination-grace-period=5m"}, "POD/terminationGracePeriodSeconds", "300"},
      {"termination-grace-period", {"--termination-grace-period=5m", "--torchrun=train.py"}, "C/env", "[{name: TORCH_ELASTIC_SHUTDOWN_TIMEOUT, value: \"300\"}]"},
      {"termination-grace-period", {"--termination-grace-period=5m", "--max-replicas=2"}, "C/env/0/name", "TORCH_ELASTIC_SHUTDOWN_TIMEOUT"},
      {"termination-grace-period", {"--termination-grace-period=5m", "--torchrun=train.py", "--env=TORCH_ELASTIC_SHUTDOWN_TIMEOUT=9"}, "C/env", "[{name: TORCH_ELASTIC_SHUTDOWN_TIMEOUT, value: \"9\"}]"},
      {"termination-grace-period", {"--termination-grace-period=5m"}, "C/env", ""},

      {"service-account", {"--service-account=trainer"}, "POD/serviceAccountName", "trainer"},
      {"run-as", {"--run-as=1000:100"}, "POD/securityContext", "{runAsUser: 1000, runAsGroup: 100}"},
      {"add-capability", {"--add-capability=CAP_IPC_LOCK,NET_ADMIN"}, "C/securityContext/capabilities/add", "[IPC_LOCK, NET_ADMIN]"},
      {"allow-privilege-escalation", {"--allow-privilege-escalation"}, "C/securityContext/allowPrivilegeEscalation", "true"},
      {"host-network", {"--host-network"}, "POD/dnsPolicy", "ClusterFirstWithHostNet"},
      {"host-ipc", {"--host-ipc"}, "POD/hostIPC", "true"},
  };
  return k_examples;
}
// clang-format on

std::string place(std::string_view pointer) {
  const std::string roles = "/spec/pytorchReplicaSpecs/";
  const std::string pod = roles + "Worker/template/spec";
  const std::map<std::string_view, std::string> places = {{"WORKER", roles + "Worker"},
                                                          {"MASTER", roles + "Master"},
                                                          {"POD", pod},
                                                          {"C", pod + "/containers/0"}};
  const auto end = std::min(pointer.find('/'), pointer.size());
  const auto found = places.find(pointer.substr(0, end));
  if (found == places.end()) return std::string(pointer);
  return found->second + std::string(pointer.substr(end));
}

Line line_of(const Example& example) {
  Line line{std::string(example.alias), example.typed};
  if (example.flag == "command") line.words = {"python3", "train.py"};
  return line;
}

TEST_CASE("every flag sets the field it promises") {
  for (const Example& example : examples()) {
    CAPTURE(example.flag);
    CAPTURE(example.typed.front());
    const Json manifest = rendered(line_of(example));
    const Json* found = find(manifest, place(example.pointer));
    if (example.expected.empty()) {
      CHECK(found == nullptr);
      continue;
    }
    REQUIRE(found != nullptr);
    CHECK(*found == yaml(example.expected));
    const Status checked = check_manifest(kind(example.alias), manifest);
    CHECK_MESSAGE(checked.has_value(), (checked ? "" : checked.error().message));
  }
}

TEST_CASE("no row of the table lacks an example above, and no example a row") {
  std::set<std::string_view> shown;
  for (const Example& example : examples()) {
    CHECK_MESSAGE(find_flag(example.flag) != nullptr, example.flag);
    shown.insert(example.flag);
  }
  for (const Flag& flag : flags()) {
    if (flag.instead.empty()) CHECK_MESSAGE(shown.contains(flag.name), flag.name);
  }
}

TEST_CASE("Run:ai's flags without a meaning here are refused with what to type instead") {
  for (const Flag& flag : flags()) {
    if (flag.instead.empty()) continue;
    CAPTURE(flag.name);
    const auto manifest = testing::try_render({"pytorch", {cat("--", flag.name, "=x")}});
    REQUIRE_FALSE(manifest);
    CHECK(manifest.error().code == Code::usage);
    CHECK(manifest.error().message.starts_with(cat("--", flag.name, ": ")));
    CHECK(manifest.error().hint == flag.instead);
  }
}

}  // namespace flags_test
