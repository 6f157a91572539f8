// The table of job flags. A flag that sets a field takes one row here, its example in
// tests/manifest/flags/flags_test.cpp and one golden case (worked example:
// docs/worked-examples.md).
#include "manifest/flags/flags.h"

#include <algorithm>
#include <array>

#include "base/text/text.h"
#include "manifest/flags/builders.h"
#include "manifest/flags/values.h"
#include "manifest/program.h"

namespace trainctl::job {
namespace {

using enum Scope;
using Text = std::string_view;

// Functions that make rows of each type.
constexpr Flag field(Text name, char letter, Text value, Text group, Scope scope, Text pointer,
                     Check check, Text help) {
  return {name, letter, value, group, help, scope, pointer, check};
}
constexpr Flag toggle(Text name, char letter, Text group, Scope scope, Text pointer, Text help) {
  return {name, letter, "", group, help, scope, pointer};
}
constexpr Flag built(Text name, char letter, Text value, Text group, Scope scope, Build build,
                     Text help) {
  return {name, letter, value, group, help, scope, "", nullptr, build};
}
constexpr Flag refused(Text name, char letter, Text value, Text instead) {
  return {.name = name,
          .letter = letter,
          .value_name = value,
          .group = "",
          .help = "",
          .scope = job,
          .instead = instead};
}

// Functions that set further properties of a row.
constexpr Flag many(Flag flag) {
  flag.repeatable = true;
  return flag;
}
constexpr Flag only(Text kinds, Flag flag) {
  flag.kinds = kinds;
  return flag;
}
constexpr Flag hidden(Flag flag) {
  flag.common = k_not_shown;
  return flag;
}
constexpr Flag common(int place, Flag flag) {
  flag.common = place;
  return flag;
}
constexpr Flag yields(Text to, Flag flag) {
  flag.gives_way_to = to;
  return flag;
}
constexpr Flag offering(Text plural, Flag flag) {
  flag.offers = plural;
  return flag;
}
constexpr Flag computing(Flag flag) {
  flag.computes = true;
  return flag;
}

constexpr Text k_job = "Job";
constexpr Text k_replicas = "Replicas";
constexpr Text k_container = "Container";
constexpr Text k_environment = "Environment";
constexpr Text k_resources = "Resources";
constexpr Text k_volumes = "Volumes";
constexpr Text k_scheduling = "Scheduling";
constexpr Text k_lifecycle = "Restarts and end";
constexpr Text k_security = "Security and network";

// clang-format off
constexpr std::array k_flags = {
    // name, letter, value, group, scope, …
    common(1, yields("job-name-prefix", built("name", 0, "NAME", k_job, job, build_name, "name of the job (default: generated)"))),
    built("job-name-prefix", 0, "PREFIX", k_job, job, build_name_prefix,
          "start of a generated name, when --name is not given"),
    many(built("label", 'l', "KEY=VALUE", k_job, metadata, build_label, "label of the job and its pods")),
    many(built("annotation", 'a', "KEY=VALUE", k_job, metadata, build_annotation, "annotation of the job and its pods")),

    common(3, yields("replicas", field("workers", 0, "N", k_replicas, count, "Worker", check_count,
          "workers, not counting the master (default 1)"))),
    hidden(field("replicas", 0, "N", k_replicas, count, "Worker", check_count, "--workers")),
    built("no-master", 0, "", k_replicas, job, build_no_master, "create only workers: worker 0 is the leader"),
    only("tf", field("chief", 0, "N", k_replicas, count, "Chief", check_count, "number of chiefs, 0 or 1 (default 1)")),
    only("tf", field("ps", 0, "N", k_replicas, count, "PS", check_count, "number of parameter servers (default 0)")),
    only("tf", field("evaluator", 0, "N", k_replicas, count, "Evaluator", check_count, "number of evaluators (default 0)")),
    only("tf", field("success-policy", 0, "Default|AllWorkers", k_replicas, job, "/spec/successPolicy", check_success_policy, "whose success completes a job without a chief (Default: worker 0)")),
    only("pytorch", field("nproc-per-node", 0, "auto|cpu|gpu|N", k_replicas, job, "/spec/nprocPerNode", check_processes,
                          "processes that torchrun starts in a replica")),
    only("mpi", field("slots-per-worker", 0, "N", k_replicas, job, "/spec/slotsPerWorker", check_positive,
                      "processes that mpirun starts on a worker (default 1)")),
    only("pytorch paddle", field("min-replicas", 0, "N", k_replicas, job, "/spec/elasticPolicy/minReplicas",
                                 check_positive, "elastic training: minimum number of workers")),
    only("pytorch paddle", field("max-replicas", 0, "N", k_replicas, job, "/spec/elasticPolicy/maxReplicas",
                                 check_positive, "elastic training: maximum number of workers")),
    only("pytorch paddle", field("max-restarts", 0, "N", k_replicas, job, "/spec/elasticPolicy/maxRestarts",
                                 check_count, "elastic training: restarts of a worker group")),
    only("pytorch", field("rdzv-backend", 0, "c10d|etcd|etcd-v2", k_replicas, job, "/spec/elasticPolicy/rdzvBackend",
                          check_rendezvous_backend, "elastic training: how workers find each other")),

    common(2, field("image", 'i', "IMAGE", k_container, container, "/image", check_image, "container image")),
    field("image-pull-policy", 0, "Always|IfNotPresent|Never", k_container, container, "/imagePullPolicy", check_pull_policy,
          "when a node pulls the image"),
    offering("secrets", many(built("image-pull-secret", 0, "NAME", k_container, pod, build_pull_secret, "secret for the image's registry"))),
    built("command", 0, "", k_container, job, build_nothing,
          "the arguments after -- replace the image's entrypoint as well"),
    only("pytorch", built("torchrun", 0, "SCRIPT", k_container, job, build_nothing,
          "start the script with torchrun, set up by the operator's variables; pass it the arguments after --")),
    many(built("arg", 0, "ARG", k_container, container, build_args,
               "one argument, like those after --; --launcher-arg=… is for one role")),
    built("expand", 0, "", k_container, job, build_nothing,
          "the cluster expands $(NAME) and $$ in --arg, --env and the arguments after --"),
    field("working-dir", 0, "PATH", k_container, container, "/workingDir", check_directory, "directory to start in"),
    toggle("stdin", 0, k_container, container, "/stdin", "keep stdin open"),
    toggle("tty", 't', k_container, container, "/tty", "give the container a terminal"),
    many(built("port", 0, "[NAME=]PORT", k_container, container, build_ports, "port that the container listens on")),

    common(7, yields("environment", many(built("env", 'e', "NAME[=VALUE]", k_environment, container, build_env,
               "environment variable; without a value, pass on your own")))),
    hidden(many(built("environment", 0, "NAME[=VALUE]", k_environment, container, build_env, "--env"))),
    many(built("env-secret", 0, "VAR=SECRET:KEY", k_environment, container, build_env_secret,
               "environment variable from a key of a secret")),
    offering("secrets", many(built("env-from-secret", 0, "NAME", k_environment, container, build_env_from_secret,
               "environment variables from all keys of a secret"))),
    many(built("env-configmap", 0, "VAR=CONFIGMAP:KEY", k_environment, container, build_env_config_map,
               "environment variable from a key of a config map")),
    offering("configmaps", many(built("env-from-configmap", 0, "NAME", k_environment, container, build_env_from_config_map,
               "environment variables from all keys of a config map"))),
    many(built("env-field", 0, "VAR=FIELDPATH", k_environment, container, build_env_field,
               "environment variable from a field of the pod, as in NODE=spec.nodeName")),
    built("s3", 0, "SECRET[:ENDPOINT]", k_environment, container, build_s3,
          "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL from a secret's keys"),
    many(built("env-file", 0, "FILE", k_environment, container, build_env,
               "environment variables from a file of NAME=VALUE lines, as in docker")),
    only("pytorch", built("flight-recorder", 0, "", k_environment, job, build_nothing,
          "PyTorch keeps the last collectives of each rank, and writes them to /tmp/nccl_trace_rank_N when NCCL times out")),

    common(4, computing(built("gpu", 'g', "N", k_resources, container, build_gpu, "GPUs of each replica; 0 = none"))),
    computing(built("gpu-resource", 0, "RESOURCE", k_resources, container, build_gpu_resource,
                    "what --gpu counts (default nvidia.com/gpu)")),
    common(5, field("cpu", 0, "CPUS", k_resources, container, "/resources/requests/cpu", check_amount, "CPUs requested")),
    field("cpu-limit", 0, "CPUS", k_resources, container, "/resources/limits/cpu", check_amount, "maximum CPUs"),
    common(6, field("memory", 0, "SIZE", k_resources, container, "/resources/requests/memory", check_size,
          "memory requested, as in 8Gi (limits nothing)")),
    field("memory-limit", 0, "SIZE", k_resources, container, "/resources/limits/memory", check_size,
          "memory beyond which the container is killed"),
    computing(many(built("extended-resource", 0, "NAME=COUNT", k_resources, container, build_extended_resource,
                         "any other device, as in rdma/hca=1"))),
    yields("large-shm", built("shm-size", 0, "SIZE", k_resources, pod, build_shm_size, "size of /dev/shm (default: 2Gi with GPUs, else the runtime's 64Mi)")),
    yields("shm-size", built("large-shm", 0, "", k_resources, pod, build_large_shm, "a /dev/shm of 16Gi")),

    common(9, offering("persistentvolumeclaims", many(built("pvc", 0, "CLAIM[/SUBPATH]:/PATH[:ro]", k_volumes, pod, build_pvc, "mount a volume claim")))),
    many(built("pvc-exists", 0, "claimname=NAME,path=/PATH", k_volumes, pod, build_pvc_exists,
               "mount a volume claim, in Run:ai's syntax; also subpath= and ro")),
    many(built("pvc-new", 0, "CLAIM:SIZE[:CLASS]:/PATH", k_volumes, pod, build_new_pvc,
               "mount a volume claim, and create it if it is missing; also claimname=,size=,storageclass=,path=,accessmode-rwo|rom|rwm,ro,ephemeral,delete-with-job")),
    many(built("ephemeral-pvc", 0, "SIZE[:CLASS]:/PATH", k_volumes, pod, build_ephemeral_pvc,
               "a claim for each replica, deleted with its pod; also path=,size=,class=,from-claim=,from-snapshot=,accessmode-rwo|rom|rwm,ro")),
    many(built("scratch", 0, "/PATH[:memory][:SIZE]", k_volumes, pod, build_scratch,
               "an empty directory for each replica, on its node's disk or in memory")),
    built("git-sync", 0, "repository=URL,path=/PATH", k_volumes, fill, build_git_sync, "clone this repository into the path before the program starts; also rev=,branch=,secret=,image="),
    many(built("download", 0, "source=URL,path=/PATH", k_volumes, fill, build_download, "download from s3:// or http(s):// into the path before the program starts; s3://…/ = everything below it; --s3 provides the keys; also image=")),
    many(built("with", 0, "PACKAGE", k_volumes, fill, build_packages, "install this Python package into each replica before the program starts, as in datasets==3.2.0; --env PIP_INDEX_URL=… and PIP_CONSTRAINT=… reach pip")),
    offering("secrets", many(built("secret-volume", 0, "NAME:/PATH", k_volumes, pod, build_secret_volume, "mount a secret's keys as files"))),
    offering("configmaps", many(built("configmap-volume", 0, "NAME:/PATH", k_volumes, pod, build_config_map_volume,
               "mount a config map's keys as files"))),
    many(built("volume", 'v', "/SOURCE:/PATH[:ro][:HOST]", k_volumes, pod, build_volume,
               "mount a directory of the node, or of an NFS host")),
    built("nfs-server", 0, "HOST", k_volumes, pod, build_nothing, "NFS host of every --volume without a host"),
    built("mount-propagation", 0, "", k_volumes, pod, build_nothing, "let all volumes mounted by flags show mounts that the host adds later"),

    many(built("node-selector", 0, "KEY=VALUE", k_scheduling, pod, build_node_selector, "run on nodes with this label")),
    many(built("toleration", 0, "KEY=VALUE:EFFECT", k_scheduling, pod, build_toleration,
               "tolerate a node's taint; also operator=,key=,value=,effect=,seconds=")),
    many(built("node", 0, "NODE", k_scheduling, pod, build_nodes, "run on this node; if repeated, on any of them")),
    many(built("exclude-node", 0, "NODE", k_scheduling, pod, build_nodes, "do not run on this node")),
    field("gpu-product", 0, "PRODUCT", k_scheduling, pod, "/nodeSelector/nvidia.com~1gpu.product", check_label_value,
          "run on nodes with these GPUs, as in NVIDIA-H100-80GB-HBM3"),
    built("pack", 0, "[required=|preferred=]LEVEL", k_scheduling, pod, build_pack,
          "run all pods in one domain of this level: node, zone, region or a node label (default preferred)"),
    built("spread", 0, "[required=|preferred=]LEVEL", k_scheduling, pod, build_spread,
          "spread the pods evenly over domains of this level (default preferred)"),
    hidden(built("required-pod-topology-key", 0, "KEY", k_scheduling, pod, build_pack_required, "--pack required=KEY")),
    hidden(built("preferred-pod-topology-key", 0, "KEY", k_scheduling, pod, build_pack_preferred, "--pack preferred=KEY")),
    field("priority-class", 0, "NAME", k_scheduling, pod, "/priorityClassName", check_object_name, "priority of the pods"),
    field("scheduler-name", 0, "NAME", k_scheduling, pod, "/schedulerName", check_object_name, "scheduler of the pods"),
    field("runtime-class", 0, "NAME", k_scheduling, pod, "/runtimeClassName", check_object_name,
          "container runtime of the pods"),
    common(16, field("queue", 0, "NAME", k_scheduling, job, "/metadata/labels/kueue.x-k8s.io~1queue-name", check_label_value,
          "Kueue queue that admits the job")),
    built("topology", 0, "required|preferred=LEVEL", k_scheduling, replica, build_topology,
          "Kueue: place a role's pods in one domain of this level (a node label)"),
    field("gang-min-available", 0, "N", k_scheduling, run_policy, "/schedulingPolicy/minAvailable", check_positive,
          "if the operator gang-schedules: pods that must fit at once (default all)"),
    field("gang-timeout", 0, "DURATION", k_scheduling, run_policy, "/schedulingPolicy/scheduleTimeoutSeconds", check_deadline,
          "if the operator gang-schedules with scheduler-plugins: how long to try"),
    field("gang-queue", 0, "NAME", k_scheduling, run_policy, "/schedulingPolicy/queue", check_object_name,
          "if the operator gang-schedules with Volcano: its queue"),

    built("suspend", 0, "", k_lifecycle, job, build_suspend, "create the job suspended; trainctl resume starts it"),
    field("restart-policy", 0, "Always|OnFailure|Never|ExitCode", k_lifecycle, replica, "/restartPolicy",
          check_restart_policy, "when to restart a program that has ended"),
    field("backoff-limit", 0, "N", k_lifecycle, run_policy, "/backoffLimit", check_count,
          "total restarts of all containers before the job fails (default 6)"),
    field("clean-pod-policy", 0, "Running|All|None", k_lifecycle, run_policy, "/cleanPodPolicy",
          check_clean_pod_policy, "pods deleted when the job ends (default Running)"),
    field("ttl-after-finish", 0, "DURATION", k_lifecycle, run_policy, "/ttlSecondsAfterFinished", check_seconds,
          "delete the job this long after its end, as in 12h"),
    field("active-deadline", 0, "DURATION", k_lifecycle, run_policy, "/activeDeadlineSeconds", check_deadline,
          "the cluster fails the job after this long, though often late; --timeout is exact"),
    field("termination-grace-period", 0, "DURATION", k_lifecycle, pod, "/terminationGracePeriodSeconds", check_seconds,
          "time to save a checkpoint between SIGTERM and SIGKILL, also for torchrun's processes (default 30s)"),

    offering("serviceaccounts", field("service-account", 0, "NAME", k_security, pod, "/serviceAccountName", check_object_name,
          "service account of the pods")),
    built("run-as", 0, "UID[:GID]", k_security, pod, build_run_as, "user and group of the processes"),
    toggle("run-as-non-root", 0, k_security, pod, "/securityContext/runAsNonRoot", "refuse an image that would run as root"),
    many(built("add-capability", 0, "NAME", k_security, container, build_capabilities, "Linux capability, as in IPC_LOCK")),
    toggle("allow-privilege-escalation", 0, k_security, container, "/securityContext/allowPrivilegeEscalation",
           "processes may gain privileges"),
    built("host-network", 0, "", k_security, pod, build_host_network, "use the node's network instead of the pod's own"),
    toggle("host-ipc", 0, k_security, pod, "/hostIPC", "use the node's IPC namespace"),
    toggle("host-pid", 0, k_security, pod, "/hostPID", "see the processes of the node"),

    refused("address", 0, "IP", "trainctl port-forward JOB PORT reaches a port of it"),
    refused("attach", 0, "", "--follow shows the log, trainctl exec -it JOB -- sh gives a shell"),
    refused("create-home-dir", 0, "", "--env HOME=/tmp"),
    refused("gpu-memory", 0, "SIZE", "--gpu N, with --gpu-resource for a slice of a GPU"),
    refused("loglevel", 0, "LEVEL", "--verbose shows the requests"),
    refused("mig-profile", 0, "PROFILE", "--gpu 1 --gpu-resource nvidia.com/mig-PROFILE"),
    refused("node-pools", 0, "NAMES", "--node-selector KEY=VALUE"),
    refused("node-type", 0, "TYPE", "--node-selector KEY=VALUE"),
    refused("non-preemptible", 0, "", "--priority-class NAME"),
    refused("run-as-user", 0, "", "--run-as $(id -u):$(id -g)"),
    refused("service-type", 's', "TYPE", "trainctl port-forward JOB PORT reaches a port of it"),
};
// clang-format on

}  // namespace

std::span<const Flag> flags() {
  return k_flags;
}

const Flag* find_flag(std::string_view name) {
  const auto found =
      std::ranges::find_if(k_flags, [name](const Flag& flag) { return flag.name == name; });
  return found == k_flags.end() ? nullptr : &*found;
}

bool applies_to(const Flag& flag, const Kind& kind) {
  // The job's pods and their policies are the runtime's.
  if (runs_by_runtime(kind) && (flag.scope != job || flag.group == k_replicas)) return false;
  if (flag.kinds.empty()) return true;
  const auto aliases = split(flag.kinds, ' ');
  return std::ranges::find(aliases, kind.alias) != aliases.end();
}

bool per_role(const Flag& flag) {
  if (!flag.instead.empty()) return false;
  return flag.scope == metadata || flag.scope == replica || flag.scope == pod ||
         flag.scope == fill || flag.scope == container;
}

std::string FlagUse::spelled() const {
  if (role == nullptr) return cat("--", flag->name);
  return cat("--", role->prefix, '-', flag->name);
}

bool FlagUse::switched_off() const {
  return flag->value_name.empty() && !values.empty() && values.back() == "false";
}

bool given(const std::vector<FlagUse>& uses, std::string_view flag) {
  return std::ranges::any_of(
      uses, [flag](const FlagUse& use) { return use.flag->name == flag && !use.switched_off(); });
}

const std::string* other_value(const PatchInput& input, std::string_view flag) {
  const std::string* value = nullptr;
  bool for_role = false;
  for (const FlagUse& use : input.uses) {
    const bool exact = use.role != nullptr && use.role == input.role;
    if (use.flag->name != flag || use.values.empty() || use.switched_off()) continue;
    if (use.role != nullptr && !exact) continue;
    if (for_role && !exact) continue;
    value = &use.values.back();
    for_role = exact;
  }
  return value;
}

}  // namespace trainctl::job
